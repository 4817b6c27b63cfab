"""A user's sparse matrix, checked; a table is made from it with one copy, some entries at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...._types import Vector
from ....errors import ProblemError
from ....linalg.sparse import check_structure, to_compressed_rows
from ....machine.resources import check_room
from .sparse_table import EMPTY_ROW_COST, SparseTable, sparse_block_length

LARGEST_COLUMN = np.iinfo(np.uint32).max
"""Tables store columns as 32-bit numbers."""

ENTRIES_AT_A_TIME = 1 << 16
"""Entries that are checked or copied at a time: temporary arrays stay small."""


@dataclass(frozen=True, eq=False)
class SparseSource:
    """Compressed rows, compressed columns or coordinates, in the user's arrays."""

    X: Any
    dtype: np.dtype[Any]
    pointers: NDArray[np.int64] | None
    """Where each row (or column) starts; None for coordinates."""
    row_lengths: NDArray[np.int64]
    shape: tuple[int, int]

    @classmethod
    def of(cls, X: Any) -> SparseSource:
        """Any SciPy sparse matrix or array; other formats are converted to compressed rows first."""
        n, d = X.shape
        if d - 1 > LARGEST_COLUMN:
            raise ProblemError(f"a sparse X must have at most 2^32 columns; got {d}.")
        check_room(8.0 * n, f"a number for each of the {n} rows of X", "Check its shape.")
        if X.format in ("csr", "csc", "coo"):
            check_structure(X, "X")
        else:
            X = to_compressed_rows(X, "X")
        dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
        pointers: Any = None if X.format == "coo" else X.indptr.astype(np.int64, copy=False)
        lengths: Any = np.diff(pointers) if X.format == "csr" else np.zeros(n, dtype=np.int64)
        source = cls(X, dtype, pointers, lengths, (n, d))
        for part in source._parts():
            values = source._values(part)
            bad = np.flatnonzero(~np.isfinite(values))
            if bad.size:
                rows, columns = source._places(part)
                raise ProblemError(
                    f"X must be finite; got {values[bad[0]]} in row {rows[bad[0]]}, column {columns[bad[0]]}. Impute "
                    "such entries, or drop their rows."
                )
            if X.format != "csr":
                lengths += np.bincount(source._places(part)[0], minlength=n)
        return source

    @property
    def n_entries(self) -> int:
        return int(self.row_lengths.sum())

    @property
    def block_rows(self) -> int:
        return sparse_block_length(self.n_entries, self.shape[0], self.dtype)

    @property
    def stage_rows(self) -> int:
        return self.shape[0]

    @property
    def row_costs(self) -> Vector:
        return np.asarray(self.row_lengths + EMPTY_ROW_COST, dtype=np.float64)

    def arranged(self, rows: NDArray[np.intp]) -> SparseTable:
        """A copy with these rows in this order, each at most once."""
        starts = np.concatenate([[0], np.cumsum(self.row_lengths[rows])])
        values, columns = np.empty(starts[-1], dtype=self.dtype), np.empty(starts[-1], dtype=np.uint32)
        fill = self._fill_by_rows if self.X.format == "csr" else self._fill_by_entries
        fill(rows, starts, values, columns)
        return SparseTable(values, columns, starts, (rows.size, self.shape[1]))

    def _fill_by_rows(self, rows: NDArray[np.intp], starts: Any, values: Any, columns: Any) -> None:
        assert self.pointers is not None
        first = 0
        while first < rows.size:
            last = max(first + 1, int(np.searchsorted(starts, starts[first] + ENTRIES_AT_A_TIME, side="right")) - 1)
            begin, end = starts[first], starts[last]
            shift = self.pointers[rows[first:last]] - starts[first:last]
            entries = np.arange(begin, end) + np.repeat(shift, np.diff(starts[first : last + 1]))
            values[begin:end], columns[begin:end] = self.X.data[entries], self.X.indices[entries]
            first = last

    def _fill_by_entries(self, rows: NDArray[np.intp], starts: Any, values: Any, columns: Any) -> None:
        """Write each entry to the next free place of its row."""
        position = np.full(self.shape[0], -1, dtype=np.int32 if rows.size < 2**31 else np.int64)
        position[rows] = np.arange(rows.size)
        free = starts[:-1].copy()
        for part in self._parts():
            row, column = self._places(part)
            target, value = position[row], self._values(part)
            if rows.size < self.shape[0]:
                used = target >= 0
                target, column, value = target[used], column[used], value[used]
            # SciPy's transposition of a matrix with one entry per column is a stable counting sort.
            one_each = np.empty(target.size, dtype=np.int8), target, np.arange(target.size + 1, dtype=target.dtype)
            by_target = sp.csc_array(one_each, shape=(rows.size, target.size)).tocsr()
            order, firsts = by_target.indices, by_target.indptr
            place = (free - firsts[:-1])[target[order]]
            place += np.arange(place.size)
            values[place], columns[place] = value[order], column[order]
            free += np.diff(firsts)

    def _parts(self) -> Iterator[slice]:
        """Ranges of stored entries."""
        n_entries = self.X.data.size if self.pointers is None else int(self.pointers[-1])
        # `_fill_by_entries` reads one number per row for each part: a part has at least half as many entries.
        step = max(ENTRIES_AT_A_TIME, self.shape[0] // 2)
        for first in range(0, n_entries, step):
            yield slice(first, min(first + step, n_entries))

    def _values(self, part: slice) -> NDArray[Any]:
        with np.errstate(over="ignore"):
            return self.X.data[part].astype(self.dtype, copy=False)

    def _places(self, part: slice) -> tuple[NDArray[Any], NDArray[Any]]:
        """Rows and columns of some entries."""
        if self.pointers is None:
            row, column = self.X.coords if hasattr(self.X, "coords") else (self.X.row, self.X.col)
            return row[part], column[part]
        begin = int(np.searchsorted(self.pointers, part.start, side="right")) - 1
        end = int(np.searchsorted(self.pointers, part.stop))
        cuts: NDArray[np.int64] = np.clip(self.pointers[begin : end + 1], part.start, part.stop)
        major, minor = np.repeat(np.arange(begin, end), np.diff(cuts)), self.X.indices[part]
        return (major, minor) if self.X.format == "csr" else (minor, major)
