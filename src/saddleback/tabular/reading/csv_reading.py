"""CSV as a table: types from the first rows, then one pass with these types, which needs little memory.

pyarrow infers the types itself if it is not told them, but keeps the text of all rows until the end: twice the memory.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from ...errors import ProblemError
from ..content.missing import MARKERS
from ..names import listed, refuse_unknown, shown_path
from .csv_diagnosis import check_start, diagnosis, only_names, refuse_open_quote
from .csv_dialect import SEPARATORS, find_separator
from .watched_file import Seen, read_watched

# Read at a time: large enough for all cores, small against memory. Rows longer than this need longer blocks.
BLOCK_BYTES = 1 << 21
LONGEST_BLOCK = 1 << 30
# Passes in which a column turns out to be of a wider type than its first rows, before the types are inferred from all
# rows at once, which needs more memory and is always right.
MOST_PASSES = 6
# A text of which more than this share of the first rows differ is no category; a dictionary of it would cost memory.
VARIED_SHARE = 0.5
# 00123, but not 0.
CODE = r"^\s*0[0-9]+\s*$"

CATEGORY = pa.dictionary(pa.int32(), pa.string())


def read_csv(
    file: Path, columns: tuple[str, ...] | None, text: tuple[str, ...], *, compressed: bool
) -> tuple[pa.Table, list[str]]:
    """The table, and notes on how the file was read."""
    sample = check_start(file, BLOCK_BYTES, compressed=compressed)
    separator = find_separator(sample)
    block = BLOCK_BYTES
    while True:
        try:
            table = _Reading(file, separator, block, compressed).table(columns, text)
            break
        except ProblemError:
            raise
        except MemoryError:
            raise
        except Exception as error:  # Arrow raises errors of many types for damaged files, also ones of Python.
            if "straddling" in str(error) and block < LONGEST_BLOCK:
                block = min(16 * block, LONGEST_BLOCK)
                continue
            # Arrow cannot read a first line that does not end and has no other one after it.
            names = only_names(file, compressed=compressed) if "Empty CSV" in str(error) else None
            if names is not None:
                names = clean_names(names, file)
                table = pa.table([pa.array([], CATEGORY)] * len(names), names)
                break
            raise diagnosis(file, separator, error, compressed=compressed) from error
    notes = [] if separator == "," else [f"The columns of the file are separated by {SEPARATORS[separator]}."]
    return table, notes


class _Reading:
    """One file with what is known of its layout."""

    def __init__(self, file: Path, separator: str, block: int, compressed: bool) -> None:
        self.file = file
        self.separator = separator
        self.block = block
        self.compressed = compressed

    def table(self, columns: tuple[str, ...] | None, text: tuple[str, ...]) -> pa.Table:
        first = self._first_rows()
        raw_names = first.schema.names
        names = clean_names(raw_names, self.file)
        for name in columns or ():
            refuse_unknown(name, names, "columns")
        chosen = list(range(len(names))) if columns is None else [names.index(name) for name in columns]
        types = {raw_names[i]: CATEGORY if names[i] in text else _type_of(first.column(i)) for i in chosen}
        for name in self._columns_of_codes(_whole(types), most_rows=first.num_rows):
            types[name] = CATEGORY
        table, seen = self._read(types, raw_names)
        if seen.n_quotes % 2:
            refuse_open_quote(self.file, self.separator, compressed=self.compressed)
        if seen.has_codes and (late := self._columns_of_codes(_whole(types))):
            types |= dict.fromkeys(late, CATEGORY)
            table, _ = self._read(types, raw_names)
        return table.rename_columns([names[i] for i in chosen]).unify_dictionaries()

    def _read(self, types: dict[str, pa.DataType], raw_names: list[str]) -> tuple[pa.Table, Seen]:
        """The columns with these types, or with wider ones, which are put into ``types``."""
        for _ in range(MOST_PASSES):
            try:
                return self._pass(types, list(types))
            except pa.ArrowInvalid as error:
                column = _column_of(error, raw_names)
                if column not in types or types[column] == CATEGORY:
                    raise
                types[column] = pa.float64() if pa.types.is_integer(types[column]) else CATEGORY
        texts = {name: kind for name, kind in types.items() if kind == CATEGORY}
        table, seen = self._pass(texts, list(types))
        types |= dict(zip(types, table.schema.types, strict=True))
        return table, seen

    def _pass(self, types: dict[str, pa.DataType], names: list[str]) -> tuple[pa.Table, Seen]:
        return read_watched(self.file, self.separator, self._options(types, names), compressed=self.compressed)

    def _first_rows(self) -> pa.Table:
        """The rows of the first block, with the types that they suggest."""
        with self._open() as opened, csv.open_csv(opened, **self._options({}, None)) as reader:
            try:
                return pa.Table.from_batches([reader.read_next_batch()])
            except StopIteration:
                return reader.schema.empty_table()

    def _columns_of_codes(self, names: list[str], most_rows: int | None = None) -> list[str]:
        """Those columns of whole numbers that have values such as 00123 in the first rows, or in all."""
        found: list[str] = []
        if not names or most_rows == 0:
            return found
        options = self._options(dict.fromkeys(names, pa.string()), names)
        with self._open() as opened, csv.open_csv(opened, **options) as reader:
            for rows in reader:
                found += [
                    name
                    for name in names
                    if name not in found and pc.any(pc.match_substring_regex(rows.column(name), CODE)).as_py()
                ]
                if most_rows is not None or len(found) == len(names):
                    break
        return found

    def _open(self) -> Any:
        return pa.input_stream(str(self.file), compression="gzip" if self.compressed else None)

    def _options(self, types: dict[str, pa.DataType], names: list[str] | None) -> dict[str, Any]:
        return {
            "read_options": csv.ReadOptions(block_size=self.block, use_threads=True),
            "parse_options": csv.ParseOptions(delimiter=self.separator, newlines_in_values=True),
            "convert_options": csv.ConvertOptions(
                column_types=types,
                null_values=list(MARKERS),
                # Not 1 and 0: a text that is "true" in one row and "1" in another is neither.
                true_values=["true", "True", "TRUE"],
                false_values=["false", "False", "FALSE"],
                strings_can_be_null=True,
                include_columns=names,
            ),
        }


def clean_names(raw: list[str], file: Path) -> list[str]:
    """The names without spaces around them; a column without a name is named by its place."""
    names = [name.strip() or f"(column {place})" for place, name in enumerate(raw, 1)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ProblemError(
            f"names of columns must differ; the first line of {shown_path(file)} has {listed(twice)} more than once. "
            "Rename them there; if it holds values, write names above it."
        )
    return names


def _type_of(column: pa.ChunkedArray) -> pa.DataType:
    """The type to read a column with, as its first rows suggest."""
    kind = column.type
    if pa.types.is_null(kind):
        return CATEGORY
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        varied = column.length() >= 1000 and pc.count_distinct(column).as_py() > VARIED_SHARE * column.length()
        return pa.string() if varied else CATEGORY
    return kind


def _whole(types: dict[str, pa.DataType]) -> list[str]:
    """The columns of whole numbers."""
    return [name for name, kind in types.items() if pa.types.is_integer(kind)]


def _column_of(error: pa.ArrowInvalid, names: list[str]) -> str | None:
    """The column whose values an error of Arrow is about."""
    found = re.search(r"In CSV column #(\d+): CSV conversion error", str(error))
    return names[int(found[1])] if found and int(found[1]) < len(names) else None
