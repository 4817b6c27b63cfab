"""Columns of numbers in a Parquet file as blocks: each row group is a section, decoded piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import MissingDependencyError, ProblemError
from ..kernels import load
from ..remedies import IMPUTE_FILES
from .rooms import Rooms
from .watched_files import WatchedFile, ask_ahead, cannot_read

BLOCK_BYTES = 1 << 23
"""Bytes of a block: the time that Arrow takes for a piece, whatever its length, is then small."""

STREAM_BYTES = 1 << 24
"""Bytes of all columns that Arrow reads from a row group at a time, which may be larger than memory."""

LEAST_STREAM = 1 << 14

KEPT_BYTES = 1 << 27
"""Bytes of a row group up to which Arrow keeps the memory that reading it took. To get it anew from the system took two
fifths of the processor time of an evaluation."""


@dataclass(frozen=True, eq=False)
class ParquetFooter:
    """What the end of a Parquet file says."""

    file: WatchedFile
    schema: Any
    group_rows: tuple[int, ...]

    @classmethod
    def of(cls, path: Path) -> ParquetFooter:
        """Refuse what is no Parquet file."""
        parquet, file = load_parquet(), WatchedFile.of(path)
        try:
            with parquet.ParquetFile(path) as opened:
                metadata, schema = opened.metadata, opened.schema_arrow
                rows = tuple(metadata.row_group(j).num_rows for j in range(metadata.num_row_groups))
        except Exception as error:  # Arrow raises errors of many types for damaged files, also ones of Python.
            raise _damaged(path, error) from error
        names = schema.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ProblemError(f"{str(path)!r} has several columns named {twice!r}; rename them.")
        return cls(file, schema.remove_metadata(), rows)

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what a process reads from the file again.
        return ParquetFooter, (self.file, self.schema, self.group_rows)

    @property
    def n_rows(self) -> int:
        return sum(self.group_rows)

    @cached_property
    def metadata(self) -> Any:
        """Of all row groups, read once: to read it for every row group takes quadratic time."""
        with load_parquet().ParquetFile(self.file.path) as opened:
            return opened.metadata


def load_parquet() -> Any:
    """pyarrow.parquet, which is imported where a Parquet file is opened."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingDependencyError(
            "reading Parquet needs pyarrow. Install it: pip install 'saddleback[table]'."
        ) from error
    return pyarrow.parquet


