"""Features in files as partitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....errors import ProblemError
from ....machine.memory_setting import read_memory
from ..files.block_source import BlockSource
from ..opened import GivenRows
from ..tables.streamed_table import StreamedTable
from .features import PartitionedFeatures
from .kept import Budget
from .loading import Expected, Part, Place
from .streamed import Streamed


def streamed_features(
    source: BlockSource, n_threads: int | None = None, memory: float | None = None
) -> PartitionedFeatures:
    """The rows of a source, for any number of losses. One read checks that all numbers are finite.

    ``memory`` bytes at most are for what is kept between passes; by default half of what is free.
    """
    tables = StreamedTable.sections_of(source)
    if not tables or not source.n_columns:
        shape = sum(source.lengths), source.n_columns
        raise ProblemError(f"X must have at least one row and one column; got shape {shape}.")
    budget = Budget(read_memory(None) if memory is None else memory)
    lengths = np.array([table.shape[0] for table in tables])
    starts = np.cumsum(lengths) - lengths
    parts = Streamed(
        [_part(k, table, int(starts[k]), len(tables)) for k, table in enumerate(tables)], n_threads, budget
    )
    parts.each_numbered(lambda number, part: part.source.check(int(starts[number])))
    names = source.names
    expected = Expected((str(source.dtype),), None if names is None else tuple(names), source.n_columns)
    return PartitionedFeatures(parts, expected, lengths)


def streamed(given: GivenRows, n_threads: int | None) -> GivenRows:
    """The same arguments with a `FileTable` as partitions."""
    return replace(given, X=streamed_features(given.X.blocks(), n_threads, given.X.memory))


def _part(number: int, table: StreamedTable, first_row: int, count: int) -> Part:
    n = table.shape[0]
    return Part(Place(number, count, f"rows {first_row} to {first_row + n - 1}"), n, table, {})
