"""BFGS of limited memory, in compact form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dgesv

from .._types import Matrix, ParamRows, Vector
from ..linalg.blas_threads import one_blas_thread
from ..linalg.hessian_models import DenseMetric, SolvedSystem, System
from ..subproblem.factored_subproblem import is_tall
from .bfgs import LONGER, LOOSER, OBSOLETE


@dataclass(frozen=True, eq=False)
class Beginning:
    """B_0 = delta I + sum_i (c_i - delta) u_i u_i', for orthonormal rows u_i of U: what is known before any pair."""

    delta: float
    U: Matrix
    c: Vector

    def times(self, rows: Matrix) -> Matrix:
        """Rows B_0 x."""
        return self.delta * rows + ((rows @ self.U.T) * (self.c - self.delta)) @ self.U

    def solved(self, rows: Matrix, sigma: float) -> Matrix:
        """Rows (B_0 + sigma I)^-1 x."""
        a = self.delta + sigma
        return rows / a + ((rows @ self.U.T) * (1.0 / (self.c + sigma) - 1.0 / a)) @ self.U


@dataclass(frozen=True, eq=False)
class LimitedBFGS:
    """B = B_0 - W M^-1 W' of the last pairs (Byrd, Nocedal and Schnabel 1994, theorem 2.3).

    W = [B_0 S, Y], M = [[S'B_0 S, L], [L', -D]] with L and D the strictly lower part and the diagonal of S'Y. With
    A = B_0 + sigma I, (B + sigma I)^-1 = A^-1 + A^-1 W (M - W'A^-1 W)^-1 W'A^-1: a system of twice the memory m, and
    O(d (J + m) (m + k)) flops where B_0 knows k directions.
    """

    delta: float
    S: ParamRows
    """The steps, one per row."""
    Y: ParamRows
    """The changes of G' lam along them."""
    ease: float = 1.0
    """delta over the mean curvature of the pairs."""

    @staticmethod
    def start(d: int, delta: float) -> LimitedBFGS:
        return LimitedBFGS(delta, np.empty((0, d)), np.empty((0, d)))

    @property
    def least_curvature(self) -> float:
        """A bound from above on the least eigenvalue, as far as the memory reaches."""
        return self.delta

    @property
    def least_shift(self) -> float:
        return 1e-12 * self.delta

    def flattened(self) -> LimitedBFGS:
        # The older pairs would bring the curvature back.
        return LimitedBFGS.start(self.S.shape[1], self.delta / LONGER)

    def loosened(self) -> LimitedBFGS:
        """The same pairs on a flatter start."""
        return LimitedBFGS(LOOSER * self.delta, self.S, self.Y, LOOSER * self.ease)

    def updated(self, s: Vector, y: Vector, memory: int) -> LimitedBFGS:
        if len(self.S) and self.delta > OBSOLETE * float(y @ y) / float(s @ y):
            return LimitedBFGS.start(s.size, self.delta).updated(s, y, memory)
        S, Y = np.vstack((self.S, s))[-memory:], np.vstack((self.Y, y))[-memory:]
        # The mean over the memory: one pair alone lets the scale of all other directions jump to and fro.
        delta = np.mean(np.einsum("kd,kd->k", Y, Y) / np.einsum("kd,kd->k", S, Y))
        return LimitedBFGS(self.ease * float(delta), S, Y, self.ease)

    def beginning(self, U: Matrix, c: Vector) -> SeededBFGS:
        """The same pairs on top of curvatures c that are known along the rows of U."""
        return SeededBFGS(Beginning(self.delta, U, c), self.S, self.Y)

    def system(self, G: Matrix, sigma: float) -> System | None:
        a = self.delta + sigma
        if not len(self.S) and G.shape[1] < G.shape[0]:
            return SolvedSystem(G / a, factor=G / np.sqrt(a))
        return self.beginning(self.S[:0], np.empty(0)).system(G, sigma)


@dataclass(frozen=True, eq=False)
class SeededBFGS:
    """`LimitedBFGS` with a B_0 that is more than a multiple of the identity; the same cost."""

    base: Beginning
    S: Matrix
    Y: Matrix

    @property
    def least_shift(self) -> float:
        return 1e-12 * self.base.delta

    def dense(self) -> Matrix:
        """B as a matrix."""
        B = self.base.times(np.eye(self.base.U.shape[1]))
        if len(self.S):
            W, M = self._compact()
            *_, T, _ = dgesv(M, W)
            B -= W.T @ T
        return 0.5 * (B + B.T)

    def _compact(self) -> tuple[Matrix, Matrix]:
        """W' and M."""
        BS = self.base.times(self.S)
        SY = self.S @ self.Y.T
        lower = np.tril(SY, -1)
        M = np.block([[self.S @ BS.T, lower], [lower.T, -np.diag(np.diag(SY))]])
        return np.vstack((BS, self.Y)), M

    def system(self, G: Matrix, sigma: float) -> System | None:
        with one_blas_thread():
            return self._system(G, sigma)

    def _system(self, G: Matrix, sigma: float) -> System | None:
        if is_tall(*G.shape):
            # Fewer parameters than losses: a matrix of their size is less than Q.
            return DenseMetric(self.dense()).system(G, sigma)
        V = self.base.solved(G, sigma)
        Q = V @ G.T
        if len(self.S):
            W, M = self._compact()
            AW = self.base.solved(W, sigma)
            WG = AW @ G.T
            *_, T, info = dgesv(M - W @ AW.T, WG)
            if info != 0 or not np.isfinite(T).all():
                return None
            V = V + T.T @ AW
            Q = Q + WG.T @ T
        return SolvedSystem(V, 0.5 * (Q + Q.T))
