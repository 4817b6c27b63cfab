"""Sparse tables in compressed rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...._types import Matrix, Vector
from ....linalg.sparse import check_pointers
from ..kernels.arguments import read_only
from .dense_table import block_length
from .read_plan import Stage

EMPTY_ROW_COST = 10.0
"""The cost of a row without entries, in stored entries."""


def sparse_block_length(n_entries: int, n_rows: int, dtype: np.dtype[Any]) -> int:
    """The rows of a block, for rows of average length; an entry has a value and a column number of four bytes."""
    return block_length(max(1.0, n_entries / n_rows) * (dtype.itemsize + 4))


@dataclass(frozen=True, eq=False)
class SparseTable:
    """Values (float32 or float64), their columns, and where each row starts."""

    values: NDArray[Any]
    columns: NDArray[np.uint32]
    starts: NDArray[np.int64]
    shape: tuple[int, int]

    def __post_init__(self) -> None:
        # The kernel does not check indices: one out of range would read and write outside of the arrays.
        check_pointers(self.starts, self.columns, self.values.size, *self.shape, "X")

    @property
    def n_entries(self) -> int:
        return self.values.size

    @property
    def block_rows(self) -> int:
        return sparse_block_length(self.n_entries, self.shape[0], self.values.dtype)

    @property
    def stage_rows(self) -> int:
        return self.shape[0]

    @property
    def row_costs(self) -> Vector:
        return np.diff(self.starts) + EMPTY_ROW_COST

    def open(self, stage: Stage) -> tuple[NDArray[Any], NDArray[np.uint32], NDArray[np.int64]]:
        return read_only(self.values), read_only(self.columns), read_only(self.starts)

    def close(self, stage: Stage) -> None:
        pass

    @cached_property
    def csr(self) -> Any:
        """The table as a SciPy array in float64."""
        parts = self.values.astype(np.float64, copy=False), self.columns.astype(np.int64), self.starts
        return sp.csr_array(parts, shape=self.shape)

    @property
    def entry_columns(self) -> NDArray[np.uint32]:
        """The column of each entry."""
        return self.columns

    def some_rows(self, rows: NDArray[np.intp]) -> Any:
        """Rows as a SciPy array in float64, in the order in which they are asked for."""
        return self.csr[rows]

    def dense(self, X: Any, rows: NDArray[np.intp]) -> Matrix:
        return np.asarray(self.some_rows(rows).toarray())
