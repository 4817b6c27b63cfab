"""Tables in a file that may be larger than memory."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .constant import constant
from .dense_source import check_finite, table_type
from .dense_table import DenseTable, rows_in_cache
from .schedule import Stage

PIECE = 64 * 1024 * 1024
"""Bytes that are in memory at a time."""


def mapping(X: NDArray[Any]) -> np.memmap[Any, Any] | None:
    """The memory-mapped file that X is, or is a view of."""
    base: Any = X
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap) and getattr(base, "_mmap", None) is not None:
            return base
        base = base.base
    return None


@dataclass(frozen=True, eq=False)
class MappedTable(DenseTable):
    """A memory-mapped file, read in pieces of consecutive rows, never as a whole.

    C order in float32 or float64 is read where it lies; any other order or type is converted piece by piece. A piece
    that has been read is given back to the system, where the file is mapped so that nothing is lost by it.
    """

    dtype: np.dtype[Any]

    @classmethod
    def of(cls, X: NDArray[Any]) -> MappedTable:
        table = cls(X, table_type(X))
        for first in range(0, X.shape[0], table.stage_rows):
            stage = Stage(first, min(first + table.stage_rows, X.shape[0]), ())
            check_finite(table.open(stage), table.dtype, first)
            table.close(stage)
        return table

    @property
    def block_rows(self) -> int:
        return rows_in_cache(self.X.shape[1] * self.dtype.itemsize)

    @property
    def stage_rows(self) -> int:
        return max(self.block_rows, PIECE // (self.X.shape[1] * self.dtype.itemsize))

    def open(self, stage: Stage) -> NDArray[Any]:
        # The rows of a piece are read by group: ask for it in one go.
        self._advise(stage, "MADV_WILLNEED")
        piece = self.X[stage.first_row : stage.last_row]
        return constant(np.require(np.asarray(piece), self.dtype, ["C", "A"]))

    def close(self, stage: Stage) -> None:
        """Drop the pages of the piece: the system would keep them until memory runs out."""
        self._advise(stage, "MADV_DONTNEED")

    def _advise(self, stage: Stage, advice: str) -> None:
        source = mapping(self.X)
        # A private map (mode "c") may hold changes that the file does not have: its pages must stay.
        if source is None or source.mode not in ("r", "r+") or not hasattr(mmap, advice):
            return
        file: mmap.mmap = source._mmap  # type: ignore[attr-defined]
        origin = np.frombuffer(file, dtype=np.uint8).ctypes.data
        piece = self.X[stage.first_row : stage.last_row]
        reach = [(length - 1) * stride for length, stride in zip(piece.shape, piece.strides, strict=True)]
        begin = piece.ctypes.data - origin + sum(min(0, step) for step in reach)
        end = piece.ctypes.data - origin + sum(max(0, step) for step in reach) + piece.itemsize
        begin -= begin % mmap.PAGESIZE
        file.madvise(getattr(mmap, advice), begin, end - begin)
