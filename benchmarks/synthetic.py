"""Synthetic group logistic regression: the paper's recipe, and tables with a given condition number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, eigsh

import saddleback as sb
from saddleback.paper import Recipe

from .natural import NaturalLogistic
from .recorder import Array


@dataclass(frozen=True, eq=False)
class Grouped:
    """A table whose rows are sorted by group, and the losses on it in the two forms that are compared."""

    X: NDArray[Any]
    y: Array
    groups: NDArray[np.intp]
    l2: float = 0.0
    fit_intercept: bool = False

    def fused(self) -> sb.GroupedLinear:
        """As the library evaluates them; the first evaluation, which may compile, is made here."""
        losses = sb.GroupedLinear(self.X, self.y, self.groups, l2=self.l2, fit_intercept=self.fit_intercept)
        losses.evaluate(np.zeros(losses.n_params))
        return losses

    def natural(self) -> NaturalLogistic:
        """As one writes them in NumPy."""
        return NaturalLogistic(self.X, self.y, self.groups, self.l2, self.fit_intercept)

    def smoothness(self) -> float:
        """L = max_j lambda_max(X_j'X_j)/(4 n_j) + l2, by Lanczos' method, rounded up by 1e-5; excluded from timings."""
        largest = 0.0
        for j in np.unique(self.groups):
            first, last = np.searchsorted(self.groups, [j, j + 1])
            X = self.X[first:last]

            def gram(v: Array, X: NDArray[Any] = X) -> Array:
                return np.asarray((X @ v.astype(X.dtype)) @ X, dtype=np.float64)

            d = X.shape[1]
            if min(X.shape) <= 3:
                top = float(np.linalg.norm(X, 2)) ** 2
            else:
                v0 = np.ones(d)
                top = float(
                    eigsh(LinearOperator((d, d), matvec=gram), 1, v0=v0, tol=1e-6, return_eigenvectors=False)[0]
                )
            largest = max(largest, top / (4 * (last - first)))
        return (1 + 1e-5) * largest + self.l2


def paper_data(d: int, J: int, N: int, seed: int, dtype: Any = np.float64) -> Grouped:
    """The paper's recipe."""
    data = Recipe(d, J, N, seed, np.dtype(dtype).name).generate()
    return Grouped(data.X, data.y, data.groups)


def conditioned_data(n: int, d: int, J: int, condition: float, l2: float, seed: int = 0) -> Grouped:
    """Columns with standard deviations from 1 to condition^-1/2, random axes, a shift and a noise for each group."""
    rng = np.random.default_rng(seed)
    groups = np.sort(rng.integers(J, size=n))
    axes = np.linalg.qr(rng.standard_normal((d, d)))[0]
    scales = np.geomspace(1.0, condition**-0.5, d)
    X = ((rng.standard_normal((n, d)) + 0.3 * rng.standard_normal((J, d))[groups]) * scales) @ axes
    w_true = axes.T @ (rng.standard_normal(d) / np.sqrt(scales) / np.sqrt(d))
    noise = 0.5 + np.arange(J) / J
    y = np.where(X @ w_true + noise[groups] * rng.logistic(size=n) >= 0, 1.0, -1.0)
    return Grouped(X, y, groups, l2)
