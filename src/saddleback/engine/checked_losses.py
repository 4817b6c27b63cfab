"""Calls of the user's loss functions, with their answers checked and copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast
from weakref import WeakMethod

import numpy as np

from .._types import Indices, Matrix, Vector
from .._validation import FLOAT64, all_finite, loss_array
from ..capabilities import offers
from ..errors import ProblemError
from ..linalg.jacobians import StructuredJacobian
from ..losses import GroupedLinear, Losses
from ..losses.base import HasJacobianError, HasLinearization, HasValues
from ..losses.callables import FunctionLosses, PairLosses
from .evaluation import Breakdown

OnPrecision = Callable[[float], None]


class CheckedLosses:
    """The losses' functions: answers of a wrong shape or type are refused, the others copied to float64.

    Arguments and answers are copies, because losses may write over either at their next call. ``on_precision`` is
    called with the machine epsilon of answers in a lower precision; it is a weak reference, because in a cycle of
    references the user's table would stay in memory after the run. The ``reference``, where there is one, is subtracted
    from the values.
    """

    def __init__(
        self, losses: Losses, reference: Vector | None, J: int, d: int, on_precision: WeakMethod[OnPrecision]
    ) -> None:
        self._losses: Any = losses
        self._reference = reference
        self._J, self._d = J, d
        self._on_precision = on_precision
        # Losses of plain functions check and copy what these return; those of tables return new arrays. A class that is
        # derived from these may return others.
        self._returns_new = isinstance(losses, FunctionLosses | PairLosses) or type(losses) is GroupedLinear
        self.offers_values = offers(losses, HasValues)
        self.offers_linearization = offers(losses, HasLinearization)
        self.offers_jacobian_error = offers(losses, HasJacobianError)

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix | StructuredJacobian]:
        if self.offers_linearization:
            f, G = self._losses.linearize(w.copy())
        else:
            answer = self._losses.evaluate(w.copy())
            if self._returns_new and answer[0].dtype == FLOAT64 and answer[1].dtype == FLOAT64:
                f, G = answer
            else:
                f, G = self._checked_pair(answer)
        return f if self._reference is None else f - self._reference, G

    def values(self, w: Vector) -> Vector:
        f = self._of_shape(self._losses.values(w.copy()), (self._J,), "values")
        return f if self._reference is None else f - self._reference

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        H = self._of_shape(self._losses.hessian(w.copy(), lam.copy()), (self._d, self._d), "hessian")
        if not np.isfinite(H).all():
            raise Breakdown("the Hessian is not finite at the point of the last step")
        return H

    def loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        H = self._losses.loss_hessians(w.copy(), which.copy())
        if not self._returns_new:
            H = self._of_shape(H, (which.size, self._d, self._d), "loss_hessians")
        if not all_finite(H):
            raise Breakdown("the Hessian of a loss is not finite at the point of the last step")
        return H

    def sampled_hessian(self, w: Vector, lam: Vector, V: Matrix | None) -> Matrix | None:
        """None where the estimate is not finite."""
        k = self._d if V is None else len(V)
        H = self._of_shape(self._losses.sampled_hessian(w.copy(), lam.copy(), V), (k, k), "sampled_hessian")
        return H if np.isfinite(H).all() else None

    def sampled_loss_hessians(self, w: Vector, which: Indices) -> Matrix | None:
        """None where an estimate is not finite."""
        answer = self._losses.sampled_loss_hessians(w.copy(), which.copy())
        H = self._of_shape(answer, (which.size, self._d, self._d), "sampled_loss_hessians")
        return H if all_finite(H) else None

    def sampled_margins(self, V: Matrix) -> Matrix:
        T = self._as_float64(self._losses.sampled_margins(V))
        if T.ndim != 2 or len(T) != len(V):
            raise ProblemError(f"losses.sampled_margins must return shape ({len(V)}, r); got {T.shape}.")
        return T

    def hessian_on_margins(self, w: Vector, lam: Vector, T: Matrix) -> Matrix | None:
        """None where the estimate is not finite."""
        answer = self._losses.hessian_on_margins(w.copy(), lam.copy(), T)
        H = self._of_shape(answer, (len(T), len(T)), "hessian_on_margins")
        return H if np.isfinite(H).all() else None

    def penalty_diagonal(self) -> Vector:
        return self._of_shape(self._losses.penalty_diagonal(), (self._d,), "penalty_diagonal")

    def jacobian_error(self, w: Vector) -> Matrix | None:
        """The losses' bound on the errors of their Jacobian; None where they report that it is exact."""
        error = self._losses.jacobian_error(w.copy())
        return None if error is None else self._as_float64(error)

    def _checked_pair(self, answer: object) -> tuple[Vector, Matrix]:
        match answer:
            # In NumPy 2.5 an array is a sequence too, of its rows.
            case (f, G) if not isinstance(answer, np.ndarray):
                pass
            case _:
                kind = type(answer).__name__
                raise ProblemError(f"losses.evaluate must return the pair (values, jacobian); got {kind}.")
        f = f.copy() if type(f) is np.ndarray and f.dtype == FLOAT64 else self._as_float64(f)
        G = G.copy() if type(G) is np.ndarray and G.dtype == FLOAT64 else self._as_float64(G)
        J, d = self._J, self._d
        if f.shape != (J,) or G.shape != (J, d):
            raise ProblemError(
                f"losses.evaluate must return arrays of shapes ({J},) and ({J}, {d}); got {f.shape} and {G.shape}."
            )
        return f, G

    def _of_shape(self, answer: object, shape: tuple[int, ...], name: str) -> Vector:
        array = self._as_float64(answer)
        if array.shape != shape:
            raise ProblemError(f"losses.{name} must return shape {shape}; got {array.shape}.")
        return array

    def _as_float64(self, x: object) -> Vector:
        array = loss_array(x)
        if array.dtype in (np.float32, np.float16):
            on_precision = self._on_precision()
            if on_precision is not None:
                on_precision(float(np.finfo(array.dtype).eps))
        return cast("Vector", np.array(array, dtype=np.float64))