@dataclass(frozen=True, eq=False)
class ParquetBlocks:
    """`BlockSource` of some columns of one Parquet file. Dictionaries of numbers are expanded while they are read."""

    footer: ParquetFooter
    names: tuple[str, ...]
    dtype: np.dtype[Any]
    rooms: Rooms
    _cursors: local = field(default_factory=local, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return ParquetBlocks, (self.footer, self.names, self.dtype, self.rooms)

    @property
    def n_columns(self) -> int:
        return len(self.names)

    @cached_property
    def lengths(self) -> list[int]:
        rows = self._block_rows
        return [min(rows, n - first) for n in self.footer.group_rows for first in range(0, n, rows)]

    @cached_property
    def sections(self) -> list[int]:
        counts = [-(-n // self._block_rows) for n in self.footer.group_rows]
        return [first for first, count in zip(np.cumsum([0, *counts]).tolist(), counts, strict=False) if count]

    def read(self, number: int) -> NDArray[Any]:
        k = int(np.searchsorted(self.sections, number, side="right")) - 1
        piece = number - self.sections[k]
        cursor: _Cursor | None = getattr(self._cursors, "cursor", None)
        if cursor is None or cursor.group != k or cursor.done > piece:
            cursor = _Cursor(k, _pieces(self, self._groups[k]))
            self._cursors.cursor = cursor
        length = self.lengths[number]
        try:
            for _ in range(piece - cursor.done):
                cursor.skip(self._block_rows)
            by_columns = self.rooms.array("columns", (self.n_columns, length), self.dtype)
            cursor.fill(self, by_columns, self.row(number))
        except (ProblemError, MemoryError):
            self._cursors.cursor = None
            raise
        except Exception as error:
            self._cursors.cursor = None
            raise _damaged(self.footer.file.path, error) from error
        if number + 1 == (self.sections[k + 1] if k + 1 < len(self.sections) else len(self.lengths)):
            self._cursors.cursor = None
        block = self.rooms.array("block", (length, self.n_columns), self.dtype)
        load("transposing", "transpose")(by_columns, block)
        return block

    def place(self, number: int) -> str:
        return str(self.footer.file.path)

    def row(self, number: int) -> int:
        return self._first_rows[number]

    @cached_property
    def _first_rows(self) -> list[int]:
        return np.cumsum([0, *self.lengths[:-1]]).tolist()

    @cached_property
    def _groups(self) -> list[int]:
        """The row groups that have rows."""
        return [j for j, n in enumerate(self.footer.group_rows) if n]

    @property
    def _block_rows(self) -> int:
        return max(1, BLOCK_BYTES // (self.dtype.itemsize * len(self.names)))


class _Cursor:
    """How far a thread has read a row group."""

    def __init__(self, group: int, batches: Iterator[Any]) -> None:
        self.group = group
        self.done = 0
        """Blocks."""
        self._batches, self._rest = batches, None

    def skip(self, n_rows: int) -> None:
        for _ in self._of(n_rows):
            pass
        self.done += 1

    def fill(self, source: ParquetBlocks, by_columns: NDArray[Any], first_row: int) -> None:
        """Set the columns of a block."""
        place = 0
        for batch in self._of(by_columns.shape[1]):
            part = by_columns[:, place : place + batch.num_rows]
            for k, name in enumerate(source.names):
                part[k] = _numbers(batch.column(name), name, source.place(0), first_row + place)
            place += batch.num_rows
        self.done += 1

    def _of(self, n_rows: int) -> Iterator[Any]:
        """The next rows."""
        while n_rows:
            batch = self._rest if self._rest is not None else next(self._batches, None)
            if batch is None:
                raise ValueError("it has fewer rows than it says")
            own, self._rest = batch.slice(0, n_rows), None
            if batch.num_rows > n_rows:
                self._rest = batch.slice(n_rows)
            n_rows -= own.num_rows
            yield own


def _pieces(source: ParquetBlocks, group: int) -> Iterator[Any]:
    """The record batches of a row group; the next one is asked from the disk meanwhile."""
    import pyarrow

    file, d = source.footer.file, len(source.names)
    file.check_unchanged()
    buffer = max(LEAST_STREAM, STREAM_BYTES // d)
    try:
        metadata = source.footer.metadata
        with load_parquet().ParquetFile(file.path, metadata=metadata, buffer_size=buffer) as opened:
            _ask_for_next(source, metadata, group)
            yield from opened.iter_batches(
                source._block_rows, row_groups=[group], columns=list(source.names), use_threads=False
            )
    finally:
        # Arrow would keep what it has used for the next row group, which another thread may read.
        if source.footer.group_rows[group] * d * source.dtype.itemsize > KEPT_BYTES:
            pyarrow.default_memory_pool().release_unused()


def _ask_for_next(source: ParquetBlocks, metadata: Any, group: int) -> None:
    """Ask the system to read the columns of the next row group ahead."""
    if group + 1 >= metadata.num_row_groups:
        return
    following = metadata.row_group(group + 1)
    wanted = set(source.names)
    chunks = [following.column(j) for j in range(following.num_columns)]
    chunks = [chunk for chunk in chunks if chunk.path_in_schema in wanted]
    if not chunks:
        return
    starts = [min(chunk.data_page_offset, chunk.dictionary_page_offset or chunk.data_page_offset) for chunk in chunks]
    ends = [start + chunk.total_compressed_size for start, chunk in zip(starts, chunks, strict=True)]
    ask_ahead(source.footer.file.path, min(starts), max(ends) - min(starts))


def _numbers(column: Any, name: str, place: str, first_row: int) -> NDArray[Any]:
    """A column of numbers, booleans or decimals, or a dictionary of them."""
    import pyarrow as pa

    if column.null_count:
        row = first_row + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise ProblemError(
            f"X must be finite; got a missing entry in column {name!r}, row {row} of {place!r}. {IMPUTE_FILES}"
        )
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _damaged(path: Path, error: Exception) -> ProblemError:
    if isinstance(error, OSError) and error.errno is not None:
        return cannot_read(path, error)
    why = (str(error).splitlines() or ["no reason given"])[0][:200].rstrip(".")
    return ProblemError(f"{str(path)!r} is a damaged Parquet file ({why}). Write or download it again.")
