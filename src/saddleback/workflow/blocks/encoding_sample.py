"""An encoding that is learned on a sample of many rows."""

from __future__ import annotations

from typing import Any

from ...tabular import Encoding, learn_encoding
from ...tabular.encoding.finding import note
from ...tabular.reading.parquet_files import ParquetFiles
from .row_labels import target_values

SAMPLE_ROWS = 200_000
"""Rows that an encoding is learned on: a level that one row of a thousand has is there 200 times."""

SAMPLE_BYTES = 2**28
"""Of the sample of a wide table, at eight bytes for a value."""

LEAST_ROWS = 20_000
"""Of a sample, however wide the table is."""


def learn_on_sample(files: ParquetFiles, target: str, **options: Any) -> Encoding:
    """The rules of columns by some rows of evenly spaced row groups; all values of the target are known."""
    n_rows = sample_size(files)
    if n_rows >= files.n_rows:
        return learn_encoding(files.table(), target=target, **options)
    sample = files.sample(n_rows)
    encoding = learn_encoding(sample, target=target, targets=target_values(files, target), **options)
    told = (
        f"How columns are read was learned on {sample.num_rows:,} of {files.n_rows:,} rows, from evenly spaced places "
        "of the files; so are these remarks. Texts that only other rows have are treated as rare ones; "
        "where only other rows lack values, they get the mean, or the shares of the levels, of these rows."
    )
    return encoding.with_findings([note("", "sample", told)])


def sample_size(files: ParquetFiles) -> int:
    """The rows of a sample."""
    of_bytes = SAMPLE_BYTES // (8 * len(files.names))
    return min(SAMPLE_ROWS, max(LEAST_ROWS, of_bytes))
