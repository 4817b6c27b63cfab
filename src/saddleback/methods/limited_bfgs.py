"""Limited-memory BFGS in compact form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg.lapack import dgesv

from .._types import Matrix, ParamRows, Vector
from ..linalg.blas_threads import one_blas_thread
from ..linalg.hessian_models import SMALLEST_SHIFT_RATIO, ShiftedSystem, SolvedSystem, cholesky_system
from ..subproblem.factored_subproblem import is_tall
from .bfgs import CONTROL


@dataclass(frozen=True, eq=False)
class InitialHessian:
    """B_0 = delta I + sum_i (c_i - delta) u_i u_i', for orthonormal rows u_i of U: the model before any pair."""

    delta: float
    U: Matrix
    c: Vector

    def times(self, rows: Matrix) -> Matrix:
        """B_0 x for every row x."""
        return self.delta * rows + ((rows @ self.U.T) * (self.c - self.delta)) @ self.U

    def solve(self, rows: Matrix, sigma: float) -> Matrix:
        """(B_0 + sigma I)^-1 x for every row x."""
        a = self.delta + sigma
        return rows / a + ((rows @ self.U.T) * (1.0 / (self.c + sigma) - 1.0 / a)) @ self.U


@final
@dataclass(frozen=True, eq=False)
class LimitedBFGS:
    """B = B_0 - W M^-1 W' of the last pairs with B_0 = delta I (Byrd, Nocedal and Schnabel 1994, theorem 2.3).

    W = [B_0 S, Y], M = [[S'B_0 S, L], [L', -D]] with L and D the strictly lower part and the diagonal of S'Y. With
    A = B_0 + sigma I, (B + sigma I)^-1 = A^-1 + A^-1 W (M - W'A^-1 W)^-1 W'A^-1. Cost for m pairs: a system of size
    2 m, and O(d (J + m) (m + k)) flops where B_0 is known along k directions.
    """

    delta: float
    S: ParamRows
    """The steps s of the pairs, one per row."""
    Y: ParamRows
    """The changes y of G' lam along them."""
    delta_factor: float = 1.0
    """delta over the mean of y'y/s'y: less than 1 after `with_smaller_initial`."""

    @staticmethod
    def start(d: int, delta: float) -> LimitedBFGS:
        return LimitedBFGS(delta, np.empty((0, d)), np.empty((0, d)))

    @property
    def smallest_eigenvalue_bound(self) -> float:
        """An upper bound of the smallest eigenvalue of B, in directions without a pair."""
        return self.delta

    @property
    def smallest_shift(self) -> float:
        return SMALLEST_SHIFT_RATIO * self.delta

    def scaled_down(self) -> LimitedBFGS:
        """B after a step along which the losses are flat: smaller, without the pairs, which would rescale delta."""
        return LimitedBFGS.start(self.S.shape[1], self.delta / CONTROL.flat_step_divisor)

    def with_smaller_initial(self) -> LimitedBFGS:
        """The same pairs on a smaller initial Hessian."""
        factor = CONTROL.smaller_initial
        return LimitedBFGS(factor * self.delta, self.S, self.Y, factor * self.delta_factor)

    def updated(self, s: Vector, y: Vector, memory: int) -> LimitedBFGS:
        """B with one more pair; only the last ``memory`` pairs are kept."""
        if len(self.S) and self.delta > CONTROL.obsolete_ratio * float(y @ y) / float(s @ y):
            return LimitedBFGS.start(s.size, self.delta).updated(s, y, memory)
        S, Y = np.vstack((self.S, s))[-memory:], np.vstack((self.Y, y))[-memory:]
        # The mean over the memory: with the last pair alone, delta oscillates from step to step.
        delta = np.mean(np.einsum("kd,kd->k", Y, Y) / np.einsum("kd,kd->k", S, Y))
        return LimitedBFGS(self.delta_factor * float(delta), S, Y, self.delta_factor)

    def with_initial(self, U: Matrix, c: Vector) -> CompactBFGS:
        """The same pairs on an initial Hessian with the eigenvalues c along the orthonormal rows of U."""
        return CompactBFGS(InitialHessian(self.delta, U, c), self.S, self.Y)

    def system(self, G: Matrix, sigma: float) -> ShiftedSystem | None:
        a = self.delta + sigma
        if not len(self.S) and G.shape[1] < G.shape[0]:
            return SolvedSystem(G / a, factor=G / np.sqrt(a), root=np.sqrt(a))
        return self.with_initial(self.S[:0], np.empty(0)).system(G, sigma)


@dataclass(frozen=True, eq=False)
class CompactBFGS:
    """The compact form of `LimitedBFGS` on any `InitialHessian`, at the same cost."""

    initial: InitialHessian
    S: Matrix
    Y: Matrix

    @property
    def smallest_shift(self) -> float:
        return SMALLEST_SHIFT_RATIO * self.initial.delta

    def dense(self) -> Matrix:
        """B as a matrix."""
        B = self.initial.times(np.eye(self.initial.U.shape[1]))
        if len(self.S):
            W, M = self._compact()
            *_, T, _ = dgesv(M, W)
            B -= W.T @ T
        return 0.5 * (B + B.T)

    def _compact(self) -> tuple[Matrix, Matrix]:
        """W' and M."""
        BS = self.initial.times(self.S)
        SY = self.S @ self.Y.T
        lower = np.tril(SY, -1)
        M = np.block([[self.S @ BS.T, lower], [lower.T, -np.diag(np.diag(SY))]])
        return np.vstack((BS, self.Y)), M

    def system(self, G: Matrix, sigma: float) -> ShiftedSystem | None:
        with one_blas_thread():
            return self._system(G, sigma)

    def _system(self, G: Matrix, sigma: float) -> ShiftedSystem | None:
        if is_tall(*G.shape):
            # With fewer parameters than losses, a d x d matrix is smaller than Q.
            return cholesky_system(self.dense(), G, sigma)
        V = self.initial.solve(G, sigma)
        Q = V @ G.T
        if len(self.S):
            W, M = self._compact()
            AW = self.initial.solve(W, sigma)
            WG = AW @ G.T
            *_, T, info = dgesv(M - W @ AW.T, WG)
            if info != 0 or not np.isfinite(T).all():
                return None
            V = V + T.T @ AW
            Q = Q + WG.T @ T
        return SolvedSystem(V, 0.5 * (Q + Q.T))
