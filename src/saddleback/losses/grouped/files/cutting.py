"""How the rows of a file are cut into blocks, and blocks collected in sections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

BLOCK_BYTES = 1 << 21
"""Bytes of a block: it is still in cache when the kernel reads it. An evaluation took the least time of processors with
2 to 4 MB, and a fifth more with 1 MB, where the interpreter counts, or with 8 MB."""

COLUMN_BLOCK_BYTES = 1 << 24
"""Bytes of a block of a file in Fortran order, where each column is read by itself."""

ALIGNED_ROWS = 8
"""Blocks have a multiple of so many rows: kernels read as many at a time."""

LARGEST_SECTION = 1 << 26
"""Bytes of a section: the work of some milliseconds, compared with which the interpreter's is small."""

LEAST_SECTION = 1 << 22
SECTIONS = 32
"""Sections of a smaller table, so that several threads end at the same time."""


@dataclass(frozen=True)
class Cut:
    """n rows in blocks of equal lengths, but for the last."""

    n: int
    rows: int
    """Of a block."""
    blocks_per_section: int

    @classmethod
    def of(cls, n: int, bytes_per_row: int, total_bytes: float, by_columns: bool = False) -> Cut:
        """A cut that depends on the table alone, and neither on threads nor on memory: it is part of the bits."""
        section_bytes = min(max(LEAST_SECTION, total_bytes / SECTIONS), LARGEST_SECTION)
        block_bytes = COLUMN_BLOCK_BYTES if by_columns else BLOCK_BYTES
        bytes_per_row = max(1, bytes_per_row)
        rows = max(1, block_bytes // bytes_per_row // ALIGNED_ROWS) * ALIGNED_ROWS
        return cls(n, rows, max(1, int(section_bytes // (rows * bytes_per_row))))

    @cached_property
    def lengths(self) -> list[int]:
        """The rows of each block."""
        return [min(self.rows, self.n - first) for first in range(0, self.n, self.rows)]

    @property
    def sections(self) -> list[int]:
        """The first blocks of the sections."""
        return list(range(0, len(self.lengths), self.blocks_per_section))
