"""The problem that every peer solves, as a file that needs only NumPy and no pickle."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Tables with fewer entries than this get one thread, because more threads would be slower.
LARGE = 1_000_000
WORST_LOGISTIC, WORST_SQUARED, CHI2, CVAR = "worst logistic", "worst squared", "chi2", "cvar"


@dataclass(frozen=True, eq=False)
class Assignment:
    """Minimize over w the largest group mean, or the worst mean over weights of the rows, of losses at <x, w> + b.

    ``WORST_LOGISTIC``, ``WORST_SQUARED``: max_j mean over group j of log(1 + exp(-y t)) or of (y - t)^2, plus
    l2/2 |w|^2. ``CHI2``, ``CVAR``: max over p of sum_i p_i log(1 + exp(-y_i t_i)), p in the simplex with
    sum_i n (p_i - 1/n)^2 <= level, or with p_i <= 1/(n level). The intercept b is the last entry of an answer.
    """

    kind: str
    X: NDArray[Any]
    y: Array
    groups: NDArray[np.intp]
    """0, ..., J - 1, sorted."""
    l2: float = 0.0
    fit_intercept: bool = False
    budget: float = 60.0
    """Seconds for each run."""
    level: float = 0.0
    bound: float = np.inf
    """For peers that need a bound of the group losses: slightly above the optimum."""

    @property
    def n_params(self) -> int:
        return int(self.X.shape[1]) + int(self.fit_intercept)

    @property
    def sizes(self) -> NDArray[np.intp]:
        return np.bincount(self.groups)

    @property
    def design(self) -> NDArray[Any]:
        """X, with a column of ones for the intercept."""
        return np.column_stack([self.X, np.ones(len(self.X), self.X.dtype)]) if self.fit_intercept else self.X

    @property
    def penalty(self) -> Array:
        """l2 for each entry of w; the intercept is free."""
        penalty = np.full(self.n_params, self.l2)
        if self.fit_intercept:
            penalty[-1] = 0.0
        return penalty

    def write(self, path: Path) -> None:
        arrays: dict[str, Any] = {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}
        np.savez(path, **arrays)

    @classmethod
    def read(cls, path: Path) -> Assignment:
        with np.load(path, allow_pickle=False) as file:
            found = {field.name: file[field.name] for field in fields(cls)}
        return cls(**{name: value.item() if value.ndim == 0 else value for name, value in found.items()})
