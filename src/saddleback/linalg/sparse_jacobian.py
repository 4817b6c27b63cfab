"""Jacobians with few entries that are not zero."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._types import Indices, Matrix, Vector
from .jacobians import StructuredJacobian


@dataclass(frozen=True, eq=False)
class SparseJacobian(StructuredJacobian):
    """G of affine losses, whose Hessians are zero, as a sparse array."""

    matrix: sp.csr_array

    @cached_property
    def _transposed(self) -> Any:
        return self.matrix.T.tocsr()

    @cached_property
    def _squares(self) -> Any:
        return self.matrix.multiply(self.matrix)

    @property
    def shape(self) -> tuple[int, int]:
        J, d = self.matrix.shape
        return int(J), int(d)

    def slope(self, lam: Vector) -> Vector:
        return np.asarray(self._transposed @ lam)

    def change(self, p: Vector) -> Vector:
        return np.asarray(self.matrix @ p)

    def magnitudes(self, p: Vector) -> Vector:
        return np.asarray(abs(self.matrix) @ np.abs(p))

    def row_norms(self) -> Vector:
        return np.sqrt(self._squares.sum(axis=1))

    def column_norms(self) -> Vector:
        return np.sqrt(self._squares.sum(axis=0))

    def hessian(self, lam: Vector, theta: Vector) -> Matrix:
        weighted = self._transposed.multiply(theta[None, :])
        return np.asarray((weighted @ self.matrix).toarray())

    def rescaled(self, factors: Vector) -> SparseJacobian:
        matrix = self.matrix.copy()
        matrix.data /= factors[matrix.indices]
        return SparseJacobian(matrix)

    def some_rows(self, which: Indices) -> Matrix:
        return np.asarray(self.matrix[which].toarray())

    def dense(self) -> Matrix:
        return self._dense

    @cached_property
    def _dense(self) -> Matrix:
        G: Matrix = self.matrix.toarray()
        # Read-only, because every evaluation returns this array.
        G.flags.writeable = False
        return G
