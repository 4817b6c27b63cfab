"""Dense tables in memory: C order for wide ones, Fortran order for narrow ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...._types import Matrix
from ..kernels.arguments import ROWS_AT_A_TIME, read_only
from .read_plan import Stage

BLOCK_BYTES = 160 * 1024
"""Bytes of a block of rows: it stays in a second-level cache of 256 kB, with room for w and the gradient."""

LONGEST_BLOCK = 512
"""The most rows of a block, for tables of few columns."""


def block_length(bytes_per_row: float) -> int:
    """The rows of a block: a multiple of ``ROWS_AT_A_TIME`` that fits into ``BLOCK_BYTES``."""
    rows = BLOCK_BYTES / bytes_per_row // ROWS_AT_A_TIME * ROWS_AT_A_TIME
    return int(np.clip(rows, ROWS_AT_A_TIME, LONGEST_BLOCK))


def dense_rows(X: NDArray[Any], rows: NDArray[np.intp]) -> Matrix:
    """Rows of X in float64: a view where they are consecutive and X is in float64, else a copy."""
    first, last = int(rows[0]), int(rows[-1]) + 1
    consecutive = last - first == rows.size and (np.diff(rows) == 1).all()
    return (X[first:last] if consecutive else X[rows]).astype(np.float64, copy=False)


def taken(X: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[Any]:
    """A copy of rows of X in the order of memory that X has."""
    if not X.flags.f_contiguous:
        return X[rows]
    copy = np.empty((rows.size, X.shape[1]), dtype=X.dtype, order="F")
    for k in range(X.shape[1]):
        X[:, k].take(rows, out=copy[:, k], mode="clip")
    return copy


@dataclass(frozen=True, eq=False)
class DenseMatrix:
    """A dense matrix, and the type of its entries as the kernel reads them."""

    X: NDArray[Any]
    dtype: np.dtype[Any]
    row_costs = None

    @property
    def shape(self) -> tuple[int, int]:
        n, d = self.X.shape
        return n, d

    @property
    def n_entries(self) -> int:
        return self.X.size

    @property
    def block_rows(self) -> int:
        return block_length(self.X.shape[1] * self.dtype.itemsize)

    @property
    def stage_rows(self) -> int:
        return self.X.shape[0]


@dataclass(frozen=True, eq=False)
class DenseTable(DenseMatrix):
    """A dense matrix that the kernel reads; in memory it is one stage."""

    def open(self, stage: Stage) -> NDArray[Any]:
        return read_only(self.X)

    def close(self, stage: Stage) -> None:
        pass

    def dense(self, X: NDArray[Any], rows: NDArray[np.intp]) -> Matrix:
        return dense_rows(X, rows)


@dataclass(frozen=True, eq=False)
class RowTable(DenseTable):
    """C order, not sorted: the kernel picks rows by their index, in the order of the read plan."""


@dataclass(frozen=True, eq=False)
class ColumnTable(DenseTable):
    """Fortran order, rows sorted in the order of the read plan."""
