"""Synthetic group logistic regression: the paper's recipe, and tables with a given condition number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import saddleback as sb
from saddleback.paper import Recipe
from saddleback.paper.recipe import SLACK

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

    def rebuilt(self) -> sb.GroupedLinear:
        """The losses of the library, made anew."""
        return sb.GroupedLinear(self.X, self.y, self.groups, l2=self.l2, fit_intercept=self.fit_intercept)

    def fused(self) -> sb.GroupedLinear:
        """The losses of the library, evaluated once because that may compile."""
        losses = self.rebuilt()
        losses.evaluate(np.zeros(losses.n_params))
        return losses

    def natural(self) -> NaturalLogistic:
        """The losses in plain NumPy."""
        return NaturalLogistic(self.X, self.y, self.groups, self.l2, self.fit_intercept)

    def smoothness(self) -> float:
        """L = max_j lambda_max(X_j'X_j)/(4 n_j) + l2, rounded up by at most 1e-4; excluded from timings."""
        return self.fused().smoothness(slack=SLACK)


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
