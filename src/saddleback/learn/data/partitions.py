"""Arguments of ``fit`` that Dask or files hold: features stay in their partitions, all else comes into this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._types import Indices
from ...errors import ProblemError
from ...losses import FileTable, GroupedLinear
from ...losses.grouped.partitions.collections import is_dask, refuse_other_collections
from ...losses.grouped.partitions.features import PartitionedFeatures
from .files import features_in_files, with_columns_read, without_rows
from .remote import RemoteMatrix


@dataclass(frozen=True, eq=False)
class Partitions:
    """`Blocks` that are the partitions of a Dask collection or the sections of files."""

    features: PartitionedFeatures

    @property
    def lengths(self) -> Indices:
        return self.features.lengths

    @property
    def n_columns(self) -> int:
        return self.features.expected.n_columns

    def map(self, function: Callable[..., Any], own: Sequence[Any], *shared: Any) -> list[Any]:
        return self.features.map(function, own, *shared)

    def taken(self, rows: Sequence[Indices]) -> Partitions | None:
        features = self.features.taken(rows)
        return None if features is None else Partitions(features)

    def grouped_linear(self, y: Any, groups: Any, **options: Any) -> GroupedLinear:
        return GroupedLinear(self.features, y, groups, **options)


Arguments = tuple[Any, Any, Any, Any]
"""X, y, sensitive_features and sample_weight of ``fit``."""


def collected(arguments: Arguments, labels: list[Any], dropped: list[Any]) -> Arguments:
    """The same arguments with a `RemoteMatrix` in the place of an X of Dask or in files; others are not touched.

    ``labels`` are columns of X that name groups, which come here; those in ``dropped`` are no features. Of files, y,
    sensitive_features and sample_weight may be names of columns, which come here as well.
    """
    X, *rowwise = with_columns_read(*arguments)
    if isinstance(X, FileTable):
        return _in_files(X, labels, dropped), *rowwise
    if not (is_dask(X) or _any_dask(rowwise)):
        return arguments
    import dask

    if not is_dask(X):
        return X, *dask.compute(*rowwise)
    refuse_other_collections(X)
    given, frame = X, getattr(X, "columns", None) is not None
    names = list(X.columns) if frame else None
    for name in labels:
        if name not in (range(X.shape[1]) if names is None else names):
            raise ProblemError(f"group_by must name columns of X; got {name!r}. The columns are {str(names)[:200]}.")
    chosen = (X[labels] if frame else X[:, labels]) if labels else None
    y, sensitive_features, sample_weight, chosen = dask.compute(*rowwise, chosen)
    if dropped:
        kept = [k for k in (names if names is not None else range(X.shape[1])) if k not in dropped]
        X = X[kept] if frame else X[:, kept].rechunk({1: -1})
    features = PartitionedFeatures.of(X)
    if features.sparse:
        raise ProblemError(
            "estimators take dense partitions of X; got sparse matrices. GroupedLinear takes them, or make them dense: "
            "X.map_blocks(lambda x: x.toarray())."
        )
    n = int(features.lengths.sum())
    for name, argument in (("y", y), ("sensitive_features", sensitive_features), ("sample_weight", sample_weight)):
        length = None if argument is None or isinstance(argument, dict) else np.shape(argument)[:1]
        if length is not None and length != (n,):
            raise ProblemError(f"{name} must have one entry per row of X, {n}; got {length[0] if length else 'none'}.")
    if chosen is not None and not frame:
        chosen = {position: chosen[:, k] for k, position in enumerate(labels)}
    given = given._meta if frame else np.empty((0, given.shape[1]))
    return RemoteMatrix(Partitions(features), given=given, labels=chosen), y, sensitive_features, sample_weight


def computed(*arguments: Any) -> tuple[Any, ...]:
    """The same arguments; those that Dask holds are computed, into this process's memory."""
    if "dask.base" not in sys.modules or not _any_dask(arguments):
        return arguments
    import dask

    # One by one: Dask warns of arrays and series that are computed together.
    return tuple(dask.compute(argument)[0] if _any_dask([argument]) else argument for argument in arguments)


def _in_files(table: FileTable, labels: list[Any], dropped: list[Any]) -> RemoteMatrix:
    columns, given = {name: table[name] for name in labels}, without_rows(table)
    table = table.drop(dropped) if dropped else table
    return RemoteMatrix(Partitions(features_in_files(table)), given=given, labels=columns or None)


def _any_dask(x: Any) -> bool:
    if isinstance(x, dict):
        return any(map(_any_dask, x.values()))
    return any(map(_any_dask, x)) if isinstance(x, list | tuple) else is_dask(x)
