"""Features that stay in their partitions, checked once, for any number of losses and other sums over rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...._types import Indices
from ..tables.dense_source import DenseSource
from ..tables.sources import read_matrix
from ..tables.sparse_source import SparseSource
from ..tables.streamed_table import StreamedTable
from .collections import Partitioned
from .executor import Executor
from .loading import Expected, Part
from .starting import start
from .streamed import Streamed


@dataclass(frozen=True, eq=False)
class PartitionedFeatures:
    """The argument X of `GroupedLinear` in partitions that are in memory, on workers or here.

    Losses of it copy no features that the kernels can read in place; labels, groups and weights come from the client.
    """

    parts: Executor
    expected: Expected
    lengths: Indices
    """The rows of each partition."""

    @classmethod
    def of(cls, X: Any, n_threads: int | None = None) -> PartitionedFeatures:
        """A Dask array or data frame, computed and checked."""
        source = Partitioned.of(X, {})
        parts = start(source, n_threads)
        return cls(parts, source.expected, np.array(parts.each(_n_rows)))

    @property
    def sparse(self) -> bool:
        """Whether a partition is a sparse matrix."""
        return any(self.parts.each(_is_sparse))

    def map(self, function: Callable[..., Any], own: Sequence[Any], *shared: Any) -> list[Any]:
        """``function(X, own, *shared)`` of every partition; answers are small, in the order of the partitions."""
        asked = self.parts.then(_Asked(function, shared, self.expected.n_columns), list(own))
        return asked.each(_itself)

    def taken(self, rows: Sequence[Indices]) -> PartitionedFeatures | None:
        """Some rows of every partition, copied where they are, or from files to memory; None where these are many."""
        if isinstance(self.parts, Streamed):
            entries = sum(own.size for own in rows) * self.expected.n_columns
            if entries * np.dtype(self.expected.dtypes[0]).itemsize > self.parts.budget.memory:
                return None
        parts = self.parts.then(_some_rows, list(rows))
        parts = parts.here() if isinstance(parts, Streamed) else parts
        return PartitionedFeatures(parts, self.expected, np.array([own.size for own in rows]))


@dataclass(frozen=True, eq=False)
class _Asked:
    function: Callable[..., Any]
    shared: tuple[Any, ...]
    n_columns: int

    def __call__(self, part: Part, own: Any) -> Any:
        X: Any = np.empty((0, self.n_columns))
        if isinstance(part.source, DenseSource | SparseSource):
            X = part.source.X
        elif isinstance(part.source, StreamedTable):
            X = part.source.some_rows()
        with part.place.named():
            return self.function(X, own, *self.shared)


def _some_rows(part: Part, rows: Indices) -> Part:
    if not rows.size or part.source is None:
        return replace(part, n_rows=0, source=None)
    if isinstance(part.source, DenseSource | SparseSource):
        return replace(part, n_rows=rows.size, source=read_matrix(part.source.X[rows]))
    if isinstance(part.source, StreamedTable):
        return replace(part, n_rows=rows.size, source=read_matrix(part.source.some_rows(rows)))
    raise AssertionError(f"a partition in memory is no {type(part.source).__name__}")


def _itself(answer: Any) -> Any:
    return answer


def _is_sparse(part: Part) -> bool:
    return isinstance(part.source, SparseSource)


def _n_rows(part: Part) -> int:
    return part.n_rows
