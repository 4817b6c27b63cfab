"""Tables into files: CSV, CSV in gzip, or Parquet."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet
from pyarrow import csv

from ..machine.destination import write_file


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table as the ending of the path says."""
    ending = path.name.lower()
    if ending.endswith(".parquet"):
        write_file(path, lambda file: pyarrow.parquet.write_table(table, file))
    elif ending.endswith(".gz"):
        write_file(path, lambda file: _write_compressed(table, file))
    else:
        write_file(path, lambda file: write_csv(table, file))


def write_csv(table: pa.Table, file: Any) -> None:
    """CSV with names in the first line; texts stand in quotes."""
    csv.write_csv(table, file)


def _write_compressed(table: pa.Table, file: IO[bytes]) -> None:
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        write_csv(table, packed)
