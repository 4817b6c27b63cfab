"""One door for files: CSV, compressed CSV and Parquet, told apart by their first bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...errors import ProblemError
from ...machine.file_listing import is_many
from ..names import column_names, listed, near_names, quoted, shown_path
from .csv_reading import read_csv
from .notes import with_notes
from .parquet_files import ParquetFiles
from .parquet_reading import read_parquet

PARQUET, GZIP = b"PAR1", b"\x1f\x8b"
# First bytes of files that people take for tables, and what to do with them.
FOREIGN = {
    b"PK\x03\x04": ("an Excel or zip file", "In Excel, save it as 'CSV UTF-8'; a zip file is to be unpacked first."),
    b"\xd0\xcf\x11\xe0": ("an Excel file of an old version", "In Excel, save it as 'CSV UTF-8'."),
    b"BZh": ("a file compressed by bzip2", "Unpack it with bunzip2."),
    b"\xfd7zXZ": ("a file compressed by xz", "Unpack it with unxz."),
    b"\x28\xb5\x2f\xfd": ("a file compressed by zstd", "Unpack it with unzstd."),
    b"ARROW1": ("an Arrow or Feather file", "Write it as Parquet with pyarrow.parquet.write_table."),
    b"PARE": ("an encrypted Parquet file", "Write it without encryption."),
    b"SQLite format 3": (
        "a database of SQLite",
        "Export the table as CSV: sqlite3 -header -csv FILE 'select * from t'.",
    ),
    b"<html": ("a web page", "Download the table itself."),
    b"<!DOCTYPE": ("a web page", "Download the table itself."),
    b"%PDF": ("a PDF", "A table must be CSV or Parquet."),
}


def read_table(
    path: Any, *, columns: Iterable[str] | None = None, text: Iterable[str] = (), empty: bool = False
) -> pa.Table:
    """A file of CSV, gzip-compressed CSV or Parquet as a table, on all cores.

    The kind of file is told by its first bytes, not by its name. In CSV the first line has the names of the columns;
    the text is UTF-8, with or without a byte order mark; columns are separated by commas, semicolons, tabs or vertical
    bars, as the first lines agree; values may be quoted and hold line breaks; empty lines are skipped. The type of
    a column is decided over all of its values: whole numbers, numbers, true and false, dates and times, else text.
    Whole numbers with leading zeros, such as 00123, are codes, and stay text. Missing are "", "?", "NA", "NaN", "null"
    and the like (``saddleback.tabular.content.missing.MARKERS``).

    Parameters
    ----------
    path : str or path
        The file; or a folder of Parquet files, or a pattern such as ``data/*.parquet``, whose files have the same
        columns of the same types and are one table, in the order of the numbers in their names.
    columns : names, optional
        Only these columns, in this order; by default all.
    text : names, optional
        Columns of a CSV file to be read as text, whatever they look like; names that the file lacks are ignored.
    empty : bool
        Whether the file may have names of columns and no rows; by default it is refused.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    ProblemError
        In one line: what is wrong with the file, where, and what to do.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from saddleback.tabular import read_table
    >>> file = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = file.write_text("age;zip\\n31;00501\\n?;10115\\n")
    >>> table = read_table(file)
    >>> table.column("age").to_pylist(), table.column("zip").to_pylist()
    ([31, None], ['00501', '10115'])
    """
    chosen = None if columns is None else column_names(columns, "columns")
    if chosen == ():
        raise ProblemError("columns must name at least one column; got none. Leave it out to read all of them.")
    as_text = column_names(text, "text")
    if isinstance(path, str | os.PathLike) and is_many(path):
        return _checked_rows(_many(path, chosen), str(path), empty=empty)
    file = checked_file(path)
    start = first_bytes(file)
    notes: list[str] = []
    try:
        if start.startswith(PARQUET):
            table = read_parquet(file, chosen)
        else:
            refuse_foreign(file, start)
            table, notes = read_csv(file, chosen, as_text, compressed=start.startswith(GZIP))
    except MemoryError:
        raise ProblemError(f"{shown_path(file)} does not fit into memory. Read fewer columns, or fewer rows.") from None
    return with_notes(_checked_rows(table, str(file), empty=empty), notes)


def _many(path: Any, columns: tuple[str, ...] | None) -> pa.Table:
    try:
        return ParquetFiles.of(path).table(columns)
    except MemoryError:
        raise ProblemError(f"the files of {quoted(str(path))} do not fit into memory. Read fewer columns.") from None


def _checked_rows(table: pa.Table, path: str, *, empty: bool) -> pa.Table:
    if table.num_rows == 0 and not empty:
        raise ProblemError(
            f"{shown_path(Path(path))} has {table.num_columns} columns and no rows; expected at least one row."
        )
    return table


def checked_file(path: Any) -> Path:
    """The path of a file that exists and is not empty; else an error that says what is there."""
    try:
        file = Path(os.fsdecode(os.fspath(path)))
    except TypeError:
        raise ProblemError(f"a table must be the path of a file; got {quoted(path)}.") from None
    try:
        if file.is_dir():
            inside = sorted(entry.name for entry in file.iterdir() if entry.is_file())
            held = f" It holds {listed(inside, 5)}." if inside else ""
            raise ProblemError(f"{shown_path(file)} is a folder; expected a file of CSV or Parquet.{held}")
        if not file.exists():
            raise ProblemError(f"there is no file {shown_path(file)}.{_near_files(file)}")
        if file.is_file() and file.stat().st_size == 0:
            raise ProblemError(f"{shown_path(file)} is empty; expected CSV with names in its first line, or Parquet.")
    except (OSError, ValueError) as error:
        if isinstance(error, ProblemError):
            raise
        raise ProblemError(f"{shown_path(file)} cannot be read: {reason_of(error)}.") from error
    if not file.is_file():
        raise ProblemError(f"{shown_path(file)} is not an ordinary file; write its contents to one first.")
    return file


def first_bytes(file: Path) -> bytes:
    try:
        with open(file, "rb") as opened:
            return opened.read(64)
    except OSError as error:
        raise ProblemError(f"{shown_path(file)} cannot be read: {reason_of(error)}.") from error


def refuse_foreign(file: Path, start: bytes) -> None:
    """Refuse files of another kind, by name."""
    for magic, (what, remedy) in FOREIGN.items():
        if start.lstrip().lower().startswith(magic.lower()):
            raise ProblemError(f"{shown_path(file)} is {what}; expected CSV, CSV in gzip, or Parquet. {remedy}")


def reason_of(error: BaseException) -> str:
    """The system's words for an error, without number and path."""
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return words.splitlines()[0].rstrip(".").lower() if words else type(error).__name__


def _near_files(file: Path) -> str:
    try:
        near = near_names(file.name, sorted(entry.name for entry in file.parent.iterdir()))
        if not near and not file.parent.exists():
            return f" There is no folder {shown_path(file.parent)} either."
    except FileNotFoundError:
        return f" There is no folder {shown_path(file.parent)} either."
    except OSError:
        return ""
    return f" Did you mean {' or '.join(map(quoted, near))}?" if near else ""
