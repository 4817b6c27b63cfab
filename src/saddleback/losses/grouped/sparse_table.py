"""Sparse tables in compressed rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._types import Matrix, Vector
from ...linalg.sparse import check_pointers
from .constant import constant
from .dense_table import rows_in_cache
from .schedule import Stage


@dataclass(frozen=True, eq=False)
class SparseTable:
    """Values (float32 or float64), their columns and where each row starts."""

    values: NDArray[Any]
    columns: NDArray[np.uint32]
    starts: NDArray[np.int64]
    shape: tuple[int, int]

    def __post_init__(self) -> None:
        # The kernel trusts these arrays: an index out of range would be read and written in foreign memory.
        check_pointers(self.starts, self.columns, self.values.size, *self.shape, "X")

    @property
    def n_entries(self) -> int:
        return self.values.size

    @property
    def block_rows(self) -> int:
        return rows_in_cache(max(1.0, self.n_entries / self.shape[0]) * (self.values.itemsize + 4))

    @property
    def stage_rows(self) -> int:
        return self.shape[0]

    @property
    def row_costs(self) -> Vector:
        # A row costs something even where it is empty.
        return np.diff(self.starts) + 10.0

    def open(self, stage: Stage) -> tuple[NDArray[Any], NDArray[np.uint32], NDArray[np.int64]]:
        return constant(self.values), constant(self.columns), constant(self.starts)

    def close(self, stage: Stage) -> None:
        pass

    @cached_property
    def csr(self) -> Any:
        """As SciPy has it, in float64."""
        parts = self.values.astype(np.float64, copy=False), self.columns.astype(np.int64), self.starts
        return sp.csr_array(parts, shape=self.shape)

    def dense(self, X: Any, rows: NDArray[np.intp]) -> Matrix:
        return self.csr[rows].toarray()
