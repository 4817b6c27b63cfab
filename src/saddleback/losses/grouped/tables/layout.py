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
        if type(w) is not np.ndarray or w.dtype != np.float64:
            try:
                w = real_array(w)
            except (TypeError, ValueError) as error:
                raise ProblemError(f"w must be a vector of numbers; got {type(w).__name__} ({error}).") from error
        w = read_only(np.ascontiguousarray(w, dtype=np.float64))
        if w.shape != (self.n_params,):
            raise ProblemError(f"w must have shape ({self.n_params},); got {w.shape}.")
        return w
