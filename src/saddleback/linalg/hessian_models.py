"""Models B of the Hessian of <lam, f>, and P = B + sigma I factored for (D) with Q = G P^-1 G'."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf, dtrtrs

from .._types import Matrix, Vector
from .sparse_jacobian import SparseJacobian

# Treat Cholesky pivots below this share of the largest as not positive definite: they are rounding errors.
SMALLEST_PIVOT_RATIO = 1e-7
# The smallest shift that is more than the rounding errors of B, relative to the largest diagonal entry of B.
SMALLEST_SHIFT_RATIO = 1e-12


class ShiftedSystem(Protocol):
    """P = B + sigma I, factored, together with one Jacobian G."""

    @property
    def Q(self) -> Matrix | None:
        """G P^-1 G'; None where ``factor`` is given instead."""

    @property
    def factor(self) -> Matrix | SparseJacobian | None:
        """F with F F' = G P^-1 G', of shape (J, d); None where Q is given."""

    def direction(self, lam: Vector) -> Vector:
        """p = -P^-1 G' lam."""


class HasPrimalDirection(Protocol):
    """``direction_of(u)``: the p with F u = G p for the factor F of Q, which is that of lam where u = -F' lam."""

    def direction_of(self, u: Vector) -> Vector: ...


class HessianModel(Protocol):
    """A model B of the Hessian of <lam, f>."""

    @property
    def smallest_shift(self) -> float:
        """A sigma that is more than the rounding errors of B."""

    def system(self, G: Matrix, sigma: float) -> ShiftedSystem | None:
        """P = B + sigma I, factored; None where P is not positive definite."""


@dataclass(frozen=True, eq=False)
class CholeskySystem:
    """P = L L': F' = L^-1 G', p = -L^-T F' lam."""

    L: Matrix
    factor: Matrix
    Q: None = None

    def direction(self, lam: Vector) -> Vector:
        return self.direction_of(-(lam @ self.factor))

    def direction_of(self, u: Vector) -> Vector:
        p: Vector = dtrtrs(self.L, u, lower=1, trans=1)[0]
        return p


@dataclass(frozen=True, eq=False)
class SolvedSystem:
    """V = G P^-1, for a P whose inverse is cheap to apply: Q = V G', or a factor of it, and p = -V' lam."""

    V: Matrix
    Q: Matrix | None = None
    factor: Matrix | None = None
    """G P^-1/2, for a diagonal P."""
    root: Vector | float = 1.0
    """P^1/2, where the factor is given."""

    def direction(self, lam: Vector) -> Vector:
        return -(lam @ self.V)

    def direction_of(self, u: Vector) -> Vector:
        return np.asarray(u / self.root)


@dataclass(frozen=True, eq=False)
class SparseSystem:
    """A sparse G and a diagonal P, given by its root: F = G P^-1/2."""

    G: SparseJacobian
    root: Vector
    Q: None = None

    @cached_property
    def factor(self) -> SparseJacobian:
        return self.G.rescaled(self.root)

    def direction(self, lam: Vector) -> Vector:
        return -self.G.slope(lam) / self.root**2

    def direction_of(self, u: Vector) -> Vector:
        return u / self.root


@dataclass(frozen=True, eq=False)
class DenseHessianModel:
    """B as a matrix. A system costs d^3/3 + d^2 J flops."""

    matrix: Matrix

    @property
    def smallest_shift(self) -> float:
        return SMALLEST_SHIFT_RATIO * float(self.matrix.diagonal().max())

    def system(self, G: Matrix, sigma: float) -> CholeskySystem | None:
        return cholesky_system(self.matrix, G, sigma)


def cholesky_system(B: Matrix, G: Matrix, sigma: float) -> CholeskySystem | None:
    """P = B + sigma I by its Cholesky factor; None where P is not positive definite beyond rounding."""
    P = B
    if sigma != 0:
        P = P.copy()
        P.ravel()[:: len(P) + 1] += sigma
    # LAPACK reads matrices by columns; P is symmetric, so that its transpose is itself.
    L, info = dpotrf(P.T, lower=1, clean=0)
    pivots = L.diagonal()
    if info != 0 or not pivots.item(pivots.argmin()) > SMALLEST_PIVOT_RATIO * pivots.item(pivots.argmax()):
        return None
    # By rows F L' = G: the transpose of a C-ordered array is what BLAS reads without a copy.
    return CholeskySystem(L, dtrsm(1.0, L, G.T, lower=1).T)
