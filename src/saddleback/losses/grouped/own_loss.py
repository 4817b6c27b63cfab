"""A user's own pointwise loss: what it declares, and checks of what its functions return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._types import Vector
from ..._validation import number, real_array
from ...errors import ProblemError
from .input.labels import refuse_masked
from .kernels.arguments import read_only
from .pointwise_loss import RESPONSES, PointwiseLoss
from .pointwise_losses import LOSSES

FUNCTIONS = ("value_and_slope", "curvature")
IN_KERNEL = (*FUNCTIONS, "kernel", "options", "response")
"""What the kernel of one of our losses computes with: a subclass that changes any of it is a user's own loss."""

ROWS_TRIED = 8
"""Rows of the first call, which checks the functions before any work is done."""


def find_loss(loss: Any) -> PointwiseLoss:
    """A loss by its name, one of ours, or a user's own."""
    if isinstance(loss, str) and loss in LOSSES:
        return LOSSES[loss]
    if isinstance(loss, type):
        raise ProblemError(
            f"loss must be a name or an object; got the class {loss.__name__}. Pass an instance: {loss.__name__}(...)."
        )
    if isinstance(loss, str) or not any(_function(loss, name) for name in FUNCTIONS):
        known = ", ".join(repr(name) for name in LOSSES)
        raise ProblemError(
            f"unknown loss {loss!r}; expected one of {known}, or an object with value_and_slope(eta, y) and "
            "curvature(eta, y)."
        )
    return loss if isinstance(loss, OwnLoss) or _has_kernel(loss) else OwnLoss.of(loss)


@dataclass(frozen=True, repr=False, eq=False)
class OwnLoss(PointwiseLoss):
    """The user's functions, called with checks of what they return."""

    functions: Any

    @classmethod
    def of(cls, functions: Any) -> OwnLoss:
        name = type(functions).__name__
        if not _function(functions, "value_and_slope"):
            raise ProblemError(
                f"a pointwise loss must have value_and_slope(eta, y); {name} has no value_and_slope. Its function "
                "curvature(eta, y) is optional, for Newton's method."
            )
        _check_kernel(functions, name)
        loss = cls(functions)
        for attribute, value in (
            ("response", _response(functions, name)),
            ("convex", _boolean(functions, "convex", name)),
            ("bounded_below", _boolean(functions, "bounded_below", name)),
            ("largest_curvature", _curvature_bound(functions, name)),
            ("has_curvature", _function(functions, "curvature")),
        ):
            object.__setattr__(loss, attribute, value)
        return loss

    def __repr__(self) -> str:
        kind: Any = type(self.functions)
        return f"{kind.__name__}()" if kind.__repr__ is object.__repr__ else repr(self.functions)

    def try_out(self, y: Vector) -> None:
        """Call the functions at margins of zero: errors in them are reported before any work is done."""
        y = y[:ROWS_TRIED]
        self.value_and_slope(np.zeros(y.size), y)
        if self.has_curvature:
            self.curvature(np.zeros(y.size), y)

    def value_and_slope(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        with np.errstate(all="ignore"):
            answer = self.functions.value_and_slope(eta, read_only(y))
        try:
            value, slope = answer
        except (TypeError, ValueError):
            raise ProblemError(
                f"{self!r}.value_and_slope must return a pair of arrays, (values, slopes); got {type(answer).__name__}."
            ) from None
        return self._numbers(value, "value_and_slope", eta), self._numbers(slope, "value_and_slope", eta)

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        with np.errstate(all="ignore"):
            answer = self.functions.curvature(eta, read_only(y))
        return self._numbers(answer, "curvature", eta)

    def _numbers(self, x: Any, function: str, eta: Vector) -> Vector:
        where = f"{self!r}.{function} must return one real number per margin"
        refuse_masked(x, f"the answer of {self!r}.{function}")
        try:
            numbers = real_array(x).astype(np.float64, copy=False)
        except (TypeError, ValueError) as error:
            raise ProblemError(f"{where}; got {type(x).__name__} ({error}).") from error
        if numbers.shape != eta.shape:
            raise ProblemError(f"{where}, arrays of shape {eta.shape}; got shape {numbers.shape}.")
        return numbers


def _function(loss: Any, name: str) -> bool:
    """Whether ``loss`` has that function, other than the one of the base class, which raises."""
    return callable(getattr(loss, name, None)) and getattr(type(loss), name, None) is not getattr(PointwiseLoss, name)


def _has_kernel(loss: Any) -> bool:
    """Whether it is one of ours, or a subclass that changes nothing that the kernel computes with."""
    ours = _ours(loss)
    return ours is not None and all(
        getattr(type(loss), name) is getattr(ours, name) and name not in vars(loss) for name in IN_KERNEL
    )


def _ours(loss: Any) -> type[PointwiseLoss] | None:
    return next((type(of_ours) for of_ours in LOSSES.values() if isinstance(loss, type(of_ours))), None)


def _check_kernel(loss: Any, name: str) -> None:
    kernel, ours = getattr(loss, "kernel", None), _ours(loss)
    if kernel is not None and (ours is None or kernel is not ours.kernel):
        raise ProblemError(
            f"the pointwise loss {name} has kernel = {kernel!r}, which is for the losses of this library. Leave it "
            "out: value_and_slope and curvature are enough."
        )


def _response(loss: Any, name: str) -> str:
    response = getattr(loss, "response", "real")
    if not (isinstance(response, str) and response in RESPONSES):
        raise ProblemError(
            f"the response of the pointwise loss {name} must be one of {', '.join(map(repr, RESPONSES))}; got "
            f"{response!r}. Your own loss has one margin per row: number the classes, and take 'real'."
        )
    return response


def _boolean(loss: Any, attribute: str, name: str) -> bool:
    value = _declared(loss, attribute)
    if value is not None and not isinstance(value, bool | np.bool_):
        raise ProblemError(f"{attribute} of the pointwise loss {name} must be True or False; got {value!r}.")
    return bool(value)


def _curvature_bound(loss: Any, name: str) -> float | None:
    for attribute in ("curvature_bound", "largest_curvature"):
        bound = _declared(loss, attribute)
        if bound is not None:
            return number(bound, f"{attribute} of the pointwise loss {name}", minimum=0.0)
    return None


def _declared(loss: Any, name: str) -> Any:
    """An attribute, unless a subclass replaced the functions of the class that declares it."""
    of_functions = min(_level(loss, function) for function in FUNCTIONS if _function(loss, function))
    return getattr(loss, name, None) if _level(loss, name) <= of_functions else None


def _level(loss: Any, name: str) -> int:
    """The index of the class that defines ``name`` among the object (0) and its classes."""
    scopes = [getattr(loss, "__dict__", {}), *(vars(kind) for kind in type(loss).__mro__)]
    return next((level for level, scope in enumerate(scopes) if name in scope), 0)
