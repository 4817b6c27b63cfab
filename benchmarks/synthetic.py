"""The paper's synthetic problem: logistic regression with groups (appendix "Simulations")."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GroupLogistic:
    """f_j(w) = 1/N sum_i log(1 + exp(-z_ji'w)) with rows z_ji = y_ji x_ji in an array of shape (J, N, d)."""

    Z: Array

    @property
    def n_losses(self) -> int:
        return int(self.Z.shape[0])

    @property
    def n_params(self) -> int:
        return int(self.Z.shape[2])

    def values(self, w: Array) -> Array:
        f: Array = np.logaddexp(0.0, -(self.Z @ w)).mean(axis=1)
        return f

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        margins = self.Z @ w
        weights = np.exp(-np.logaddexp(0.0, margins)) / -self.Z.shape[1]
        return np.logaddexp(0.0, -margins).mean(axis=1), np.matmul(weights[:, None, :], self.Z)[:, 0, :]

    def smoothness(self) -> float:
        return self._L

    @cached_property
    def _L(self) -> float:
        """L = max_j lambda_max(X_j'X_j) / (4N), computed once and outside all timings, as in the paper."""
        return max(float(np.linalg.norm(Z_j, 2)) ** 2 for Z_j in self.Z) / float(4 * self.Z.shape[1])


def generate(d: int, J: int, N: int, seed: int) -> GroupLogistic:
    """w_true ~ N(0, 20/d I), mu_j ~ N(0, I/d), x ~ N(0, I/d) + 0.1 mu_j, y = sign(<x, w_true> + N(0, 1))."""
    rng = np.random.default_rng(seed)
    w_true = rng.normal(scale=np.sqrt(20.0 / d), size=d)
    shifts = rng.normal(scale=np.sqrt(1.0 / d), size=(J, 1, d))
    X = rng.normal(scale=np.sqrt(1.0 / d), size=(J, N, d)) + 0.1 * shifts
    y = np.where(X @ w_true + rng.normal(size=(J, N)) >= 0, 1.0, -1.0)
    losses = GroupLogistic(y[:, :, None] * X)
    losses.smoothness()
    return losses
