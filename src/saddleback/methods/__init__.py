"""The outer methods, one per file, and their names."""

from __future__ import annotations

from typing import Any

from .._validation import lookup
from ..dual_sets import DualSet
from ..engine.evaluation import Breakdown
from ..engine.method import AnyMethod, ExternalMethod, Method, State
from ..errors import ProblemError
from ..problem import Problem
from ..regularizers import Regularizer
from .accelerated import Accelerated
from .algorithm_one import AlgorithmOne
from .apgd import APGD
from .auto import choose_method
from .extragradient import Extragradient
from .fixed_point import FixedPoint
from .interior_point import InteriorPoint
from .lbfgsb import LBFGSB
from .newton import Newton
from .optimistic import Optimistic
from .prox_linear import ProxLinear
from .quasi_newton import QuasiNewton
from .requirements import refuse_unmet_needs

AUTO = "auto"

METHODS: dict[str, type[Method[Any]] | type[ExternalMethod]] = {
    "accelerated": Accelerated,
    "algorithm-1": AlgorithmOne,
    "quasi-newton": QuasiNewton,
    "newton": Newton,
    "interior-point": InteriorPoint,
    "fixed-point": FixedPoint,
    "prox-linear": ProxLinear,
    "apgd": APGD,
    "extragradient": Extragradient,
    "optimistic": Optimistic,
    "lbfgsb": LBFGSB,
}


def named_method(method: str | AnyMethod) -> AnyMethod | None:
    """The method of a name, with its default options, or the object itself; None for "auto", which needs the losses."""
    if isinstance(method, str):
        kind = lookup({AUTO: None, **METHODS}, method, "method")
        return None if kind is None else kind()
    if isinstance(method, Method | ExternalMethod):
        if not isinstance(getattr(method, "name", None), str):
            raise ProblemError(f"method {type(method).__name__} must have a name; write name = '...' in its class.")
        return method
    remedy = "Pass an instance, not its class." if isinstance(method, type) else "Derive an own method from Method."
    raise ProblemError(f"method must be a name or an object such as Accelerated(); got {method!r}. {remedy}")


def refuse(method: AnyMethod, problem: Problem) -> None:
    """Raise an IncompatibleError where a problem lacks what a method needs; nothing is evaluated."""
    refuse_unmet_needs(method, METHODS.values(), problem.dual_set, problem.regularizer, problem.losses)


def refuse_without_losses(method: AnyMethod, dual_set: DualSet, regularizer: Regularizer) -> None:
    """`refuse` as far as it can be decided before there are losses."""
    refuse_unmet_needs(method, METHODS.values(), dual_set, regularizer, None)


__all__ = [
    "APGD",
    "AUTO",
    "LBFGSB",
    "METHODS",
    "Accelerated",
    "AlgorithmOne",
    "AnyMethod",
    "Breakdown",
    "ExternalMethod",
    "Extragradient",
    "FixedPoint",
    "InteriorPoint",
    "Method",
    "Newton",
    "Optimistic",
    "ProxLinear",
    "QuasiNewton",
    "State",
    "choose_method",
    "named_method",
    "refuse",
    "refuse_without_losses",
]
