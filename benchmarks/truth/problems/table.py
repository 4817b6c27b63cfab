"""A table with groups, as the solver and the references read it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

import saddleback as sb

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Loss: TypeAlias = Literal["logistic", "squared"]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows x_i with responses y_i (-1 or 1 where the loss is logistic) in groups 0, ..., J - 1."""

    kind: str
    X: Array
    y: Array
    groups: Codes
    loss: Loss
    fit_intercept: bool = False
    l2: float = 0.0

    @property
    def design(self) -> Array:
        """X, with a last column of ones for the intercept."""
        return np.column_stack([self.X, np.ones(len(self.X))]) if self.fit_intercept else self.X

    def losses(self) -> sb.GroupedLinear:
        """The losses on trial."""
        return sb.GroupedLinear(
            self.X,
            self.y,
            self.groups,
            loss=self.loss,
            l2=self.l2,
            fit_intercept=self.fit_intercept,
            n_threads=1,
        )

    def in_units(self, units: Array) -> Table:
        """The same table with its columns measured in other units."""
        return replace(self, X=self.X * units)

    def value(self, w: Array) -> float:
        """max_j f_j(w), in NumPy."""
        eta = self.design @ w
        values = np.logaddexp(0.0, -self.y * eta) if self.loss == "logistic" else (eta - self.y) ** 2
        means = np.bincount(self.groups, values) / np.bincount(self.groups)
        penalized = w[: self.X.shape[1]]
        return float(means.max()) + 0.5 * self.l2 * float(penalized @ penalized)
