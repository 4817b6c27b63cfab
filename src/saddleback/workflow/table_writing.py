"""Tables into files: CSV, CSV in gzip, or Parquet; in pieces, so that little of them is in memory."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
from pyarrow import csv

from ..machine.destination import write_file


def write_tables(tables: Iterable[pa.Table], path: Path) -> None:
    """Write tables with the same columns, one at least, one after the other, as the ending of the path says."""
    ending = path.name.lower()
    if ending.endswith(".parquet"):
        write_file(path, lambda file: _write(tables, lambda schema: pyarrow.parquet.ParquetWriter(file, schema)))
    elif ending.endswith(".gz"):
        write_file(path, lambda file: _write_compressed(tables, file))
    else:
        write_file(path, lambda file: write_csv(tables, file))


def write_csv(tables: Iterable[pa.Table], file: Any) -> None:
    """CSV with names in the first line; texts stand in quotes."""
    _write(tables, lambda schema: csv.CSVWriter(file, schema))


def _write(tables: Iterable[pa.Table], open_writer: Any) -> None:
    left = iter(tables)
    first = next(left)
    with open_writer(first.schema) as writer:
        writer.write_table(first)
        for table in left:
            writer.write_table(table)


def _write_compressed(tables: Iterable[pa.Table], file: Any) -> None:
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        write_csv(tables, packed)
