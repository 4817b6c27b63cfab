"""Losses of rows, means of groups, and paired differences with their standard errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .tables import Table

Vector = NDArray[np.float64]
# As in scikit-learn, so that one wrong certainty does not make a mean infinite.
LEAST_PROBABILITY = 1e-15


def row_loss(table: Table, prediction: Vector, unit: float = 1.0) -> Vector:
    """The log loss of every row, or its squared error in units of ``unit``."""
    if table.classes:
        return -np.log(np.maximum(np.where(table.y == 1.0, prediction, 1.0 - prediction), LEAST_PROBABILITY))
    return (prediction - table.y) ** 2 / unit


def row_hit(table: Table, prediction: Vector) -> Vector:
    """1 where the more probable class is the row's, else 0; NaN for numbers."""
    if table.classes:
        return ((prediction > 0.5) == (table.y == 1.0)).astype(np.float64)
    return np.full(len(table.y), np.nan)


def group_means(groups: NDArray[np.str_], values: Vector) -> dict[str, float]:
    """The mean of each group, by name."""
    return {str(name): float(values[groups == name].mean()) for name in np.unique(groups)}


def worst_group(groups: NDArray[np.str_], losses: Vector) -> str:
    """The group of the largest mean loss; of equal ones the first by name."""
    means = group_means(groups, losses)
    return max(means, key=lambda name: means[name])


@dataclass(frozen=True)
class Paired:
    """The mean difference of paired rows, and its standard error with the rows as units.

    The standard error tells how much the mean would vary with other rows of the same kind for these fitted models; it
    does not contain that other training rows would give other models.
    """

    mean: float
    error: float

    @classmethod
    def of(cls, values: Vector, base: Vector) -> Paired:
        """mean(values - base), with sd(values - base) / sqrt(n)."""
        d = values - base
        return cls(float(d.mean()), float(d.std(ddof=1) / np.sqrt(d.size)) if d.size > 1 else np.inf)

    @property
    def z(self) -> float:
        """The mean in standard errors; 0 where nothing differs."""
        if self.error > 0.0:
            return self.mean / self.error
        return 0.0 if self.mean == 0.0 else float(np.copysign(np.inf, self.mean))
