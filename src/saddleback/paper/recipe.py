"""The data of the paper's experiments (appendix on simulations): group logistic regression, seeded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Vector
from .._validation import whole
from ..errors import ProblemError
from ..losses import GroupedLinear
from ..problem import Problem
from ..regularizers import Quadratic

SLACK = 1.0001
"""L is a certified bound that is at most this many times the paper's L = max_j lambda_max(X_j'X_j)/(4N)."""

PRECISIONS = ("float32", "float64")


@dataclass(frozen=True)
class Recipe:
    """The sizes and the seed: d parameters, J groups of N samples each.

    w_true ~ N(0, 20/d I), mu_j ~ N(0, I/d), x ~ N(0, I/d) + 0.1 mu_j, y = sign(<x, w_true> + N(0, 1)).
    """

    d: int
    J: int
    N: int
    seed: int = 0
    dtype: str = "float32"

    def __post_init__(self) -> None:
        for name in ("d", "J", "N"):
            whole(getattr(self, name), name, minimum=1)
        whole(self.seed, "seed", minimum=0)
        if self.dtype not in PRECISIONS:
            raise ProblemError(f"dtype must be one of {', '.join(PRECISIONS)}; got {self.dtype!r}.")

    @property
    def nbytes(self) -> int:
        """The size of the table."""
        return self.J * self.N * self.d * np.dtype(self.dtype).itemsize

    def generate(self) -> PaperData:
        """The table, filled group after group in its final precision: at the largest size it fits only once."""
        rng = np.random.default_rng(self.seed)
        d, J, N, dtype = self.d, self.J, self.N, np.dtype(self.dtype)
        w_true = rng.normal(scale=np.sqrt(20.0 / d), size=d)
        shifts = rng.normal(scale=np.sqrt(1.0 / d), size=(J, d))
        X = np.empty((J * N, d), dtype=dtype)
        for j in range(J):
            part: NDArray[Any] = X[j * N : (j + 1) * N]
            rng.standard_normal(out=part, dtype=dtype)
            part *= dtype.type(np.sqrt(1.0 / d))
            part += (0.1 * shifts[j]).astype(dtype)
        y = np.where(X @ w_true.astype(dtype) + rng.normal(size=J * N) >= 0, 1.0, -1.0)
        return PaperData(self, X, y, np.repeat(np.arange(J), N))


@dataclass(frozen=True, eq=False)
class PaperData:
    """One table of the recipe, its rows sorted by group."""

    recipe: Recipe
    X: NDArray[Any]
    y: Vector
    groups: NDArray[np.intp]

    @property
    def losses(self) -> GroupedLinear:
        """f_j(w) = 1/N sum_i log(1 + exp(-y_ij x_ij'w)); new ones, which hold nothing of earlier runs."""
        return GroupedLinear(self.X, self.y, self.groups, fit_intercept=False)

    @cached_property
    def L(self) -> float:
        """The paper's smoothness constant, rounded up by at most ``SLACK``; as there, computed outside all timings."""
        return self.losses.smoothness(slack=SLACK)

    def problem(self, gamma: float) -> Problem:
        """Simplex, R = gamma/2 |lam - 1/J|^2."""
        return Problem(self.losses, regularizer=Quadratic(gamma))
