"""Several Parquet files as one table: at once, in pieces, or a sample of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from os import SEEK_END, PathLike, strerror
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import ProblemError
from ...machine.file_listing import files_of, is_many
from ..names import listed, quoted, refuse_unknown, shown_path
from .parquet_reading import TAIL, check_footer, damaged, is_text

SUFFIXES = (".parquet", ".pq")

ROWS_AT_A_TIME = 1 << 16
"""Rows of a piece at most: some megabytes for tens of columns."""

STREAM_BYTES = 1 << 24
"""Bytes of all columns that are read from a row group at a time, which may be larger than memory."""

LEAST_STREAM = 1 << 16
"""Of one column."""

SAMPLED_GROUPS = 32
"""Row groups that a sample is taken from: neighbors are often alike, as rows of one day or of one town."""


@dataclass(frozen=True, eq=False)
class ParquetFiles:
    """Files with the same columns of the same types, one after the other."""

    files: tuple[Path, ...]
    schema: pa.Schema
    """That of the first file; a column of nulls there has the type of another one."""
    group_rows: tuple[tuple[int, ...], ...]
    """The rows of the row groups of each file."""
    groups: tuple[int, ...] | None = None
    """The numbers of the row groups, where these are some of a single file; None for all of all files."""
    digest: bytes | None = None
    """Of the end of that file, which is refused where it has another one by the time it is read."""

    @classmethod
    def of(cls, path: str | PathLike[str]) -> ParquetFiles:
        """A file, a folder or a pattern; only the ends of the files are read. Files of other columns are refused."""
        files = files_of(path, SUFFIXES) if is_many(path) else [Path(path)]
        schemas, group_rows = zip(*(_footer(file) for file in files), strict=True)
        fields = list(schemas[0])
        for file, schema in zip(files[1:], schemas[1:], strict=True):
            fields = _agreed(fields, schema, files[0], file)
        return cls(tuple(files), pa.schema(fields), group_rows)

    @property
    def names(self) -> list[str]:
        """The columns."""
        return list(self.schema.names)

    @property
    def n_rows(self) -> int:
        """Of all files."""
        return sum(map(sum, self.group_rows))

    def field(self, name: str) -> pa.Field:
        """A column by its name."""
        refuse_unknown(name, self.names, "columns")
        return self.schema.field(name)

    @property
    def n_bytes(self) -> int:
        """Of all files."""
        return sum(file.stat().st_size for file in self.files)

    def cut(self, most_rows: int) -> list[ParquetFiles]:
        """All rows in their order, in tables of one file each: neighboring row groups of so many rows at most.

        A row group, which is read as a whole, is never cut; without rows it is in no table.
        """
        cuts = []
        for file, rows, end in zip(self.files, self.group_rows, self.ends(), strict=True):
            digest = sha256(end).digest()
            for run in _runs([(j, n) for j, n in enumerate(rows) if n], most_rows):
                numbers, lengths = zip(*run, strict=True)
                cuts.append(replace(self, files=(file,), group_rows=(lengths,), groups=numbers, digest=digest))
        return cuts

    def ends(self) -> Iterator[bytes]:
        """The end of every file, with the columns, and the places and the extremes of their parts."""
        return map(_end, self.files)

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """All rows in their order, in pieces; texts as dictionaries."""
        for file in self.files:
            yield from self._pieces_of(file, self.groups, self._chosen(columns))

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows."""
        return self._joined(list(self.pieces(columns)), columns)

    def sample(self, n_rows: int, columns: Sequence[str] | None = None) -> pa.Table:
        """About ``n_rows`` rows: the first rows of row groups that are evenly spaced among all of them."""
        groups = [(k, j, n) for k, rows in enumerate(self.group_rows) for j, n in enumerate(rows) if n]
        if sum(n for _, _, n in groups) <= n_rows:
            return self.table(columns)
        n_groups = min(len(groups), max(SAMPLED_GROUPS, -(-n_rows // ROWS_AT_A_TIME)))
        chosen = np.unique(np.linspace(0, len(groups) - 1, n_groups).astype(int)).tolist()
        ends = np.linspace(0, n_rows, len(chosen) + 1).astype(int)
        pieces = []
        for (k, j, _), left in zip((groups[at] for at in chosen), np.diff(ends).tolist(), strict=True):
            for piece in self._pieces_of(self.files[k], (j,), self._chosen(columns)):
                pieces.append(piece.slice(0, left))
                left -= pieces[-1].num_rows
                if left == 0:
                    break
        return self._joined(pieces, columns)

    def _chosen(self, columns: Sequence[str] | None) -> list[str]:
        for name in columns or ():
            refuse_unknown(name, self.names, "columns")
        return self.names if columns is None else list(columns)

    def _joined(self, pieces: list[pa.Table], columns: Sequence[str] | None) -> pa.Table:
        if pieces:
            return pa.concat_tables(pieces).unify_dictionaries()
        return pa.schema([_with_texts(self.schema.field(name)) for name in self._chosen(columns)]).empty_table()

    def _pieces_of(self, file: Path, groups: tuple[int, ...] | None, columns: list[str]) -> Iterator[pa.Table]:
        target = pa.schema([_with_texts(self.schema.field(name)) for name in columns])
        texts = [field.name for field in target if pa.types.is_dictionary(field.type)]
        buffer = max(LEAST_STREAM, STREAM_BYTES // max(1, len(columns)))
        if self.digest is not None and sha256(_end(file)).digest() != self.digest:
            raise ProblemError(
                f"{shown_path(file)} has changed since its end was read. Begin anew when the files are complete, and "
                "leave them unchanged."
            )
        with _read_again(file), pq.ParquetFile(file, read_dictionary=texts, buffer_size=buffer) as opened:
            chosen = None if groups is None else list(groups)
            for batch in opened.iter_batches(ROWS_AT_A_TIME, row_groups=chosen, columns=columns):
                table = pa.Table.from_batches([batch]).select(columns)
                table.validate(full=True)
                yield table.cast(target)


@contextmanager
def _read_again(file: Path) -> Iterator[None]:
    """Refusals of a file whose end could be read before: by now it may be gone, and its rows may be damaged."""
    try:
        yield
    except (ProblemError, MemoryError):
        raise
    except FileNotFoundError as error:
        raise ProblemError(
            f"{shown_path(file)} is no longer there: it was removed or renamed since its end was read. Begin anew when "
            "the files are complete."
        ) from error
    except Exception as error:  # Arrow raises errors of many types for damaged files, also ones of Python.
        if isinstance(error, OSError) and error.errno is not None:
            raise ProblemError(f"{shown_path(file)} cannot be read any more: {strerror(error.errno)}.") from error
        raise damaged(file, str(error)) from error


def _end(file: Path) -> bytes:
    with _read_again(file), open(file, "rb") as opened:
        size = opened.seek(0, SEEK_END)
        opened.seek(size - TAIL)
        length = int.from_bytes(opened.read(4), "little")
        opened.seek(size - TAIL - length)
        return opened.read(length)


def _runs(groups: list[tuple[int, int]], most_rows: int) -> list[list[tuple[int, int]]]:
    """Neighbors (number, rows) together, of so many rows at most, or alone."""
    runs: list[list[tuple[int, int]]] = []
    size = 0
    for group in groups:
        if not runs or size + group[1] > most_rows:
            runs.append([])
            size = 0
        runs[-1].append(group)
        size += group[1]
    return runs


def _footer(file: Path) -> tuple[pa.Schema, tuple[int, ...]]:
    """The columns of a file, and the rows of its row groups."""
    try:
        check_footer(file)
        with pq.ParquetFile(file) as opened:
            metadata, schema = opened.metadata, opened.schema_arrow
            rows = tuple(metadata.row_group(j).num_rows for j in range(metadata.num_row_groups))
    except ProblemError:
        raise
    except OSError as error:
        raise ProblemError(f"{shown_path(file)} cannot be read: {error.strerror or error}.") from error
    except Exception as error:
        raise damaged(file, str(error)) from error
    names = schema.names
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ProblemError(f"{shown_path(file)} has several columns named {listed(twice)}; rename them.")
    return schema.remove_metadata(), rows


def _agreed(fields: list[pa.Field], schema: pa.Schema, first: Path, file: Path) -> list[pa.Field]:
    """The columns of both; refused where a name or a type differs. A column of nulls has any type."""
    names = [field.name for field in fields]
    if set(names) != set(schema.names):
        lacking = [name for name in names if name not in schema.names]
        further = [name for name in schema.names if name not in names]
        differs = f"lacks {listed(lacking)}" if lacking else f"has {listed(further)} besides"
        raise ProblemError(
            f"all files must have the same columns; {shown_path(file)} {differs}, unlike {shown_path(first)}. Write "
            "the files anew with one set of columns."
        )
    agreed = []
    for field in fields:
        own = schema.field(field.name)
        if pa.types.is_null(field.type):
            field = own
        elif not pa.types.is_null(own.type) and _kind(own.type) != _kind(field.type):
            raise ProblemError(
                f"the column {quoted(field.name)} must have one type in all files; it is {field.type} in "
                f"{shown_path(first)} and {own.type} in {shown_path(file)}. Write one of them anew."
            )
        agreed.append(field)
    return agreed


def _kind(type_: pa.DataType) -> str:
    """Types of one kind have the same values: texts are written in several ways."""
    type_ = type_.value_type if pa.types.is_dictionary(type_) else type_
    return "text" if is_text(type_) else str(type_)


def _with_texts(field: pa.Field) -> pa.Field:
    """The field as it is read: texts as dictionaries."""
    type_ = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    return pa.field(field.name, pa.dictionary(pa.int32(), pa.string()) if is_text(type_) else field.type)
