"""Group logistic losses in plain NumPy: the oracle of the competitors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .recorder import Array


class NaturalLogistic:
    """f_j(w) = mean over group j of log(1 + exp(-y x'w)) + l2/2 |w|^2, without the intercept in the penalty.

    Two products with X per evaluation, in X's precision and by BLAS with all its threads. Rows must be sorted by
    group, so that the rows of a group are a view. An intercept is a last column of ones.
    """

    def __init__(self, X: Any, y: Array, groups: NDArray[Any], l2: float = 0.0, fit_intercept: bool = False) -> None:
        starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
        assert len(np.unique(groups)) == starts.size, "rows must be sorted by group"
        ends = np.append(starts[1:], len(groups))
        self.X = np.column_stack([X, np.ones(len(y), dtype=X.dtype)]) if fit_intercept else X
        self.y = y.astype(X.dtype)
        self.rows = [slice(int(a), int(b)) for a, b in zip(starts, ends, strict=True)]
        self.sizes = ends - starts
        self.n_losses = starts.size
        self.n_params = int(self.X.shape[1])
        self.penalty = np.full(self.n_params, l2)
        if fit_intercept:
            self.penalty[-1] = 0.0

    def margins(self, w: Array) -> NDArray[Any]:
        return self.y * (self.X @ w.astype(self.y.dtype))

    def losses(self, margins: NDArray[Any], w: Array) -> Array:
        values = np.logaddexp(0.0, -margins, dtype=np.float64)
        return np.add.reduceat(values, [rows.start for rows in self.rows]) / self.sizes + 0.5 * (self.penalty @ w**2)

    def values(self, w: Array) -> Array:
        return self.losses(self.margins(w), w)

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        margins = self.margins(w)
        slopes = -self.y * expit(-margins)
        G = np.array([slopes[rows] @ self.X[rows] for rows in self.rows], dtype=np.float64) / self.sizes[:, None]
        return self.losses(margins, w), G + self.penalty * w

    def hessian(self, w: Array, lam: Array) -> Array:
        """sum_j lam_j Hessian f_j(w), for solvers that can use it."""
        s = expit(self.margins(w).astype(np.float64))
        weights = s * (1 - s) * np.repeat(lam / self.sizes, self.sizes)
        H: Array = (self.X * weights[:, None]).T @ self.X
        H[np.diag_indices_from(H)] += lam.sum() * self.penalty
        return H
