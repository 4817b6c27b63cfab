"""A user's own pointwise loss, with checks of what its functions return."""

from __future__ import annotations

from ctypes import POINTER, c_double
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._types import Vector
from ..._validation import real_array
from ...errors import ProblemError
from .declarations import (
    FUNCTIONS,
    check_kernel,
    compiled_function,
    curvature_bound_of,
    declared_boolean,
    has_function,
    has_kernel,
    response_of,
)
from .input.labels import refuse_masked
from .kernels import load
from .kernels.arguments import USER, read_only
from .pointwise_loss import PointwiseLoss
from .pointwise_losses import LOSSES

COMPILED_TOLERANCE = 1e-6
"""The relative and absolute difference allowed between a loss in NumPy and its compiled form, which may use other
formulas."""

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
    if isinstance(loss, str) or not any(has_function(loss, name) for name in FUNCTIONS):
        known = ", ".join(repr(name) for name in LOSSES)
        raise ProblemError(
            f"unknown loss {loss!r}; expected one of {known}, or an object with value_and_slope(eta, y) and "
            "curvature(eta, y)."
        )
    return loss if isinstance(loss, OwnLoss) or has_kernel(loss) else OwnLoss.of(loss)


@dataclass(frozen=True, repr=False, eq=False)
class OwnLoss(PointwiseLoss):
    """The user's functions, called with checks of what they return."""

    functions: Any

    @classmethod
    def of(cls, functions: Any) -> OwnLoss:
        name = type(functions).__name__
        if not has_function(functions, "value_and_slope"):
            raise ProblemError(
                f"a pointwise loss must have value_and_slope(eta, y); {name} has no value_and_slope. Its function "
                "curvature(eta, y) is optional, for Newton's method."
            )
        check_kernel(functions, name)
        loss = cls(functions)
        for attribute, value in (
            ("response", response_of(functions, name)),
            ("convex", declared_boolean(functions, "convex", name)),
            ("bounded_below", declared_boolean(functions, "bounded_below", name)),
            ("largest_curvature", curvature_bound_of(functions, name)),
            ("has_curvature", has_function(functions, "curvature")),
            ("kernel", None if compiled_function(functions, name) is None else USER),
        ):
            object.__setattr__(loss, attribute, value)
        return loss

    def __repr__(self) -> str:
        kind: Any = type(self.functions)
        return f"{kind.__name__}()" if kind.__repr__ is object.__repr__ else repr(self.functions)

    def try_out(self, y: Vector) -> None:
        """Call the functions at margins of zero: errors in them are reported before any work is done."""
        y = y[:ROWS_TRIED]
        eta = np.zeros(y.size)
        pair = self.value_and_slope(eta, y)
        if self.has_curvature:
            self.curvature(eta, y)
        if self.kernel is not None:
            self._try_compiled(pair, eta, y)

    @property
    def address(self) -> int:
        """The address of the compiled loop over rows; 0 for a loss in NumPy."""
        return 0 if self.kernel is None else int(self._loop.address)

    def compiled_pair(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        """Values and slopes by the compiled function."""
        value, slope = np.empty(y.size), np.empty(y.size)
        arrays = np.ascontiguousarray(eta), np.ascontiguousarray(y), value, slope
        pointers = [array.ctypes.data_as(POINTER(c_double)) for array in arrays]
        self._loop.ctypes(*pointers[:2], y.size, *pointers[2:])
        return value, slope

    @property
    def _loop(self) -> Any:
        return load("user_loss", "compiled_loop")(compiled_function(self.functions, repr(self)))

    def _try_compiled(self, pair: tuple[Vector, Vector], eta: Vector, y: Vector) -> None:
        try:
            _ = self.address
        except Exception as error:  # Numba has many kinds of errors, and no common base class
            raise ProblemError(
                f"compiled of the pointwise loss {self!r} must be a function of two floats that Numba compiles and "
                f"that returns (value, slope); got {type(error).__name__}: {error}"
            ) from error
        for what, got, expected in zip(("value", "slope"), self.compiled_pair(eta, y), pair, strict=True):
            close = np.isclose(got, expected, rtol=COMPILED_TOLERANCE, atol=COMPILED_TOLERANCE, equal_nan=True)
            if not close.all():
                i = int(np.argmax(~close))
                raise ProblemError(
                    f"compiled of the pointwise loss {self!r} must return what value_and_slope returns; its {what} at "
                    f"eta = 0, y = {y[i]:g} is {got[i]:.10g}, not {expected[i]:.10g}."
                )

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
