"""Three sets that are nothing like the simplex, to show that the solvers read only the barrier protocol."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from saddleback.dual_sets import DualSet, LinearConstraints


@dataclass(frozen=True)
class UnitBox(DualSet):
    """{-1 <= lam <= 1}: no affine hull, two bounds per coordinate, a diagonal Hessian; nu = 2n."""

    def validate(self, n):
        assert n >= 1

    def barrier_parameter(self, n):
        return 2.0 * n

    def barrier(self, lam):
        return -float(np.log1p(-(lam**2)).sum()) if np.abs(lam).max() < 1 else np.inf

    def barrier_gradient(self, lam):
        return 2 * lam / (1 - lam**2)

    def barrier_hessian(self, lam):
        return 1 / (1 - lam) ** 2 + 1 / (1 + lam) ** 2

    def affine_hull(self, n):
        return np.zeros((0, n)), np.zeros(0)

    def center(self, n):
        return np.zeros(n)

    def support(self, z):
        return float(np.abs(z).sum()), np.sign(z)

    def contains(self, lam, tol=1e-12):
        return bool(np.abs(lam).max() <= 1 + tol)

    def restore(self, lam):
        return np.clip(lam, -1.0, 1.0)

    def project(self, x):
        return np.clip(x, -1.0, 1.0)

    def linear_constraints(self, n):
        E, e = self.affine_hull(n)
        return LinearConstraints(E, e, lower=np.full(n, -1.0), upper=np.ones(n))


@dataclass(frozen=True)
class UnitBall(DualSet):
    """{|lam| <= 1}: not polyhedral, a full Hessian; nu = 1."""

    def validate(self, n):
        assert n >= 1

    def barrier_parameter(self, n):
        return 1.0

    def barrier(self, lam):
        slack = 1 - lam @ lam
        return -float(np.log(slack)) if slack > 0 else np.inf

    def barrier_gradient(self, lam):
        return 2 * lam / (1 - lam @ lam)

    def barrier_hessian(self, lam):
        slack = 1 - lam @ lam
        return 2 * np.eye(lam.size) / slack + 4 * np.outer(lam, lam) / slack**2

    def affine_hull(self, n):
        return np.zeros((0, n)), np.zeros(0)

    def center(self, n):
        return np.zeros(n)

    def support(self, z):
        norm = float(np.linalg.norm(z))
        return norm, z / norm if norm else z

    def contains(self, lam, tol=1e-12):
        return bool(lam @ lam <= 1 + tol)

    def restore(self, lam):
        return lam / max(1.0, float(np.linalg.norm(lam)))

    def project(self, x):
        return self.restore(x)


@dataclass(frozen=True)
class Weights(DualSet):
    """{0 <= lam <= upper}: total weights from 0 to n upper; nu = 2n."""

    upper: float = 1.0

    def validate(self, n):
        assert n >= 1

    def barrier_parameter(self, n):
        return 2.0 * n

    def barrier(self, lam):
        slack = np.minimum(lam, self.upper - lam)
        return -float(np.log(lam).sum() + np.log(self.upper - lam).sum()) if slack.min() > 0 else np.inf

    def barrier_gradient(self, lam):
        return 1 / (self.upper - lam) - 1 / lam

    def barrier_hessian(self, lam):
        return 1 / (self.upper - lam) ** 2 + 1 / lam**2

    def affine_hull(self, n):
        return np.zeros((0, n)), np.zeros(0)

    def center(self, n):
        return np.full(n, self.upper / 2)

    def support(self, z):
        return self.upper * float(np.maximum(z, 0).sum()), self.upper * (z > 0)

    def contains(self, lam, tol=1e-12):
        return bool(lam.min() >= -tol and lam.max() <= self.upper + tol)

    def restore(self, lam):
        return np.clip(lam, 0.0, self.upper)
