"""The outer methods, one per file, and their names."""

from __future__ import annotations

from typing import Any, TypeAlias

from .._validation import lookup
from ..errors import ProblemError
from .accelerated import Accelerated
from .apgd import APGD
from .base import Breakdown, ExternalMethod, Method, State
from .extragradient import Extragradient
from .fixed_point import FixedPoint
from .lbfgsb import LBFGSB
from .optimistic import Optimistic
from .prox_linear import ProxLinear

AnyMethod: TypeAlias = Method[Any] | ExternalMethod

METHODS: dict[str, type[Method[Any]] | type[ExternalMethod]] = {
    # What "auto" means: the accelerated method needs nothing but the losses and their Jacobian.
    "auto": Accelerated,
    "accelerated": Accelerated,
    "fixed-point": FixedPoint,
    "prox-linear": ProxLinear,
    "apgd": APGD,
    "extragradient": Extragradient,
    "optimistic": Optimistic,
    "lbfgsb": LBFGSB,
}


def resolve_method(method: str | AnyMethod) -> AnyMethod:
    """The method of a name, with its default options, or the object itself."""
    if isinstance(method, str):
        return lookup(METHODS, method, "method")()
    if isinstance(method, Method | ExternalMethod):
        return method
    raise ProblemError(f"method must be a name or an object such as Accelerated(); got {method!r}.")


__all__ = [
    "APGD",
    "LBFGSB",
    "METHODS",
    "Accelerated",
    "AnyMethod",
    "Breakdown",
    "ExternalMethod",
    "Extragradient",
    "FixedPoint",
    "Method",
    "Optimistic",
    "ProxLinear",
    "State",
    "resolve_method",
]
