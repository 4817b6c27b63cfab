"""Systems of limited-memory BFGS, from the inner products of their rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dgesv

from .._types import Matrix, Vector
from ..linalg.blas_threads import one_blas_thread
from ..linalg.gram import combination, products
from ..linalg.hessian_models import SMALLEST_SHIFT_RATIO, ShiftedSystem, cholesky_system
from ..subproblem.factored_subproblem import is_tall


@dataclass(frozen=True, eq=False)
class CompactBFGS:
    """B = B_0 - W M^-1 W' with B_0 = delta I + sum_i (c_i - delta) u_i u_i', for orthonormal rows u_i of U = E C.

    W' = [S B_0; Y], M = [[S B_0 S', L], [L', -D]] with L and D the strictly lower part and the diagonal of S Y'. With
    A = B_0 + sigma I, (B + sigma I)^-1 = A^-1 + A^-1 W (M - W'A^-1 W)^-1 W'A^-1 (docs/mathematics.md, 6).
    Every vector is a combination of the rows of S, Y, C and G, so that with their inner products a system costs no
    products of length d, and a direction one pass over the rows.
    """

    delta: float
    S: Matrix
    Y: Matrix
    gradients: tuple[Matrix, ...]
    """C, in blocks."""
    gram: Matrix
    """Inner products of the rows of S, Y and C."""
    E: Matrix
    c: Vector

    @property
    def smallest_shift(self) -> float:
        return SMALLEST_SHIFT_RATIO * self.delta

    def dense(self) -> Matrix:
        """B as a matrix."""
        d, delta, c = self.S.shape[1], self.delta, self.c
        U = self.E @ np.concatenate(self.gradients) if len(self.E) else np.empty((0, d))
        B = delta * np.eye(d) + (U.T * (c - delta)) @ U
        if len(self.S):
            BS = delta * self.S + ((self.S @ U.T) * (c - delta)) @ U
            SY = self.S @ self.Y.T
            lower, W = np.tril(SY, -1), np.concatenate((BS, self.Y))
            *_, T, _ = dgesv(np.block([[self.S @ BS.T, lower], [lower.T, -np.diag(np.diag(SY))]]), W)
            B -= W.T @ T
        return 0.5 * (B + B.T)

    def system(self, G: Matrix, sigma: float) -> ShiftedSystem | None:
        with one_blas_thread():
            if is_tall(*G.shape):
                # With fewer parameters than losses, a d x d matrix is smaller than Q.
                return cholesky_system(self.dense(), G, sigma)
            return self._system(G, sigma)

    def _system(self, G: Matrix, sigma: float) -> ShiftedSystem | None:
        m, gram, E, c, delta = len(self.S), self.gram, self.E, self.c, self.delta
        a = delta + sigma
        # A^-1 and A^-1 B_0 are multiples of I across U; along it they differ by these.
        inverse, ratio = 1.0 / (c + sigma) - 1.0 / a, c / (c + sigma) - delta / a
        has_G = bool(self.gradients) and same_rows(self.gradients[-1], G)
        ZG, GG = self._known_products(len(G)) if has_G else self._products(G)
        UG, US, UY = E @ ZG[2 * m :], E @ gram[2 * m :, :m], E @ gram[2 * m :, m : 2 * m]
        Q = GG / a + (UG.T * inverse) @ UG
        T = np.empty((0, len(G)))
        if m:
            WG = np.concatenate((delta / a * ZG[:m] + (US.T * ratio) @ UG, ZG[m : 2 * m] / a + (UY.T * inverse) @ UG))
            SS, SY, YY = gram[:m, :m], gram[:m, m : 2 * m], gram[m : 2 * m, m : 2 * m]
            # M - W'A^-1 W with its differences taken by hand: for sigma = 0 the first block is zero.
            shrunk = sigma * (c / (c + sigma) - delta / a)
            first = (sigma * delta / a) * SS + (US.T * shrunk) @ US
            second = np.tril(SY, -1) - delta / a * SY - (US.T * ratio) @ UY
            third = -np.diag(SY.diagonal()) - YY / a - (UY.T * inverse) @ UY
            *_, T, info = dgesv(np.block([[first, second], [second.T, third]]), WG)
            if info != 0 or not np.isfinite(T).all():
                return None
            Q = Q + WG.T @ T
        # The row vector lam' G P^-1 is a combination of rows: of G, of S and Y, and of C through U.
        of_U = inverse[:, None] * (UG + UY @ T[m:]) + ratio[:, None] * (US @ T[:m])
        coefficients = np.concatenate((delta / a * T[:m], T[m:] / a, E.T @ of_U))
        blocks = (G, self.S, self.Y, *self.gradients)
        coefficients = np.concatenate((np.eye(len(G)) / a, coefficients))
        if has_G:
            coefficients[: len(G)] += coefficients[-len(G) :]
            blocks, coefficients = blocks[:-1], coefficients[: -len(G)]
        return SpanSystem(blocks, coefficients, 0.5 * (Q + Q.T))

    def _known_products(self, J: int) -> tuple[Matrix, Matrix]:
        """Inner products of the rows of S, Y and C with those of G, and of G with G, for G the end of C."""
        n = len(self.gram)
        return self.gram[:, n - J :], self.gram[n - J :, n - J :]

    def _products(self, G: Matrix) -> tuple[Matrix, Matrix]:
        return products(G, (self.S, self.Y, *self.gradients)).T, G @ G.T


def same_rows(rows: Matrix, G: Matrix) -> bool:
    """Whether two arrays are equal, at no cost where they are one."""
    return rows is G or (rows.shape == G.shape and rows.item(0) == G.item(0) and np.array_equal(rows, G))


@dataclass(frozen=True, eq=False)
class SpanSystem:
    """G P^-1 as combinations of rows in blocks; Q comes from their inner products."""

    blocks: tuple[Matrix, ...]
    coefficients: Matrix
    """One row per row of the blocks, one column per loss."""
    Q: Matrix
    factor: None = None

    def direction(self, lam: Vector) -> Vector:
        cuts = np.cumsum([len(block) for block in self.blocks])[:-1]
        with one_blas_thread():
            return combination(np.split(self.coefficients @ -lam, cuts), self.blocks)
