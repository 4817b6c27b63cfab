"""Tables in a memory-mapped file, which may be larger than memory."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.arguments import read_only
from .dense_source import check_finite, table_type
from .dense_table import DenseTable
from .read_plan import Stage

PIECE_BYTES = 64 * 1024 * 1024
"""Bytes of the file that are in memory at a time."""


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
    """A memory-mapped file, read in pieces of consecutive rows and never as a whole.

    C order in float32 or float64 is read in place; any other order or type is converted piece by piece. The pages of a
    piece are returned to the system after reading, where the mapping has no changes that the file lacks.
    """

    @classmethod
    def of(cls, X: NDArray[Any]) -> MappedTable:
        table = cls(X, table_type(X))
        for first in range(0, X.shape[0], table.stage_rows):
            stage = Stage(first, min(first + table.stage_rows, X.shape[0]), ())
            check_finite(table.open(stage), table.dtype, first)
            table.close(stage)
        return table

    @property
    def stage_rows(self) -> int:
        return max(self.block_rows, PIECE_BYTES // (self.X.shape[1] * self.dtype.itemsize))

    def open(self, stage: Stage) -> NDArray[Any]:
        # The rows of a piece are read by group, not in the order of the file: the system should load all at once.
        self._advise(stage, "MADV_WILLNEED")
        piece = self.X[stage.first_row : stage.last_row]
        return read_only(np.require(np.asarray(piece), self.dtype, ["C", "A"]))

    def close(self, stage: Stage) -> None:
        """Return the pages of the piece, which the system would otherwise keep until memory runs out."""
        self._advise(stage, "MADV_DONTNEED")

    def _advise(self, stage: Stage, advice: str) -> None:
        source = mapping(self.X)
        # A private map (mode "c") may hold changes that the file does not have: its pages must stay.
        if source is None or source.mode not in ("r", "r+") or not hasattr(mmap, advice):
            return
        file: mmap.mmap = source._mmap  # type: ignore[attr-defined]
        origin = np.frombuffer(file, dtype=np.uint8).ctypes.data
        piece = self.X[stage.first_row : stage.last_row]
        spans = [(length - 1) * stride for length, stride in zip(piece.shape, piece.strides, strict=True)]
        begin = piece.ctypes.data - origin + sum(min(0, span) for span in spans)
        end = piece.ctypes.data - origin + sum(max(0, span) for span in spans) + piece.itemsize
        begin -= begin % mmap.PAGESIZE
        file.madvise(getattr(mmap, advice), begin, end - begin)
