"""What is wrong with a CSV file, and in which line: a slow look at files that pyarrow refused."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from itertools import islice
from pathlib import Path
from typing import IO, Any

from ...errors import ProblemError
from ..names import shown_path
from .csv_dialect import find_separator

UTF8_MARK = b"\xef\xbb\xbf"
WIDE_MARKS = {b"\xff\xfe": "UTF-16LE", b"\xfe\xff": "UTF-16BE"}
QUOTE_SEPARATORS = "A value that holds the separator must stand in quotes."
# Of a file that seems to have one line only.
LINES_LOOKED_AT = 1000
GZIP_ERRORS = (EOFError, gzip.BadGzipFile, zlib.error)


def check_start(file: Path, n_bytes: int, *, compressed: bool) -> str:
    """The first characters of a file; an error where they cannot be text, or where there are none."""
    try:
        with open_bytes(file, compressed=compressed) as opened:
            start = opened.read(n_bytes)
    except GZIP_ERRORS as error:
        raise damaged_gzip(file, error) from error
    except OSError as error:
        raise ProblemError(f"{shown_path(file)} cannot be read: {error.strerror or error}.") from error
    if not start.removeprefix(UTF8_MARK).strip():
        raise ProblemError(f"{shown_path(file)} holds no text; expected CSV with names in its first line.")
    for mark, encoding in WIDE_MARKS.items():
        if start.startswith(mark):
            raise not_utf8(file, 1, encoding)
    if b"\0" in start[:4096]:
        raise ProblemError(f"{shown_path(file)} is not text; expected CSV, CSV in gzip, or Parquet.")
    try:
        # The last character may be cut.
        return io.TextIOWrapper(io.BytesIO(start), "utf-8-sig", newline="").read(max(1, len(start) // 4))
    except UnicodeDecodeError as error:
        raise not_utf8(file, 1 + start[: error.start].count(b"\n")) from error


def diagnosis(file: Path, separator: str, error: BaseException, *, compressed: bool) -> ProblemError:
    """The error of a file that Arrow refused: where it is not UTF-8, ragged or damaged, else in Arrow's words."""
    try:
        found = _not_decodable(file, compressed) or _ragged(file, separator, compressed)
    except GZIP_ERRORS as damage:
        return damaged_gzip(file, damage)
    except (OSError, MemoryError) as other:
        return ProblemError(f"{shown_path(file)} cannot be read: {other}.")
    why = (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(".")
    return found or ProblemError(f"{shown_path(file)} cannot be read as CSV ({why}). Write it again, values in quotes.")


def open_bytes(file: Path, *, compressed: bool) -> IO[bytes]:
    opener: Any = gzip.open if compressed else open
    return opener(file, "rb")


def damaged_gzip(file: Path, error: BaseException) -> ProblemError:
    why = str(error).splitlines()[0].rstrip(".").lower()
    return ProblemError(f"{shown_path(file)} is damaged: it cannot be unpacked ({why}). Write or download it again.")


def not_utf8(file: Path, line: int, encoding: str = "WINDOWS-1252") -> ProblemError:
    return ProblemError(
        f"{shown_path(file)} is not UTF-8 text (line {line}). Convert it: "
        f"iconv -f {encoding} -t UTF-8 OLD.csv > NEW.csv, or save it as 'CSV UTF-8' in Excel."
    )


def _not_decodable(file: Path, compressed: bool) -> ProblemError | None:
    with open_bytes(file, compressed=compressed) as opened:
        for number, line in enumerate(opened, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return not_utf8(file, number)
    return None


def _ragged(file: Path, separator: str, compressed: bool) -> ProblemError | None:
    """The first row with another number of values than there are names."""
    with open_bytes(file, compressed=compressed) as opened:
        rows = _rows(opened, separator)
        expected, before = 0, 0
        try:
            for row in rows:
                if row and expected == 0:
                    expected = len(row)
                elif row and len(row) != expected:
                    hint = "Is a quote not closed there?" if rows.line_num > before + 1 else QUOTE_SEPARATORS
                    return ProblemError(
                        f"{shown_path(file)} has {len(row)} values in line {before + 1}; expected {expected}, as many "
                        f"as there are names in the first line. {hint}"
                    )
                before = rows.line_num
        except csv.Error as error:
            return ProblemError(
                f"{shown_path(file)} cannot be read from line {before + 1} on ({error}). Is a quote not closed there?"
            )
    return None


def only_names(file: Path, *, compressed: bool) -> list[str] | None:
    """The names in a file of one line; None where it has more, or is not text."""
    with open_bytes(file, compressed=compressed) as opened:
        lines = [line for line in islice(opened, LINES_LOOKED_AT) if line.strip()]
    try:
        line = lines[0].decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return next(csv.reader([line], delimiter=find_separator(line))) if len(lines) == 1 else None


def refuse_open_quote(file: Path, separator: str, *, compressed: bool) -> None:
    """Refuse a file whose last value begins with a quote and does not end with one: rows would be lost in it."""
    with open_bytes(file, compressed=compressed) as opened:
        rows = _rows(opened, separator, strict=True)
        before = 0
        while True:
            before = rows.line_num
            try:
                next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                if "unexpected end" in str(error):
                    told = (
                        f"{shown_path(file)} has a quote in line {before + 1} that is not closed; expected its partner."
                    )
                    raise ProblemError(f"{told} A quote within a value is written twice.") from error


def _rows(opened: IO[bytes], separator: str, *, strict: bool = False) -> Any:
    return csv.reader(io.TextIOWrapper(opened, "utf-8-sig", newline=""), delimiter=separator, strict=strict)
