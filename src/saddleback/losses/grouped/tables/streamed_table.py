"""A section of a table in files, read block by block in every pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices, Matrix
from ....errors import ProblemError
from ....machine.resources import check_room
from ..files.block_source import BlockSource
from ..kernels.arguments import read_only
from ..remedies import IMPUTE, IMPUTE_FILES
from .dense_source import check_finite
from .dense_table import block_length, dense_rows
from .read_plan import Stage


@dataclass(frozen=True, eq=False)
class StreamedTable:
    """Blocks ``first``, ..., ``last`` - 1 of a source, each of which is a stage; nothing is kept between passes."""

    source: BlockSource
    first: int
    last: int
    row_costs = None

    @classmethod
    def sections_of(cls, source: BlockSource) -> list[StreamedTable]:
        """The sections of a source."""
        starts = list(source.sections)
        ends = [*starts[1:], len(source.lengths)] if starts else []
        return [cls(source, first, last) for first, last in zip(starts, ends, strict=True)]

    @property
    def shape(self) -> tuple[int, int]:
        return sum(self.source.lengths[self.first : self.last]), self.source.n_columns

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.source.dtype

    @property
    def n_entries(self) -> int:
        n, d = self.shape
        return n * d

    @property
    def block_rows(self) -> int:
        return block_length(self.source.n_columns * self.dtype.itemsize)

    @property
    def stage_rows(self) -> int:
        return self.source.lengths[self.first]

    def open(self, stage: Stage) -> NDArray[Any]:
        return read_only(self._read(self.first + stage.first_row // self.stage_rows))

    def close(self, stage: Stage) -> None:
        pass

    def dense(self, X: NDArray[Any], rows: NDArray[np.intp]) -> Matrix:
        return dense_rows(X, rows)

    def check(self, first_row: int) -> None:
        """Refuse numbers that are not finite, by their row of the table, whose row ``first_row`` begins here."""
        names = self.source.names
        for number in range(self.first, self.last):
            block = self._read(number)
            try:
                check_finite(block, self.dtype, first_row, names, IMPUTE if names is None else IMPUTE_FILES)
            except ProblemError as error:
                own = self.source.row(number)
                rows = f"rows {own} to {own + len(block) - 1} of {self.source.place(number)!r}"
                raise ProblemError(f"{error} (In block {number} of {len(self.source.lengths)}, {rows}.)") from error
            first_row += len(block)

    def pieces(self, rows: Indices | None = None) -> Iterator[NDArray[Any]]:
        """All rows, or those with these increasing numbers, block by block; each is valid until the next is read."""
        begin = 0
        for number in range(self.first, self.last):
            end = begin + self.source.lengths[number]
            if rows is None:
                yield self._read(number)
            else:
                a, b = np.searchsorted(rows, [begin, end])
                if a < b:
                    yield self._read(number)[rows[a:b] - begin]
            begin = end

    def some_rows(self, rows: Indices | None = None) -> NDArray[Any]:
        """The same in one array."""
        n = self.shape[0] if rows is None else rows.size
        check_room(
            float(n * self.shape[1] * self.dtype.itemsize),
            f"a section of {n} rows of {self.source.place(self.first)!r}",
            "Write Parquet files in smaller row groups, such as row_group_size=100_000.",
        )
        copy, place = np.empty((n, self.shape[1]), self.dtype), 0
        for piece in self.pieces(rows):
            copy[place : place + len(piece)] = piece
            place += len(piece)
        return copy

    def _read(self, number: int) -> NDArray[Any]:
        """A block, checked: sources may come from outside."""
        shape = self.source.lengths[number], self.source.n_columns
        try:
            block = self.source.read(number)
        except MemoryError as error:
            raise MemoryError(
                f"there is no memory for a block of {shape[0]} rows of {self.source.place(number)!r} ({error}). Keep "
                "less between passes, FileTable(path, memory='100MB'), read by fewer threads (OMP_NUM_THREADS), or let "
                "the process have more (ulimit -v), of which Arrow takes 1 GB less with "
                "ARROW_DEFAULT_MEMORY_POOL=system."
            ) from error
        if block.shape != shape or block.dtype != self.dtype or not block.flags.c_contiguous:
            raise ProblemError(
                f"block {number} of {self.source.place(number)!r} must be of shape {shape} and type {self.dtype}, in C "
                f"order; got shape {block.shape} and type {block.dtype}. Return it as it was announced."
            )
        return block
