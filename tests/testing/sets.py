"""A set as users write them, with an interior and a size of its own, and one with a wrong derivative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from saddleback import IncompatibleError, ProblemError, Simplex
from saddleback.dual_sets import DualSet


@dataclass(frozen=True)
class Disk(DualSet):
    """The unit disk of fixed dimension: no affine hull, not polyhedral."""

    dimension: int = 3

    @property
    def size(self):
        return self.dimension

    def validate(self, n):
        if n != self.dimension:
            raise ProblemError(f"the disk is in R^{self.dimension}; got {n}.")

    def barrier_parameter(self, n):
        return 1.0

    def barrier(self, lam):
        slack = 1.0 - lam @ lam
        return -np.log(slack) if slack > 0 else np.inf

    def barrier_gradient(self, lam):
        return 2.0 * lam / (1.0 - lam @ lam)

    def barrier_hessian(self, lam):
        slack = 1.0 - lam @ lam
        return 2.0 / slack * np.eye(lam.size) + 4.0 / slack**2 * np.outer(lam, lam)

    def affine_hull(self, n):
        return np.zeros((0, n)), np.zeros(0)

    def center(self, n):
        return np.zeros(n)

    def support(self, z):
        length = np.linalg.norm(z)
        return length, z / length if length > 0 else np.zeros_like(z)

    def contains(self, lam, tol=1e-12):
        return bool(np.linalg.norm(lam) <= 1.0 + tol)

    def restore(self, lam):
        return lam / max(1.0, np.linalg.norm(lam))

    def project(self, x):
        return self.restore(x)

    def tilt(self, prior, z):
        raise IncompatibleError("a disk has negative points.")


class WrongGradient(Simplex):
    def barrier_gradient(self, lam):
        g = super().barrier_gradient(lam)
        g[2] += 0.01 * lam[2] - 0.01 / lam.size
        return g
