"""The Newton system of the barrier problem on the affine hull of Lambda."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dposv, dpotrs

from ..._types import Matrix, Vector
from ...linalg.hessians import Dense, Diagonal, Gram, Hessian, Spectral, gram_solve
from ...linalg.regularized_cholesky import regularized_cholesky
from ..dual_subproblem import DualSubproblem
from ..factored_subproblem import FactoredSubproblem, low_rank_factor


@dataclass(frozen=True)
class NewtonSystemControl:
    """The numbers that choose and regularize Newton systems."""

    regularizations: tuple[float, ...] = (0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-6, 1e-3)
    """Multiples of I that are added in turn until a Cholesky factorization succeeds; the matrix has a unit diagonal."""
    narrow_share: float = 0.7
    """A factor of Q with at most this many columns per row is used instead of Q: it is cheaper, as measured."""
    narrow_from_rows: int = 200
    """The factor is used from this many rows on, where C is diagonal."""
    narrow_from_rows_beside: int = 1000
    """The same where C is diagonal plus a few rows. A dense factorization is a digit or two more accurate there, and
    affordable for fewer rows."""


CONTROL = NewtonSystemControl()


class NewtonSystem(Protocol):
    """The block system  [[H, E'], [E, 0]] [d, y] = [r, 0]  with H = C + tau Q symmetric and positive definite."""

    def solve(self, r: Vector) -> Vector:
        """The d with H d + E' y = r for some y, and E d = 0."""


def newton_system(C: Hessian, tau: float, subproblem: DualSubproblem, E: Matrix) -> NewtonSystem:
    """The cheapest way to solve with C + tau Q, for C = tau R'' + B''."""
    if isinstance(C, Spectral):
        return _RotatedSystem(C, tau, subproblem, E)
    clock, n = subproblem.adversary.clock, subproblem.c.size
    parts = narrow_parts(C, subproblem)
    if parts is not None:
        d, F, V = parts
        clock.check(2.0 * F.size * F.shape[1])
        return NarrowSystem(d, tau, F, E, V)
    if isinstance(C, Gram):
        clock.check(2.0 * len(C.M) * n**2)
        return GramSystem(C.plus(Gram(np.sqrt(tau) * _root(subproblem).T)), E)
    clock.check(n**3 / 3)
    return DenseSystem(C.plus(Dense(tau * subproblem.Q)).dense(), E)


def narrow_parts(C: Hessian, subproblem: DualSubproblem) -> tuple[Vector, Matrix, Matrix] | None:
    """(d, F, V) with C = diag d + V'V and Q = F F', so that no J x J matrix is formed; None unless F is tall and V has
    few rows."""
    if subproblem.c.size < CONTROL.narrow_from_rows or not isinstance(subproblem, FactoredSubproblem):
        return None
    parts, F = C.diagonal_and_rows(), subproblem.factor
    return (parts[0], F, parts[1]) if parts is not None and stays_narrow(C, *F.shape) else None


def stays_narrow(C: Hessian, n: int, r: int) -> bool:
    """Whether C of n rows and a factor of Q of r columns make a `NarrowSystem` that is cheaper than a dense one."""
    parts = C.diagonal_and_rows() if n >= CONTROL.narrow_from_rows else None
    if parts is None or r + len(parts[1]) > CONTROL.narrow_share * n:
        return False
    return not len(parts[1]) or n >= CONTROL.narrow_from_rows_beside


class DenseSystem:
    """Block elimination (paper, eq. "solution-kkt") with H as a matrix, scaled to D H D with D = diag(H)^-1/2.

    With this scaling the rows of coordinates near the boundary, where the barrier's Hessian is huge, are as accurate as
    the others. One Cholesky factorization, n^3/3 flops; each right-hand side costs n^2. H is overwritten.
    """

    def __init__(self, H: Matrix, E: Matrix) -> None:
        self._D = 1.0 / np.sqrt(H.diagonal())
        H *= self._D
        H *= self._D[:, None]
        self._factor = regularized_cholesky(H, CONTROL.regularizations)
        self._E = E * self._D
        self._W = dpotrs(self._factor, self._E.T, lower=1)[0] if len(E) else self._E.T
        self._S = self._E @ self._W

    def solve(self, r: Vector) -> Vector:
        d: Vector = dpotrs(self._factor, _without_normal(self._D * r, self._E, self._W, self._S), lower=1)[0]
        _onto_hull(d, self._E, self._W, self._S)
        d *= self._D
        return d


class GramSystem:
    """H = M'M by an orthogonal factorization of M: forming M'M would lose half of the digits. (m + r) n^2 flops."""

    def __init__(self, H: Hessian, E: Matrix) -> None:
        assert isinstance(H, Gram)
        self._R, self._E = H.factor, E
        self._W = gram_solve(self._R, E.T) if len(E) else E.T
        self._S = E @ self._W

    def solve(self, r: Vector) -> Vector:
        d = gram_solve(self._R, _without_normal(r, self._E, self._W, self._S))
        _onto_hull(d, self._E, self._W, self._S)
        return d


class NarrowSystem:
    """H = diag w + tau F F' + V'V for a factor F of few columns, by the formula of Sherman, Morrison and Woodbury.

    With F scaled by w^-1/2, the inverse without V is I - F (I/tau + F'F)^-1 F': n r^2 + r^3/3 flops for r columns. One
    step of iterative refinement recovers the digits that cancel in the difference where tau F F' is much larger than w.
    The few rows V, whose entries may be larger yet, are eliminated like those of E, with s = V d as multipliers:
    [[H - V'V, V'], [V, -I]] [d, s] = [r, 0].
    """

    def __init__(self, w: Vector, tau: float, F: Matrix, E: Matrix, V: Matrix | None = None) -> None:
        self._D = 1.0 / np.sqrt(w)
        self._F, self._tau = F * self._D[:, None], tau
        # dsyrk takes half of the flops of a product and computes only the lower triangle.
        inner = dsyrk(1.0, self._F, trans=1, lower=1)
        inner[np.diag_indices_from(inner)] += 1.0 / tau
        self._scale = 1.0 / np.sqrt(inner.diagonal())
        scaled = inner * self._scale * self._scale[:, None]
        self._factor = regularized_cholesky(scaled, CONTROL.regularizations)
        self._E, self._C = E * self._D, np.zeros(len(E))
        if V is not None and len(V):
            rows = V * self._D
            lengths = np.linalg.norm(rows, axis=1)
            rows, lengths = rows[lengths > 0], lengths[lengths > 0]
            self._E = np.concatenate((self._E, rows / lengths[:, None]))
            self._C = np.concatenate((self._C, lengths**-2.0))
        self._W = np.array([self._refined(row) for row in self._E]).T if len(self._E) else self._E.T
        self._S = self._E @ self._W + np.diag(self._C)

    def _inverse(self, r: Vector) -> Vector:
        y = dpotrs(self._factor, self._scale * r.dot(self._F), lower=1)[0]
        x: Vector = r - self._F.dot(self._scale * y)
        return x

    def _refined(self, r: Vector) -> Vector:
        x = self._inverse(r)
        return x + self._inverse(r - x - self._tau * self._F.dot(x.dot(self._F)))

    def solve(self, r: Vector) -> Vector:
        r = self._D * r
        if not len(self._E):
            return self._refined(r) * self._D
        y = dposv(self._S, r @ self._W)[1]
        d = self._refined(r - y @ self._E)
        # Twice, because the first subtraction leaves rounding errors.
        for _ in range(2):
            change = dposv(self._S, self._E @ d - self._C * y)[1]
            d -= self._W @ change
            y = y + change
        d *= self._D
        return d


class _RotatedSystem:
    """The system in the basis of eigenvectors of the matrix lam, in which C is diagonal."""

    def __init__(self, C: Spectral, tau: float, subproblem: DualSubproblem, E: Matrix) -> None:
        self._basis, w, E = C, C.weights, C.rotate(E)
        if isinstance(subproblem, FactoredSubproblem) and subproblem.factor.shape[1] <= CONTROL.narrow_share * w.size:
            F = C.rotate(subproblem.factor.T).T
            self._system: NewtonSystem = NarrowSystem(w, tau, F, E)
        else:
            subproblem.adversary.clock.check(w.size**3 / 3)
            Q = C.rotate(C.rotate(subproblem.Q).T)
            self._system = DenseSystem(Dense(tau * Q).plus(Diagonal(w)).dense(), E)

    def solve(self, r: Vector) -> Vector:
        d = self._system.solve(self._basis.rotate(r[None, :])[0])
        return self._basis.unrotate(d[None, :])[0]


def _root(subproblem: DualSubproblem) -> Matrix:
    """F with F F' = Q, and no more columns than rows."""
    return np.sqrt(subproblem.scale or 1.0) * low_rank_factor(subproblem)


def _without_normal(r: Vector, E: Matrix, W: Matrix, S: Matrix) -> Vector:
    """r minus E'y for the multipliers y of the solution: E'y does not change d, but its rounding errors would."""
    return r - dposv(S, r @ W)[1] @ E if len(E) else r


def _onto_hull(d: Vector, E: Matrix, W: Matrix, S: Matrix) -> None:
    """Make E d = 0 by a change along W = H^-1 E'; twice, because the first subtraction leaves rounding errors."""
    if len(E):
        for _ in range(2):
            d -= W @ dposv(S, E @ d)[1]
