"""Dense tables in memory: by rows where they are wide, by columns where they are narrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Matrix
from .constant import constant
from .schedule import Stage

CACHE = 160 * 1024
"""Bytes of a block of rows: the rest of a usual second-level cache is left for w and the gradient."""

LONGEST_BLOCK = 512


def rows_in_cache(bytes_per_row: float) -> int:
    """A multiple of the eight rows that are read together."""
    return int(np.clip(CACHE / bytes_per_row // 8 * 8, 8, LONGEST_BLOCK))


def pick_rows(X: NDArray[Any], rows: NDArray[np.intp]) -> Matrix:
    """Rows of X in float64: a view where they are neighbors in float64, else a copy."""
    first, last = int(rows[0]), int(rows[-1]) + 1
    neighbors = last - first == rows.size and (np.diff(rows) == 1).all()
    return (X[first:last] if neighbors else X[rows]).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class DenseTable:
    """What all dense tables share; in memory it is read in one stage."""

    X: NDArray[Any]
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
        return rows_in_cache(self.X.shape[1] * self.X.itemsize)

    @property
    def stage_rows(self) -> int:
        return self.X.shape[0]

    def open(self, stage: Stage) -> NDArray[Any]:
        return constant(self.X)

    def close(self, stage: Stage) -> None:
        pass

    def dense(self, X: NDArray[Any], rows: NDArray[np.intp]) -> Matrix:
        return pick_rows(X, rows)


@dataclass(frozen=True, eq=False)
class RowTable(DenseTable):
    """C order, read where it lies: rows are picked by index, in the order of the schedule."""


@dataclass(frozen=True, eq=False)
class ColumnTable(DenseTable):
    """Fortran order, rows in the order of the schedule."""
