"""Sparse tables in compressed rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._types import Matrix, Vector
from ...errors import ProblemError
from .constant import constant
from .dense_table import rows_in_cache
from .schedule import Stage

LARGEST_COLUMN = np.iinfo(np.uint32).max


@dataclass(frozen=True, eq=False)
class SparseTable:
    """Values (float32 or float64), their columns and where each row starts."""

    values: NDArray[Any]
    columns: NDArray[np.uint32]
    starts: NDArray[np.int64]
    shape: tuple[int, int]

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

    def arranged(self, rows: NDArray[np.intp]) -> SparseTable:
        """A copy with these rows in this order."""
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.arange(starts[-1]) + np.repeat(self.starts[rows] - starts[:-1], lengths)
        return SparseTable(self.values[entries], self.columns[entries], starts, (rows.size, self.shape[1]))

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


def read_sparse(X: Any) -> SparseTable:
    """Any SciPy sparse matrix or array; its index arrays are checked, as the kernel trusts them.

    The values may still be the user's: the table that is kept is a copy, ``arranged``.
    """
    n, d = X.shape
    if d - 1 > LARGEST_COLUMN:
        raise ProblemError(f"a sparse X must have at most 2^32 columns; got {d}.")
    check_structure(X, "X")
    csr = X.tocsr()
    n_entries = csr.indptr[-1]
    values = csr.data[:n_entries].astype(np.float32 if csr.dtype == np.float32 else np.float64, copy=False)
    columns = csr.indices[:n_entries].astype(np.uint32)
    starts = csr.indptr.astype(np.int64)
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        row = int(np.searchsorted(starts, bad[0], side="right")) - 1
        raise ProblemError(
            f"X must be finite; got {values[bad[0]]} in row {row}, column {columns[bad[0]]}. Impute such entries, or "
            "drop their rows."
        )
    return SparseTable(values, columns, starts, (n, d))


def check_structure(X: Any, name: str) -> None:
    """Refuse index arrays that point outside of a matrix: SciPy and the kernels would write there."""
    if X.format == "coo":
        for indices, size in zip(X.coords if hasattr(X, "coords") else (X.row, X.col), X.shape, strict=True):
            _check_indices(indices, size, name)
    if X.format not in ("csr", "csc"):
        return
    starts, indices, values = X.indptr, X.indices, X.data
    n_major, n_minor = X.shape if X.format == "csr" else X.shape[::-1]
    if starts.size != n_major + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise ProblemError(
            f"{name} has a corrupt indptr: it must start at 0, never decrease and have {n_major + 1} entries."
        )
    if starts[-1] > min(indices.size, values.size):
        raise ProblemError(
            f"{name} has a corrupt indptr: it ends at {starts[-1]}, but there are {indices.size} indices and "
            f"{values.size} values."
        )
    _check_indices(indices[: starts[-1]], n_minor, name)


def _check_indices(indices: NDArray[Any], size: int, name: str) -> None:
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        wrong = indices.min() if indices.min() < 0 else indices.max()
        raise ProblemError(
            f"{name} has a corrupt index: it must be between 0 and {size - 1}; got {wrong}. Rebuild the matrix, or "
            "look for an integer overflow where it was made."
        )
