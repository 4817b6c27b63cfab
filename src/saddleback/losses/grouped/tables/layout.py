"""The order of weights and intercepts in the parameter vector w."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...._types import Matrix, Vector
from ...._validation import real_array
from ....errors import ProblemError
from ..kernels.arguments import read_only


@dataclass(frozen=True)
class Layout:
    """w holds the weights of each output in turn, then, with intercepts, one intercept per output."""

    n_outputs: int
    n_features: int
    intercept: bool

    @property
    def n_weights(self) -> int:
        return self.n_outputs * self.n_features

    @property
    def n_params(self) -> int:
        return self.n_weights + self.n_outputs * self.intercept

    def split(self, w: Any) -> tuple[Matrix, Vector]:
        """The weights, one row per output, and the intercepts, both read-only."""
        w = self.checked(w)
        return w[: self.n_weights].reshape(self.n_outputs, self.n_features), w[self.n_weights :]

    def checked(self, w: Any) -> Vector:
        """w as a read-only vector of float64, refused where it is none or has another length."""
        w = _as_float64(w, "w must be a vector of numbers")
        if w.shape != (self.n_params,):
            raise ProblemError(f"w must have shape ({self.n_params},); got {w.shape}.")
        return w

    def checked_rows(self, W: Any) -> Matrix:
        """Parameter vectors, one per row, as a read-only matrix of float64."""
        W = _as_float64(W, "W must be a matrix of numbers, one parameter vector per row")
        if W.ndim != 2 or not len(W) or W.shape[1] != self.n_params:
            raise ProblemError(f"W must have shape (k, {self.n_params}), one parameter vector per row; got {W.shape}.")
        return W


def _as_float64(x: Any, what: str) -> Vector:
    if type(x) is not np.ndarray or x.dtype != np.float64:
        try:
            x = real_array(x)
        except (TypeError, ValueError) as error:
            raise ProblemError(f"{what}; got {type(x).__name__} ({error}).") from error
    return read_only(np.ascontiguousarray(x, dtype=np.float64))
