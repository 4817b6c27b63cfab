"""Structured Hessians of barriers and regularizers: diagonal, low rank, Gram, spectral, blocks, dense."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from scipy.linalg import block_diag, qr
from scipy.linalg.lapack import dposv, dtrtrs

from .._types import Matrix, Vector
from . import svec


class Hessian(ABC):
    """A symmetric, positive semidefinite matrix H that keeps its structure under sums and multiples."""

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of rows."""

    @abstractmethod
    def dense(self) -> Matrix:
        """H as a new matrix."""

    @abstractmethod
    def solve(self, rows: Matrix) -> Matrix:
        """rows H^-1; nan where H is numerically not positive definite."""

    def inner(self, rows: Matrix) -> Matrix:
        """rows H^-1 rows': inner products in the dual norm."""
        return rows @ self.solve(rows).T

    @abstractmethod
    def times(self, factor: float) -> Hessian:
        """factor H, for factor >= 0."""

    def diagonal_and_rows(self) -> tuple[Vector, Matrix] | None:
        """(d, V) with H = diag d + V'V for few rows V; None where H has another form."""
        return None

    def plus(self, other: Hessian) -> Hessian:
        """H + other, in the cheapest structure that can represent it."""
        kept = self._absorb(other)
        kept = other._absorb(self) if kept is None else kept
        return Dense(self.dense() + other.dense()) if kept is None else kept

    def _absorb(self, other: Hessian) -> Hessian | None:
        """H + other where this structure can represent it; else None."""
        return None


AnyHessian: TypeAlias = Vector | Matrix | Hessian
"""What a set or a regularizer may return: the diagonal of a diagonal matrix, a matrix, or a structured one."""


def as_hessian(given: AnyHessian) -> Hessian:
    if isinstance(given, Hessian):
        return given
    return Diagonal(given) if given.ndim == 1 else Dense(given)


@dataclass(frozen=True, eq=False)
class Diagonal(Hessian):
    """diag d."""

    d: Vector

    @property
    def n(self) -> int:
        return self.d.size

    def dense(self) -> Matrix:
        return np.diag(self.d)

    def diagonal_and_rows(self) -> tuple[Vector, Matrix]:
        return self.d, np.empty((0, self.n))

    def solve(self, rows: Matrix) -> Matrix:
        return rows / self.d

    def times(self, factor: float) -> Diagonal:
        return Diagonal(factor * self.d)

    def _absorb(self, other: Hessian) -> Hessian | None:
        return Diagonal(self.d + other.d) if isinstance(other, Diagonal) else None


@dataclass(frozen=True, eq=False)
class Dense(Hessian):
    """A matrix."""

    H: Matrix

    @property
    def n(self) -> int:
        return len(self.H)

    def dense(self) -> Matrix:
        return self.H.copy()

    def solve(self, rows: Matrix) -> Matrix:
        # Scaled to a unit diagonal, as the large entries of coordinates near the boundary would dominate rounding.
        scale = 1.0 / np.sqrt(self.H.diagonal())
        _, x, info = dposv(scale[:, None] * self.H * scale, (rows * scale).T, lower=1)
        return x.T * scale if info == 0 else np.full_like(rows, np.nan)

    def times(self, factor: float) -> Dense:
        return Dense(factor * self.H)

    def _absorb(self, other: Hessian) -> Hessian | None:
        if isinstance(other, Diagonal):
            H = self.H.copy()
            H.ravel()[:: len(H) + 1] += other.d
            return Dense(H)
        return None


@dataclass(frozen=True, eq=False)
class Gram(Hessian):
    """M'M, for rows M of very different norms: solved by QR of M, as forming M'M would lose the small rows."""

    M: Matrix

    @property
    def n(self) -> int:
        return self.M.shape[1]

    def dense(self) -> Matrix:
        return self.M.T @ self.M

    @cached_property
    def factor(self) -> Matrix:
        """R, upper triangular with R'R = M'M: Householder QR with the largest rows first (Cox and Higham 1998)."""
        order = np.argsort(-np.abs(self.M).max(axis=1), kind="stable")
        return np.asarray(qr(self.M[order], mode="r", check_finite=False)[0][: self.n])

    def solve(self, rows: Matrix) -> Matrix:
        return gram_solve(self.factor, rows.T).T

    def times(self, factor: float) -> Gram:
        return Gram(np.sqrt(factor) * self.M)

    def _absorb(self, other: Hessian) -> Hessian | None:
        if isinstance(other, Diagonal):
            return Gram(np.concatenate((self.M, np.diag(np.sqrt(other.d)))))
        return Gram(np.concatenate((self.M, other.M))) if isinstance(other, Gram) else None


