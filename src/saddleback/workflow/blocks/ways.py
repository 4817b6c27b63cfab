"""The ways to get at the rows of a table: in memory, from the files at every pass, or on the workers of a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any

from ...errors import ProblemError
from ...machine.file_listing import is_many
from ...machine.memory_setting import SHARE, read_memory
from ...machine.resources import free_memory, gigabytes
from ...tabular import Encoding
from ...tabular.encoding.finding import note
from ...tabular.names import quoted
from ...tabular.reading.parquet_files import ParquetFiles
from ...tabular.reading.read_table import PARQUET, checked_file, first_bytes
from ..watcher import Watcher
from .block_rows import MakeBlocks
from .encoding_sample import learn_on_sample, sample_size
from .from_files import blocks_of_files
from .on_cluster import blocks_on, leave_errors_to_the_client

COPIES = 3.0
"""Tables of features that a fit in memory has room for: a fit to 4 million rows with 80 features has taken 2.1 of them,
the columns as they were read and the features; the rest is for what folds and other models take."""

MOST_FEATURES = 10
"""Features that a column is supposed to become at most, before the columns are looked at."""

CSV_COPIES = 2.0
"""What a file of CSV takes at least in memory, beside its own bytes."""


@dataclass(frozen=True)
class Asked:
    """Where the rows are to be; by default this is decided by their number and by the free memory."""

    scheduler: str | None = None
    memory: float | None = None
    """Bytes that the rows may take; by default half of those that are free."""
    out_of_core: bool | None = None

    @classmethod
    def of(cls, scheduler: Any, memory: Any, out_of_core: Any) -> Asked:
        """The arguments of `fit_table`, checked."""
        if scheduler is not None and not (isinstance(scheduler, str) and scheduler.strip()):
            raise ProblemError(
                f"scheduler must be 'local', or the address of a scheduler such as tcp://10.0.0.5:8786; got "
                f"{quoted(scheduler)}."
            )
        if out_of_core is not None and not isinstance(out_of_core, bool):
            raise ProblemError(f"out_of_core must be True, False or None; got {quoted(out_of_core)}.")
        if scheduler is not None and (out_of_core is not None or memory is not None):
            of_core = "out_of_core" if out_of_core else "out_of_core=False"
            other = "memory" if memory is not None else of_core
            raise ProblemError(
                f"scheduler must be given without {other}: the rows are then in the memory of workers. Leave one of "
                "them out."
            )
        return cls(scheduler, None if memory is None else read_memory(memory), out_of_core)

    @property
    def elsewhere(self) -> bool:
        """Whether rows are not to be in this process's memory, however few they are."""
        return self.scheduler is not None or self.out_of_core is True

    @property
    def limit(self) -> float:
        """Bytes that the rows may take in memory."""
        return read_memory(None) if self.memory is None else self.memory


def parquet_of(data: Any, asked: Asked) -> ParquetFiles | None:
    """The Parquet files of a table; None where it is of another kind, which is read into memory."""
    if not isinstance(data, str | PathLike):
        _refuse_elsewhere(asked, f"a table of type {type(data).__name__}", "Write it to Parquet files.")
        return None
    if is_many(data):
        return ParquetFiles.of(data)
    file = checked_file(data)
    if first_bytes(file).startswith(PARQUET):
        return ParquetFiles.of(data)
    remedy = f"Convert it to Parquet, which is read in pieces: {CONVERT}"
    _refuse_elsewhere(asked, f"{quoted(os.fspath(data))}, which is CSV", remedy)
    n_bytes = CSV_COPIES * file.stat().st_size
    limit = free_memory() if asked.memory is None else asked.memory
    if n_bytes > limit:
        raise ProblemError(
            f"{quoted(os.fspath(data))} is CSV, which is read into memory, and would take {gigabytes(n_bytes)} or more "
            f"of it; {gigabytes(limit)} {'are free' if asked.memory is None else 'may be taken'}. {remedy}"
        )
    return None


CONVERT = (
    "python -c \"from pyarrow import csv, dataset; dataset.write_dataset(csv.open_csv('FILE.csv'), 'FOLDER', "
    "format='parquet')\"."
)


def _refuse_elsewhere(asked: Asked, what: str, remedy: str) -> None:
    if not asked.elsewhere:
        return
    option = "scheduler" if asked.scheduler is not None else "out_of_core"
    raise ProblemError(f"{option} takes Parquet files, a folder of them or a pattern; got {what}. {remedy}")


def in_memory_bytes(n_rows: int, n_features: int) -> float:
    """What a fit in memory would take."""
    return 8.0 * COPIES * n_rows * n_features


@dataclass(frozen=True)
class Way:
    """Where features are put, and the encoding that makes them."""

    encoding: Encoding
    make: MakeBlocks


@contextmanager
def way_of(files: ParquetFiles, asked: Asked, watcher: Watcher, columns: Mapping[str, Any]) -> Iterator[Way | None]:
    """How the features of Parquet files are held during a fit; None for in the memory of this process.

    ``columns`` are the options of `learn_encoding`.
    """
    if asked.scheduler is not None:
        with _cluster(asked.scheduler, files, watcher, columns) as way:
            yield way
        return
    if asked.out_of_core is False or (asked.out_of_core is None and _surely_fits(files, asked.limit)):
        yield None
        return
    encoding = _learned(files, watcher, columns)
    width = len(encoding.feature_names)
    n_bytes, limit = in_memory_bytes(files.n_rows, width), asked.limit
    if n_bytes <= limit and not asked.out_of_core:
        yield None
        return
    told = f"{files.n_rows:,} rows with {width} features take {gigabytes(n_bytes)} in memory"
    if asked.out_of_core:
        told += ": as asked for, they are read from the files at every pass."
    elif asked.memory is None:
        told += (
            f", more than half of the {gigabytes(limit / SHARE)} that are free: they are read from the files at every "
            "pass."
        )
    else:
        told += f", more than the {gigabytes(limit)} that they may take: they are read from the files at every pass."
    yield Way(encoding.with_findings([note("", "memory", told)]), partial(blocks_of_files, limit))


@contextmanager
def _cluster(scheduler: str, files: ParquetFiles, watcher: Watcher, columns: Mapping[str, Any]) -> Iterator[Way]:
    from ...distributed import connect
    from ...distributed.agreement import check_files, check_workers
    from ...distributed.connecting import LOCAL

    watcher.tell(f"connecting to workers: {scheduler}")
    with connect(scheduler) as client:
        if scheduler == LOCAL:
            client.run(leave_errors_to_the_client)
        check_workers(client, ("pyarrow", "scikit-learn"))
        check_files(client, files.files)
        encoding = _learned(files, watcher, columns)
        threads = client.nthreads()
        where = "on this machine" if scheduler == LOCAL else f"of {client.scheduler.address}"
        told = (
            f"{files.n_rows:,} rows with {len(encoding.feature_names)} features are in the memory of "
            f"{len(threads)} worker{'s' if len(threads) > 1 else ''} {where}, with {sum(threads.values())} threads."
        )
        yield Way(encoding.with_findings([note("", "memory", told)]), partial(blocks_on, client))


def _learned(files: ParquetFiles, watcher: Watcher, columns: Mapping[str, Any]) -> Encoding:
    watcher.tell(f"learning how the columns are read, from {min(sample_size(files), files.n_rows):,} rows")
    return learn_on_sample(files, **columns)


def _surely_fits(files: ParquetFiles, limit: float) -> bool:
    """Whether the rows fit into memory even if every column becomes many."""
    return in_memory_bytes(files.n_rows, MOST_FEATURES * len(files.names)) <= limit
