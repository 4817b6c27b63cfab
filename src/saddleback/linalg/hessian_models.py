"""Steps in a metric: (D) with Q = G P^-1 G' and the direction p = -P^-1 G' lam, for P = B + sigma I."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf, dtrtrs

from .._types import Matrix, Vector


class System(Protocol):
    """One factored P with one Jacobian."""

    @property
    def Q(self) -> Matrix | None:
        """G P^-1 G'; None where ``factor`` stands for it."""

    @property
    def factor(self) -> Matrix | None:
        """F with F F' = G P^-1 G', of shape (J, d), where there is one."""

    def direction(self, lam: Vector) -> Vector:
        """p = -P^-1 G' lam."""


class Metric(Protocol):
    """A model B of the Hessian of <lam, f>."""

    @property
    def least_shift(self) -> float:
        """A sigma that is more than the rounding of B."""

    def system(self, G: Matrix, sigma: float) -> System | None:
        """P = B + sigma I, factored; None where P is not positive definite."""


@dataclass(frozen=True, eq=False)
class CholeskySystem:
    """P = L L': F' = L^-1 G', p = -L^-T F' lam."""

    L: Matrix
    factor: Matrix
    Q: None = None

    def direction(self, lam: Vector) -> Vector:
        p: Vector = dtrtrs(self.L, lam @ self.factor, lower=1, trans=1)[0]
        return -p


@dataclass(frozen=True, eq=False)
class SolvedSystem:
    """V = G P^-1, for a P whose inverse is cheap to apply: Q = V G', or a factor of it, and p = -V' lam."""

    V: Matrix
    Q: Matrix | None = None
    factor: Matrix | None = None

    def direction(self, lam: Vector) -> Vector:
        return -(lam @ self.V)


@dataclass(frozen=True, eq=False)
class DenseMetric:
    """B as a matrix. A system costs d^3/3 + d^2 J flops."""

    B: Matrix

    @property
    def least_shift(self) -> float:
        return 1e-12 * float(self.B.diagonal().max())

    def system(self, G: Matrix, sigma: float) -> CholeskySystem | None:
        P = self.B
        if sigma != 0:
            P = P.copy()
            P.ravel()[:: len(P) + 1] += sigma
        # LAPACK reads matrices by columns; P is symmetric, so that its transpose is itself.
        L, info = dpotrf(P.T, lower=1, clean=0)
        pivots = L.diagonal()
        # A pivot that rounding made is none.
        if info != 0 or not pivots.item(pivots.argmin()) > 1e-7 * pivots.item(pivots.argmax()):
            return None
        # By rows F L' = G: the transpose of a C-ordered array is what BLAS reads without a copy.
        return CholeskySystem(L, dtrsm(1.0, L, G.T, lower=1).T)
