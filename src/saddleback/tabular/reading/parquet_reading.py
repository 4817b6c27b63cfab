"""Parquet as a table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import ProblemError
from ..names import listed, refuse_unknown, shown_path

# The file ends with the length of its footer (4 bytes) and PAR1.
TAIL, MAGIC = 8, b"PAR1"


def read_parquet(file: Path, columns: tuple[str, ...] | None) -> pa.Table:
    """The columns of a Parquet file, texts as dictionaries, so that repeated ones take little memory."""
    check_footer(file)
    try:
        with pq.ParquetFile(file) as opened:
            schema = opened.schema_arrow
            n_rows = opened.metadata.num_rows
        names = schema.names
        if twice := sorted({name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ()):
            raise ProblemError(f"{shown_path(file)} has several columns named {listed(twice)}; rename them.")
        for name in columns or ():
            refuse_unknown(name, names, "columns")
        chosen = list(names if columns is None else columns)
        texts = [name for name in chosen if is_text(schema.field(name).type)]
        with pq.ParquetFile(file, read_dictionary=texts) as opened:
            table = opened.read(columns=chosen, use_threads=True)
        table.validate(full=True)
        table = table.select(chosen).unify_dictionaries()
    except ProblemError:
        raise
    except MemoryError:
        raise
    except Exception as error:  # Arrow raises errors of many types for damaged files, also ones of Python.
        raise damaged(file, str(error)) from error
    if table.num_rows != n_rows:
        raise damaged(file, f"{n_rows} rows announced and {table.num_rows} found")
    return table


def check_footer(file: Path) -> None:
    """Refuse a file that was cut off: it would have another end."""
    size = file.stat().st_size
    with open(file, "rb") as opened:
        opened.seek(max(0, size - TAIL))
        tail = opened.read(TAIL)
    if size < 3 * len(MAGIC) or tail[4:] != MAGIC:
        raise damaged(file, "it does not end as Parquet does, so it was cut off or changed")
    if int.from_bytes(tail[:4], "little") > size - TAIL - len(MAGIC):
        raise damaged(file, "its footer is announced as longer than the file")


def damaged(file: Path, why: str) -> ProblemError:
    why = (why.splitlines() or ["no reason given"])[0][:200].rstrip(".")
    return ProblemError(f"{shown_path(file)} is a damaged Parquet file ({why}). Write or download it again.")


def is_text(kind: pa.DataType) -> bool:
    """Whether values of this type are texts."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
