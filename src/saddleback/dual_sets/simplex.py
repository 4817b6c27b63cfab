"""The probability simplex."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._types import Matrix, Vector
from ..errors import ProblemError
from .base import DualSet, LinearConstraints


@dataclass(frozen=True)
class Simplex(DualSet):
    """Delta_J = {lam >= 0, sum lam = 1}: the adversary picks a mixture of the losses.

    Barrier -sum log lam_j (Burg entropy), nu = J (Nesterov, Lectures on Convex Optimization, 5.3).
    """

    def validate(self, n: int) -> None:
        if n < 1:
            raise ProblemError(f"the simplex in R^{n} is empty; expected at least one loss.")

    def barrier_parameter(self, n: int) -> float:
        return float(n)

    def barrier(self, lam: Vector) -> float:
        return -float(np.log(lam).sum()) if lam.min() > 0 else np.inf

    def barrier_gradient(self, lam: Vector) -> Vector:
        return -1.0 / lam

    def barrier_hessian(self, lam: Vector) -> Vector:
        return 1.0 / lam**2

    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        return np.ones((1, n)), np.ones(1)

    def center(self, n: int) -> Vector:
        return np.full(n, 1.0 / n)

    def strip(self, z: Vector) -> Vector:
        return z - z.max()

    def support(self, z: Vector) -> tuple[float, Vector]:
        """The largest entry; ties share the weight, so that equal losses are treated alike."""
        top = z.max()
        lam = (z == top).astype(np.float64)
        return float(top), lam / lam.sum()

    def contains(self, lam: Vector, tol: float = 1e-12) -> bool:
        return bool(lam.min() >= -tol and abs(lam.sum() - 1.0) <= tol * max(1, lam.size))

    def restore(self, lam: Vector) -> Vector:
        lam = np.maximum(lam, 0.0)
        return lam / lam.sum()

    def project(self, x: Vector) -> Vector:
        """max(x - theta, 0) with theta from the sorted entries (Held, Wolfe and Crowder 1974)."""
        x = self.strip(x)
        u = np.sort(x)[::-1]
        excess = np.cumsum(u) - 1.0
        support = np.flatnonzero(u * np.arange(1, u.size + 1) > excess)
        if not support.size:
            return np.full_like(x, np.nan)  # x is not a number
        k = support[-1]
        return self.restore(x - excess[k] / (k + 1.0))

    def tilt(self, prior: Vector, z: Vector) -> Vector:
        """prior_j exp(z_j), normalized."""
        exponents = np.log(prior) + z
        return self.restore(np.exp(exponents - exponents.max()))

    def linear_constraints(self, n: int) -> LinearConstraints:
        E, e = self.affine_hull(n)
        return LinearConstraints(E, e, lower=np.zeros(n), upper=np.full(n, np.inf))
