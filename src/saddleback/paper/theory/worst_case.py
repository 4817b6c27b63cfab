"""Nesterov's worst-case function, on which no first-order method is faster than 1/T^2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Matrix, Vector


@dataclass(frozen=True, eq=False)
class SplitChain:
    """Nesterov's worst function F(w) = 1/8 |u|^2 - w_1/4, its d + 1 terms dealt to J >= 2 groups.

    u = (w_1, w_2 - w_1, ..., w_d - w_{d-1}, -w_d), and f_j = J/8 sum of u_i^2 over i = j mod J, less w_1/4, plus a
    constant that makes all groups equal at the minimizer w*_i = 1 - i/(d + 1) of F. The mean of the f_j is F, so that
    g >= F with equality at w*, for R = 0. After T <= (d - 1)/2 steps no first-order method is below
    3 |w*|^2/(32 (T + 1)^2) (Nesterov, Lectures on Convex Optimization, 2.1.2). Terms of a group share no coordinate:
    L = J/2.
    """

    n_losses: int
    n_params: int

    @property
    def L(self) -> float:
        return self.n_losses / 2.0

    @property
    def minimizer(self) -> Vector:
        return 1.0 - np.arange(1.0, self.n_params + 1.0) / (self.n_params + 1.0)

    @property
    def optimum(self) -> float:
        return -0.125 * self.n_params / (self.n_params + 1.0)

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        values, G = self._unshifted(w)
        return values + self.optimum - self._unshifted(self.minimizer)[0], G

    def _unshifted(self, w: Vector) -> tuple[Vector, Matrix]:
        J, d = self.n_losses, self.n_params
        u = np.diff(w, prepend=0.0, append=0.0)
        parts = np.zeros((J, d + 1))
        terms = np.arange(d + 1)
        parts[terms % J, terms] = J / 4.0 * u
        G = parts[:, :-1] - parts[:, 1:]
        G[:, 0] -= 0.25
        return 0.5 * parts @ u - 0.25 * w[0], G


def least_gap(T: int) -> float:
    """gap/|w*|^2 that no first-order method gets below after T steps."""
    return 3.0 / (32.0 * (T + 1) ** 2)
