"""Parquet files as a Dask data frame whose partitions are read on the workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from distributed import default_client

from ..errors import MissingDependencyError, ProblemError
from ..machine.file_listing import is_many
from ..tabular.names import column_names
from ..tabular.reading.parquet_files import ParquetFiles
from ..tabular.reading.read_table import checked_file, first_bytes, refuse_foreign
from .agreement import check_files, check_workers

PARTITION_ENTRIES = 1 << 23
"""Numbers of a partition, 64 MB: so many that the time of a task does not matter, and few beside a worker's memory."""


def read_parquet(
    path: str | PathLike[str], columns: Sequence[str] | None = None, *, rows_per_partition: int | None = None
) -> Any:
    """Parquet files as a Dask data frame; the rows are read on the workers, when they are asked for.

    Only the ends of the files are read at once, by this process: files with other columns or types are refused before
    any work, as are workers that do not see the files. Texts are texts; whole numbers and booleans with gaps are
    numbers with NaN, and decimals are numbers. A file that changes before its rows are read, or read anew, is refused.

    Parameters
    ----------
    path : path
        A file, a folder of Parquet files, or a pattern such as ``data/*.parquet``.
    columns : list of str, optional
        The columns to be read; all by default.
    rows_per_partition : int, optional
        Rows of a partition at most, but at least a row group, which is read as a whole; by default as many as make
        8 million numbers.

    Returns
    -------
    dask.dataframe.DataFrame

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np, pyarrow as pa, pyarrow.parquet as pq
    >>> import saddleback as sb
    >>> from saddleback.distributed import read_parquet
    >>> folder, rng = tempfile.mkdtemp(), np.random.default_rng(0)
    >>> for k in range(2):
    ...     x, town = rng.standard_normal(500), rng.choice(["big", "small"], 500)
    ...     columns = {"x": x, "town": town, "y": x + rng.logistic(size=500) > 0}
    ...     pq.write_table(pa.table(columns), os.path.join(folder, f"part-{k}.parquet"))
    >>> frame = read_parquet(folder)
    >>> frame.npartitions, list(frame.columns)
    (2, ['x', 'town', 'y'])
    >>> model = sb.MinimaxClassifier().fit(frame[["x"]], frame["y"], frame["town"])
    >>> model.group_names_
    ['big', 'small']
    """
    try:
        from dask.dataframe import from_map
    except ImportError as error:
        raise MissingDependencyError(
            f"data frames of Dask need pandas, which cannot be imported here ({error}): pip install pandas."
        ) from error
    files = parquet_files(path)
    chosen = tuple(files.names) if columns is None else column_names(columns, "columns")
    if not chosen:
        got = "a file without columns" if columns is None else "none"
        raise ProblemError(
            f"a data frame of {str(path)!r} must have at least one column; got {got}. Name some columns."
        )
    fields = {name: files.field(name) for name in chosen}
    if files.n_rows == 0:
        raise ProblemError(f"the files of {str(path)!r} have no rows; expected at least one.")
    check_cluster(files)
    most = rows_per_partition or max(1, PARTITION_ENTRIES // len(chosen))
    gaps = _with_gaps(files)
    schema = pa.schema([_as_read(name, field.type, gaps) for name, field in fields.items()])
    cuts = [replace(cut, files=tuple(file.absolute() for file in cut.files)) for cut in files.cut(most)]
    # Dask shares what has the same name: a call of its own name reads files that have been written anew, or are back.
    return from_map(
        _frame, cuts, schema=schema, call=uuid4().hex, meta=schema.empty_table().to_pandas(), label="read-parquet"
    )


def parquet_files(path: str | PathLike[str]) -> ParquetFiles:
    """The files of a path; refused where they are of another kind."""
    if not is_many(path):
        file = checked_file(path)
        start = first_bytes(file)
        if not start.startswith(b"PAR1"):
            refuse_foreign(file, start)
            raise ProblemError(
                f"{str(path)!r} is no Parquet file; workers read Parquet. Convert it: "
                "pyarrow.parquet.write_table(pyarrow.csv.read_csv(FILE), 'table.parquet')."
            )
    return ParquetFiles.of(path)


def check_cluster(files: ParquetFiles) -> None:
    """Refuse workers of the active client that cannot read the files; there may be no client."""
    try:
        client = default_client()
    except ValueError:
        return
    check_workers(client, ("pyarrow",))
    check_files(client, files.files)


def _with_gaps(files: ParquetFiles) -> frozenset[str]:
    """The columns of which the ends of the files do not say that all values are there."""
    gaps = set()
    for file in files.files:
        with pq.ParquetFile(file) as opened:
            metadata = opened.metadata
            for j in range(metadata.num_row_groups):
                for k in range(metadata.num_columns):
                    column = metadata.row_group(j).column(k)
                    known = column.statistics
                    if known is None or not known.has_null_count or known.null_count:
                        gaps.add(column.path_in_schema)
    return frozenset(gaps)


def _as_read(name: str, type_: pa.DataType, gaps: frozenset[str]) -> pa.Field:
    """The type of a column in all partitions, whether or not one of them has gaps."""
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    gapless = not (pa.types.is_integer(type_) or pa.types.is_boolean(type_)) or name not in gaps
    if pa.types.is_decimal(type_) or not gapless:
        type_ = pa.float64()
    return pa.field(name, type_)


def _frame(cut: ParquetFiles, schema: pa.Schema, call: str) -> Any:
    """The rows of a partition, on a worker."""
    return cut.table(schema.names).cast(schema).to_pandas()