def gram_solve(R: Matrix, x: Vector | Matrix) -> Matrix:
    """(R'R)^-1 x; nan where R is singular."""
    y, info = dtrtrs(R, x, trans=1)
    if info == 0:
        y, info = dtrtrs(R, y)
    return np.asarray(y) if info == 0 else np.full_like(x, np.nan)


@dataclass(frozen=True, eq=False)
class LowRank(Hessian):
    """diag d + V'V, for the few rows of V."""

    d: Vector
    V: Matrix

    @property
    def n(self) -> int:
        return self.d.size

    def dense(self) -> Matrix:
        H: Matrix = self.V.T @ self.V
        H.ravel()[:: len(H) + 1] += self.d
        return H

    def diagonal_and_rows(self) -> tuple[Vector, Matrix]:
        return self.d, self.V

    def solve(self, rows: Matrix) -> Matrix:
        """By the Sherman-Morrison-Woodbury formula."""
        W = self.V / self.d
        x: Matrix = rows / self.d
        inner = np.eye(len(W)) + W @ self.V.T
        _, y, info = dposv(inner, W @ rows.T, lower=1)
        return x - y.T @ W if info == 0 else np.full_like(rows, np.nan)

    def times(self, factor: float) -> LowRank:
        return LowRank(factor * self.d, np.sqrt(factor) * self.V)

    def _absorb(self, other: Hessian) -> Hessian | None:
        if isinstance(other, Diagonal):
            return LowRank(self.d + other.d, self.V)
        if isinstance(other, LowRank):
            return LowRank(self.d + other.d, np.concatenate((self.V, other.V)))
        return None


@dataclass(frozen=True, eq=False)
class Spectral(Hessian):
    """V -> U (W o (U'V U)) U' on symmetric matrices in svec coordinates: diagonal in the basis of eigenvectors U."""

    U: Matrix
    W: Matrix

    @property
    def n(self) -> int:
        return svec.length(len(self.U))

    @property
    def weights(self) -> Vector:
        """The diagonal in the basis of U."""
        return svec.entries(self.W)

    def rotate(self, rows: Matrix) -> Matrix:
        """Rows of svec coordinates in the basis of U."""
        return svec.congruence(self.U, rows)

    def unrotate(self, rows: Matrix) -> Matrix:
        return svec.congruence(self.U.T, rows)

    def dense(self) -> Matrix:
        T = self.unrotate(np.eye(self.n))
        return (T.T * self.weights) @ T

    def solve(self, rows: Matrix) -> Matrix:
        return self.unrotate(self.rotate(rows) / self.weights)

    def inner(self, rows: Matrix) -> Matrix:
        rotated = self.rotate(rows)
        return rotated @ (rotated / self.weights).T

    def times(self, factor: float) -> Spectral:
        return Spectral(self.U, factor * self.W)

    def _absorb(self, other: Hessian) -> Hessian | None:
        if isinstance(other, Spectral) and (other.U is self.U or np.array_equal(other.U, self.U)):
            return Spectral(self.U, self.W + other.W)
        if isinstance(other, Diagonal) and (other.d == other.d[0]).all():
            return Spectral(self.U, self.W + other.d[0])
        return None


@dataclass(frozen=True, eq=False)
class Blocks(Hessian):
    """One Hessian per block of coordinates."""

    blocks: Sequence[Hessian]

    @property
    def n(self) -> int:
        return sum(block.n for block in self.blocks)

    def _parts(self, x: Matrix | Vector) -> list[Matrix]:
        ends = np.cumsum([block.n for block in self.blocks])[:-1]
        return np.split(x, ends, axis=-1)

    def dense(self) -> Matrix:
        return np.asarray(block_diag(*(block.dense() for block in self.blocks)))

    def diagonal_and_rows(self) -> tuple[Vector, Matrix] | None:
        parts = [part for block in self.blocks if (part := block.diagonal_and_rows()) is not None]
        if len(parts) < len(self.blocks):
            return None
        return np.concatenate([d for d, _ in parts]), np.asarray(block_diag(*(V for _, V in parts)))

    def solve(self, rows: Matrix) -> Matrix:
        parts = zip(self.blocks, self._parts(rows), strict=True)
        return np.concatenate([block.solve(part) for block, part in parts], axis=1)

    def times(self, factor: float) -> Blocks:
        return Blocks([block.times(factor) for block in self.blocks])

    def _absorb(self, other: Hessian) -> Hessian | None:
        if isinstance(other, Diagonal):
            other = Blocks([Diagonal(part) for part in self._parts(other.d)])
        if isinstance(other, Blocks) and [b.n for b in other.blocks] == [b.n for b in self.blocks]:
            return Blocks([a.plus(b) for a, b in zip(self.blocks, other.blocks, strict=True)])
        return None
