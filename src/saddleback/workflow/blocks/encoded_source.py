"""Rows of Parquet files that are encoded at every pass, block by block, in little memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import local
from typing import Any

import numpy as np
import pyarrow as pa

from ..._types import Matrix
from ...errors import ProblemError
from ...losses.grouped.files.watched_files import WatchedFile
from ...tabular import Encoding
from ...tabular.reading.parquet_files import ROWS_AT_A_TIME
from .encoded_cut import EncodedCut

BLOCK_ENTRIES = 1 << 21
"""Features of a block, 16 MB of every thread: of thousands of rows, so that the time for each column of it is short."""


@dataclass(frozen=True, eq=False)
class EncodedSource:
    """A `BlockSource` whose sections are the cuts."""

    cuts: Sequence[EncodedCut]
    encoding: Encoding
    _cursors: local = field(default_factory=local, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return EncodedSource, (self.cuts, self.encoding)

    @cached_property
    def lengths(self) -> list[int]:
        """The rows of each block."""
        rows = self._block_rows
        return [min(rows, cut.n_rows - first) for cut in self.cuts for first in range(0, cut.n_rows, rows)]

    @cached_property
    def sections(self) -> list[int]:
        """The first block of each cut."""
        counts = [-(-cut.n_rows // self._block_rows) for cut in self.cuts]
        return np.cumsum([0, *counts[:-1]]).tolist()

    @cached_property
    def n_columns(self) -> int:
        """The features."""
        return len(self.encoding.feature_names)

    @cached_property
    def names(self) -> list[str]:
        """Those of the features."""
        return self.encoding.feature_names

    @property
    def dtype(self) -> np.dtype[Any]:
        """Features are of this type."""
        return np.dtype(np.float64)

    def read(self, number: int) -> Matrix:
        """The features of a block."""
        k = int(np.searchsorted(self.sections, number, side="right")) - 1
        place = number - self.sections[k]
        cursor: _Cursor | None = getattr(self._cursors, "cursor", None)
        if cursor is None or cursor.cut != k or cursor.done > place:
            (file,) = self.cuts[k].files.files
            self._watched[file].check_unchanged()
            cursor = _Cursor(k, self.cuts[k].pieces(self.encoding))
        # It is put back when nothing has failed, and the block is not the last one of its cut.
        self._cursors.cursor = None
        while cursor.done < place:
            cursor.next(self._block_rows)
        X = self.cuts[k].encoded(cursor.next(self.lengths[number]), self.encoding)
        if number + 1 < len(self.lengths) and number + 1 not in self.sections:
            self._cursors.cursor = cursor
        else:
            cursor.end()
        return X

    def place(self, number: int) -> str:
        """The file of a block."""
        return str(self.cuts[self._cut_of(number)].files.files[0])

    def row(self, number: int) -> int:
        """The number of its first row among those of its row groups that have a target."""
        return (number - self.sections[self._cut_of(number)]) * self._block_rows

    @cached_property
    def _watched(self) -> dict[Path, WatchedFile]:
        """The files as they are at the first read."""
        return {file: WatchedFile.of(file) for cut in self.cuts for file in cut.files.files}

    def _cut_of(self, number: int) -> int:
        return int(np.searchsorted(self.sections, number, side="right")) - 1

    @cached_property
    def _block_rows(self) -> int:
        return min(ROWS_AT_A_TIME, max(1, BLOCK_ENTRIES // self.n_columns))


class _Cursor:
    """How far a thread has read a cut."""

    def __init__(self, cut: int, pieces: Iterator[pa.Table]) -> None:
        self.cut = cut
        self.done = 0
        """Blocks."""
        self._pieces = pieces
        self._rest: list[pa.Table] = []

    def next(self, n_rows: int) -> pa.Table:
        """The next rows."""
        there = sum(piece.num_rows for piece in self._rest)
        while there < n_rows:
            self._rest.append(next(self._pieces))
            there += self._rest[-1].num_rows
        *whole, last = self._rest
        n_last = n_rows - (there - last.num_rows)
        self._rest = [last.slice(n_last)] if n_last < last.num_rows else []
        self.done += 1
        return pa.concat_tables([*whole, last.slice(0, n_last)])

    def end(self) -> None:
        """Refuse rows that should not be there."""
        if self._rest or next(self._pieces, None) is not None:
            raise ProblemError("a file has changed while it was read: it has more rows. Begin anew.")
