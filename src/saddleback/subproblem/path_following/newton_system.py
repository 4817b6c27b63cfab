"""The Newton system of the barrier problem on the affine hull of Lambda."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dposv, dpotrf, dpotrs

from ..._types import Matrix, Vector
from ...linalg.hessians import Dense, Diagonal, Gram, Hessian, Spectral, gram_solve
from ..dual_subproblem import DualSubproblem
from ..factored_subproblem import FactoredSubproblem, low_rank_factor

# The scaled matrix has a unit diagonal, so that these are relative perturbations; the first is none.
REGULARIZATIONS = (0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-6, 1e-3)
# Where a factor of Q has this share of as many columns as rows at most, systems of its size are cheaper.
NARROW = 0.7
# From this many rows on, for a curvature that is diagonal; with rows beside the diagonal from the second number on, as
# a dense factorization has a digit or two more there.
MANY_ROWS, MORE_ROWS = 200, 1000


class NewtonSystem(Protocol):
    """The block system  [[H, E'], [E, 0]] [d, y] = [r, 0]  with H = C + tau Q symmetric and positive definite."""

    def solve(self, r: Vector) -> Vector:
        """The d with H d + E' y = r for some y, and E d = 0."""


def newton_system(curvature: Hessian, tau: float, subproblem: DualSubproblem, E: Matrix) -> NewtonSystem:
    """The cheapest way to solve with C + tau Q, for the curvature C of tau R + B."""
    if isinstance(curvature, Spectral):
        return _RotatedSystem(curvature, tau, subproblem, E)
    clock, n = subproblem.adversary.clock, subproblem.c.size
    parts = narrow_parts(curvature, subproblem)
    if parts is not None:
        d, F, V = parts
        clock.check(2.0 * F.size * F.shape[1])
        return NarrowSystem(d, tau, F, E, V)
    if isinstance(curvature, Gram):
        clock.check(2.0 * len(curvature.M) * n**2)
        return GramSystem(curvature.plus(Gram(np.sqrt(tau) * _root(subproblem).T)), E)
    clock.check(n**3 / 3)
    return DenseSystem(curvature.plus(Dense(tau * subproblem.Q)).dense(), E)


def narrow_parts(curvature: Hessian, subproblem: DualSubproblem) -> tuple[Vector, Matrix, Matrix] | None:
    """(d, F, V) with C = diag d + V'V and Q = F F' for many rows and few columns: nothing of size J x J is then formed.

    None where C or Q have another form.
    """
    if subproblem.c.size < MANY_ROWS or not isinstance(subproblem, FactoredSubproblem):
        return None
    parts, F = curvature.diagonal_and_rows(), subproblem.factor
    return (parts[0], F, parts[1]) if parts is not None and stays_narrow(curvature, *F.shape) else None


def stays_narrow(curvature: Hessian, n: int, r: int) -> bool:
    """Whether a curvature of n rows with a factor of r columns makes a system of few columns that is worth it."""
    parts = curvature.diagonal_and_rows() if n >= MANY_ROWS else None
    return parts is not None and r + len(parts[1]) <= NARROW * n and (not len(parts[1]) or n >= MORE_ROWS)


class DenseSystem:
    """Block elimination (paper, eq. "solution-kkt") with H as a matrix, scaled to D H D with D = diag(H)^-1/2.

    The scaling keeps the rows of coordinates near the boundary, where a barrier's curvature is huge, as accurate as the
    others. One Cholesky factorization, n^3/3 flops; each right-hand side costs n^2. H is overwritten.
    """

    def __init__(self, H: Matrix, E: Matrix) -> None:
        self._D = 1.0 / np.sqrt(H.diagonal())
        H *= self._D
        H *= self._D[:, None]
        self._factor = _cholesky(H)
        self._E = E * self._D
        self._W = dpotrs(self._factor, self._E.T, lower=1)[0] if len(E) else self._E.T
        self._S = self._E @ self._W

    def solve(self, r: Vector) -> Vector:
        d: Vector = dpotrs(self._factor, _less_normal(self._D * r, self._E, self._W, self._S), lower=1)[0]
        _onto_hull(d, self._E, self._W, self._S)
        d *= self._D
        return d


class GramSystem:
    """H = M'M by an orthogonal factorization of M, which keeps the digits that squares lose: (m + r) n^2 flops."""

    def __init__(self, H: Hessian, E: Matrix) -> None:
        assert isinstance(H, Gram)
        self._R, self._E = H.factor, E
        self._W = gram_solve(self._R, E.T) if len(E) else E.T
        self._S = E @ self._W

    def solve(self, r: Vector) -> Vector:
        d = gram_solve(self._R, _less_normal(r, self._E, self._W, self._S))
        _onto_hull(d, self._E, self._W, self._S)
        return d


class NarrowSystem:
    """H = diag w + tau F F' + V'V for a factor F of few columns, by the formula of Sherman, Morrison and Woodbury.

    With F scaled by w^-1/2, the inverse without V is I - F (I/tau + F'F)^-1 F': n r^2 + r^3/3 flops for r columns. One
    step of iterative refinement gives back the digits that the difference loses where tau F F' dwarfs w. The few rows
    V, which may dwarf everything, are eliminated as those of E are, with s = V d as multipliers:
    [[H - V'V, V'], [V, -I]] [d, s] = [r, 0].
    """

    def __init__(self, w: Vector, tau: float, F: Matrix, E: Matrix, V: Matrix | None = None) -> None:
        self._D = 1.0 / np.sqrt(w)
        self._F, self._tau = F * self._D[:, None], tau
        # Half of the flops of a product; only the lower triangle is ever read.
        inner = dsyrk(1.0, self._F, trans=1, lower=1)
        # Scaled to a unit diagonal, as it is factored.
        inner[np.diag_indices_from(inner)] += 1.0 / tau
        self._scale = 1.0 / np.sqrt(inner.diagonal())
        self._factor = _cholesky(inner * self._scale * self._scale[:, None])
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
        # Twice, because the first difference rounds.
        for _ in range(2):
            change = dposv(self._S, self._E @ d - self._C * y)[1]
            d -= self._W @ change
            y = y + change
        d *= self._D
        return d


class _RotatedSystem:
    """A curvature that is diagonal in the basis of eigenvectors of Lam: the same system in that basis."""

    def __init__(self, curvature: Spectral, tau: float, subproblem: DualSubproblem, E: Matrix) -> None:
        self._basis, w, E = curvature, curvature.weights, curvature.rotate(E)
        if isinstance(subproblem, FactoredSubproblem) and subproblem.factor.shape[1] <= NARROW * w.size:
            F = curvature.rotate(subproblem.factor.T).T
            self._system: NewtonSystem = NarrowSystem(w, tau, F, E)
        else:
            subproblem.adversary.clock.check(w.size**3 / 3)
            Q = curvature.rotate(curvature.rotate(subproblem.Q).T)
            self._system = DenseSystem(Dense(tau * Q).plus(Diagonal(w)).dense(), E)

    def solve(self, r: Vector) -> Vector:
        d = self._system.solve(self._basis.rotate(r[None, :])[0])
        return self._basis.unrotate(d[None, :])[0]


def _root(subproblem: DualSubproblem) -> Matrix:
    """F with F F' = Q, and no more columns than rows."""
    return np.sqrt(subproblem.scale or 1.0) * low_rank_factor(subproblem)


def _less_normal(r: Vector, E: Matrix, W: Matrix, S: Matrix) -> Vector:
    """r less its multiplier's share E'y, which would only leave its rounding errors in d."""
    return r - dposv(S, r @ W)[1] @ E if len(E) else r


def _onto_hull(d: Vector, E: Matrix, W: Matrix, S: Matrix) -> None:
    """Take from d what leaves the hull, along W = H^-1 E'; twice, because the first difference rounds."""
    if len(E):
        for _ in range(2):
            d -= W @ dposv(S, E @ d)[1]


def _cholesky(H: Matrix) -> Matrix:
    """The lower Cholesky factor of H, or of H + eps I with the least eps that makes it one."""
    for regularization in REGULARIZATIONS:
        factor, info = dpotrf(H + regularization * np.eye(len(H)) if regularization else H, lower=1, clean=0)
        if info == 0:
            return np.asarray(factor)
    raise np.linalg.LinAlgError("the Hessian of the barrier problem is not positive definite")
