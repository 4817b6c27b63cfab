"""sum_i p_i F_i for unit matrices F_i, and the Schur complement of a semidefinite program in p."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dtrtri

from ..._types import Matrix, Vector
from ...linalg import svec


@dataclass(frozen=True)
class PencilControl:
    """The numbers that choose the form of a pencil, as measured with one thread."""

    gather_flops: float = 40.0
    """A coefficient of the Schur complement at two positions takes as long as this many flops of a matrix product."""
    block_rows: int = 128
    """The Schur complement is gathered by so many rows at once: their temporaries stay in the cache."""
    most_positions: int = 6000
    """With more positions at which some F_i is not zero, a matrix of positions by positions takes too much memory."""


CONTROL = PencilControl()


@dataclass(frozen=True, eq=False)
class Scaling:
    """A positive definite X with Z > 0: what the Schur complement is made of."""

    X: Matrix
    X_factor: Matrix
    """Lower, with zeros above."""
    Z_factor: Matrix
    Z_inverse: Matrix


class Pencil(Protocol):
    """The map p -> sum_i p_i F_i to symmetric k x k matrices, each F_i of Frobenius norm one."""

    @property
    def n(self) -> int:
        """How many matrices there are."""

    def matrix(self, p: Vector) -> Matrix:
        """sum_i p_i F_i."""

    def inner(self, X: Matrix) -> Vector:
        """<F_i, X>, one per i."""

    def schur(self, at: Scaling) -> Matrix:
        """M_ij = <F_i, X F_j Z^-1>, positive semidefinite; at least its lower triangle is computed."""

    @property
    def schur_flops(self) -> float:
        """About how many flops a Schur complement takes."""


class SparsePencil:
    """F_i that are zero outside of a set S of positions: M = B'K B with K over pairs of positions.

    B holds the svec coordinates of the F_i at S, and K_st = <E_s, X E_t Z^-1> for the unit matrices E_s takes four
    products of entries of X and Z^-1 (Fujisawa, Kojima and Nakata 1997, formula F3): O(|S|^2) instead of O(k^3) per
    F_i. Where every F_i has a position of its own, as in Lovasz' theta, B is diagonal and M = B K B.
    """

    def __init__(self, k: int, positions: NDArray[np.intp], B: Matrix) -> None:
        owners = _owners(B)
        if owners is not None:
            positions, B = positions[owners], B[owners]
        rows, columns = (index[positions] for index in np.tril_indices(k))
        self._k, self._rows, self._columns = k, rows, columns
        self._weights = np.where(rows == columns, 1.0, svec.ROOT_TWO)
        self._B = B
        self._diagonal = None if owners is None else B.diagonal().copy()

    @property
    def n(self) -> int:
        return int(self._B.shape[1])

    @property
    def schur_flops(self) -> float:
        return sparse_flops(*self._B.shape)

    def matrix(self, p: Vector) -> Matrix:
        entries = (self._B.dot(p) if self._diagonal is None else self._diagonal * p) / self._weights
        full = np.zeros((self._k, self._k))
        full[self._rows, self._columns] = entries
        full[self._columns, self._rows] = entries
        return full

    def inner(self, X: Matrix) -> Vector:
        coordinates = self._weights * X[self._rows, self._columns]
        return coordinates.dot(self._B) if self._diagonal is None else coordinates * self._diagonal

    def schur(self, at: Scaling) -> Matrix:
        K = self._over_positions(at.X, at.Z_inverse)
        if self._diagonal is not None:
            K *= self._diagonal
            K *= self._diagonal[:, None]
            return K
        K += np.tril(K, -1).T
        return self._B.T.dot(K.dot(self._B))

    def _over_positions(self, X: Matrix, W: Matrix) -> Matrix:
        """The lower triangle of K, zero above."""
        p, q = self._rows, self._columns
        K = np.zeros((p.size, p.size))
        for start in range(0, p.size, CONTROL.block_rows):
            end = min(start + CONTROL.block_rows, p.size)
            block, rows, columns = slice(start, end), p[:end], q[:end]
            X_p, X_q, W_p, W_q = X[p[block]], X[q[block]], W[p[block]], W[q[block]]
            some = X_q.take(rows, axis=1) * W_p.take(columns, axis=1)
            some += X_q.take(columns, axis=1) * W_p.take(rows, axis=1)
            some += X_p.take(rows, axis=1) * W_q.take(columns, axis=1)
            some += X_p.take(columns, axis=1) * W_q.take(rows, axis=1)
            # The four products are <A_s, X A_t W> for A_s = e_p e_q' + e_q e_p' = E_s 2/weight.
            some *= (0.5 * self._weights[block])[:, None]
            some *= 0.5 * self._weights[:end]
            K[block, :end] = some
        return np.tril(K)


class DensePencil:
    """Full F_i: M_ij = <R_i, R_j> with R_i = L'F_i N for X = L L' and Z^-1 = N N'. 4 k^3 n + k^2 n^2 flops."""

    def __init__(self, k: int, columns: Matrix) -> None:
        self._columns = columns
        self._matrices = svec.unpack(np.ascontiguousarray(columns.T))

    @property
    def n(self) -> int:
        return int(self._columns.shape[1])

    @property
    def schur_flops(self) -> float:
        return dense_flops(len(self._matrices[0]), self.n)

    def matrix(self, p: Vector) -> Matrix:
        return svec.unpack(self._columns.dot(p))

    def inner(self, X: Matrix) -> Vector:
        return np.asarray(svec.pack(X)).dot(self._columns)

    def schur(self, at: Scaling) -> Matrix:
        n, k, _ = self._matrices.shape
        N = dtrtri(at.Z_factor, lower=1)[0].T
        half = (self._matrices.reshape(-1, k) @ N).reshape(n, k, k)
        # (F_i N)'L as one product of all rows stacked, the transpose of L'F_i N.
        rows = (half.swapaxes(1, 2).reshape(-1, k) @ at.X_factor).reshape(n, k * k)
        return np.asarray(dsyrk(1.0, rows.T, trans=1, lower=1))


def pencil_of(k: int, positions: NDArray[np.intp], B: Matrix) -> Pencil:
    """The cheaper form of the pencil of unit matrices whose svec coordinates are the columns of B at these positions,
    and zero elsewhere."""
    n_positions, n = B.shape
    few = n_positions <= CONTROL.most_positions
    if few and sparse_flops(n_positions, n) < dense_flops(k, n):
        return SparsePencil(k, positions, B)
    columns = np.zeros((svec.length(k), n))
    columns[positions] = B
    return DensePencil(k, columns)


def sparse_flops(n_positions: int, n: int) -> float:
    """The time of M by positions, in flops."""
    own = 0.0 if n_positions == n else 2.0 * n_positions * n * (n_positions + n)
    return 0.5 * CONTROL.gather_flops * n_positions**2 + own


def dense_flops(k: int, n: int) -> float:
    """The time of M by congruences, in flops."""
    return 4.0 * k**3 * n + float(k) ** 2 * n**2


def _owners(B: Matrix) -> NDArray[np.intp] | None:
    """The position of each F_i, if every F_i has just one and no two share one; else None."""
    if B.shape[0] != B.shape[1] or np.count_nonzero(B) != len(B):
        return None
    owners = np.abs(B).argmax(axis=0)
    return owners if np.unique(owners).size == len(B) and B.any(axis=0).all() else None
