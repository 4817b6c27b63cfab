"""Large sparse tables for many passes: blocks of rows, each stored by columns in short pieces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...._types import Matrix, Vector
from ..kernels import load
from ..kernels.arguments import read_only
from ..memberships import Memberships
from .read_plan import ReadPlan, Stage
from .sparse_source import SparseSource
from .sparse_table import EMPTY_ROW_COST
from .threads import run_all

BLOCK_ROWS = 2048
"""Rows of a block: their margins or slopes take 16 kB, half of a first-level cache."""

LEAST_ENTRIES = 1 << 19
"""Below this many entries an evaluation takes less than a millisecond, and arranging them is not worth its time."""

LEAST_PER_COLUMN = 2.0
"""Entries per column of a block from which columns are faster than rows: 1.2 times with four, equal with one."""

PIECES = 4, 3, 2, 1
"""Entries of a piece, in the order of the sections of a block."""


@dataclass(frozen=True)
class InBlocks:
    """A sparse matrix as the planner sees it, with the blocks of `SparseBlocks`."""

    source: SparseSource
    block_rows = BLOCK_ROWS

    @property
    def stage_rows(self) -> int:
        return self.source.stage_rows

    @property
    def row_costs(self) -> Vector:
        return self.source.row_costs


def blocks_pay(source: SparseSource, memberships: Memberships) -> bool:
    """Whether blocks by columns are faster than rows: many entries per column of a block, and no overlap of groups.

    With overlapping groups a block would be read once for each of its groups. Other forms than compressed rows of
    floating-point numbers would need a second copy on the way.
    """
    if source.X.format != "csr" or source.X.dtype != source.dtype:
        return False
    n_blocks = int(np.sum(-(-memberships.sizes // BLOCK_ROWS)))
    least = max(LEAST_ENTRIES, LEAST_PER_COLUMN * n_blocks * source.shape[1])
    return source.n_entries >= least and int(np.bincount(memberships.rows).max()) == 1


@dataclass(frozen=True, eq=False)
class SparseBlocks:
    """Each block of rows by columns: the entries of a column in pieces of four, and one of its last three, two or one.

    An entry takes its value and two bytes, a piece four, and up to three places for pieces per four columns of a block
    stay empty: 11.4 bytes per entry in double precision with eight entries per column, where compressed rows take 12.
    """

    values: NDArray[Any]
    columns: NDArray[np.uint32]
    """One per piece, with some places between blocks that hold none."""
    rows: NDArray[np.uint16]
    """The number of each entry's row within its block."""
    sections: NDArray[np.int64]
    """For each block its first entry, its first piece, and how many pieces have four, three, two and one entries."""
    block_starts: NDArray[np.intp]
    row_lengths: NDArray[np.int64]
    shape: tuple[int, int]

    @classmethod
    def of(cls, source: SparseSource, plan: ReadPlan, n_threads: int) -> SparseBlocks:
        """The rows in the order of the plan."""
        n, d = plan.rows.size, source.shape[1]
        assert source.pointers is not None
        lengths = source.row_lengths[plan.rows]
        starts = np.concatenate(([0], np.cumsum(lengths)))[plan.block_starts]
        n_blocks = plan.block_starts.size - 1
        sections = np.zeros((n_blocks, 6), dtype=np.int64)
        sections[:, 0] = starts[:-1]
        # m entries of a column make at most m/4 + 3/4 pieces; one more place is for what is not read.
        most = np.ceil(0.25 * np.diff(starts) + 0.75 * np.minimum(d, np.diff(starts))).astype(np.int64)
        sections[:, 1] = np.cumsum(most) - most
        size = int(starts[-1])
        values, rows = np.empty(size, dtype=source.dtype), np.empty(size, dtype=np.uint16)
        columns = np.empty(int(most.sum()) + 1, dtype=np.uint32)
        matrix = source.X.data, source.X.indices, source.pointers
        arguments = [read_only(x) for x in (*matrix, plan.rows, plan.block_starts)]
        cuts = np.searchsorted(starts, np.linspace(0, size, n_threads + 1)[1:-1])
        shares = pairwise([0, *(int(cut) for cut in cuts), n_blocks])
        arrange = load("sparse_blocks", "arrange_blocks")
        out = values, columns, rows, sections
        run_all([partial(arrange, *arguments, first, last, d, out) for first, last in shares])
        return cls(values, columns, rows, sections, plan.block_starts, lengths, (n, d))

    @property
    def n_entries(self) -> int:
        return self.values.size

    @property
    def block_rows(self) -> int:
        return BLOCK_ROWS

    @property
    def stage_rows(self) -> int:
        return self.shape[0]

    @property
    def row_costs(self) -> Vector:
        return np.asarray(self.row_lengths + EMPTY_ROW_COST, dtype=np.float64)

    @cached_property
    def _arguments(self) -> tuple[NDArray[Any], ...]:
        block_at = np.repeat(np.arange(len(self.sections)), np.diff(self.block_starts))
        return tuple(read_only(x) for x in (self.values, self.columns, self.rows, self.sections, block_at))

    def open(self, stage: Stage) -> tuple[NDArray[Any], ...]:
        return self._arguments

    def close(self, stage: Stage) -> None:
        pass

    @property
    def entry_columns(self) -> NDArray[np.uint32]:
        """The column of each entry."""
        columns = np.empty(self.n_entries, dtype=np.uint32)
        for entry, piece, *counts in self.sections.tolist():
            for length, count in zip(PIECES, counts, strict=True):
                of_pieces = columns[entry : entry + length * count].reshape(count, length)
                of_pieces[:] = self.columns[piece : piece + count, None]
                entry, piece = entry + length * count, piece + count
        return columns

    def some_rows(self, rows: NDArray[np.intp]) -> Any:
        """Rows as a SciPy array in float64, in the order in which they are asked for."""
        used = np.zeros(self.shape[0], dtype=bool)
        used[rows] = True
        columns, places, entries = [], [], []
        for block, (entry, piece, *counts) in enumerate(self.sections.tolist()):
            first = self.block_starts[block]
            used_here = used[first : self.block_starts[block + 1]]
            for length, count in zip(PIECES, counts, strict=True):
                here = np.flatnonzero(used_here[self.rows[entry : entry + length * count]])
                columns.append(self.columns[piece + here // length])
                entries.append(entry + here)
                places.append(first + self.rows[entry + here])
                entry, piece = entry + length * count, piece + count
        coordinates = np.concatenate(places), np.concatenate(columns).astype(np.int64)
        values = self.values[np.concatenate(entries)].astype(np.float64)
        return sp.coo_array((values, coordinates), shape=self.shape).tocsr()[rows]

    def dense(self, X: Any, rows: NDArray[np.intp]) -> Matrix:
        return np.asarray(self.some_rows(rows).toarray())
