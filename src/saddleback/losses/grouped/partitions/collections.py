"""Dask arrays and data frames as partitions, each made by a task, and how other arguments are cut to them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ....errors import ProblemError
from ..input.rows import is_rows
from .loading import OPTIONAL, ROWWISE, Expected


def is_dask(x: Any) -> bool:
    """Whether ``x`` is a lazy collection of Dask, which is not imported for this."""
    base = sys.modules.get("dask.base")
    return base is not None and bool(base.is_dask_collection(x))


@dataclass(frozen=True, eq=False)
class Partitioned:
    """X and the arguments that Dask holds, as one task per partition; the other ones as they were given."""

    X: Sequence[Any]
    rowwise: Mapping[str, Sequence[Any]]
    in_memory: dict[str, Any]
    expected: Expected

    @classmethod
    def of(cls, X: Any, arguments: dict[str, Any]) -> Partitioned:
        """Refuse what cannot be cut into the partitions of X; nothing is computed."""
        given = {name: argument for name, argument in arguments.items() if argument is not None}
        of_dask = {name: argument for name, argument in given.items() if is_dask(argument)}
        in_memory = {name: argument for name, argument in given.items() if name not in of_dask}
        expected = _expected(X)
        tasks = {name: _tasks_like(X, argument, name) for name, argument in of_dask.items()}
        return cls(tasks_of(X), tasks, in_memory, expected)


def cut(argument: Any, name: str, lengths: Sequence[int]) -> list[Any]:
    """An argument that is in memory, in pieces of these lengths."""
    n = sum(lengths)
    size = len(argument) if not issparse(argument) else argument.shape[0]
    if size != n:
        raise ProblemError(f"{name} must have one entry per row of X, {n}; got {size}.")
    ends = np.cumsum(lengths).tolist()
    if issparse(argument):
        argument = argument.tocsr()
    # By position: labels of a series of pandas are no row numbers.
    rows = argument.iloc if hasattr(argument, "iloc") else argument
    return [rows[end - length : end] for length, end in zip(lengths, ends, strict=True)]


def check_arguments(X: Any, arguments: dict[str, Any]) -> None:
    """Refuse what is lazy where X is not, and what has no rows at all."""
    for name in ROWWISE:
        argument = arguments[name]
        if is_dask(argument) and not is_dask(X):
            raise ProblemError(
                f"{name} is a Dask collection and X is not; got X of type {type(X).__name__}. Pass {name}.compute(), "
                "or make X a Dask array, dask.array.from_array(X, chunks=...)."
            )
        if not is_dask(X) or is_dask(argument) or (argument is None and name in OPTIONAL):
            continue
        if is_rows(argument):
            raise ProblemError(
                "groups must have an entry per row of X, which Dask holds; got 'rows', whose Jacobian has a row for "
                "every row of X and is not distributed. Pass groups of rows, or X.compute()."
            )
        if isinstance(argument, str) or not (issparse(argument) or hasattr(argument, "__len__")):
            raise ProblemError(
                f"{name} must have an entry per row of X; got {type(argument).__name__}. Pass a Dask collection, a "
                "list or an array."
            )


def refuse_other_collections(X: Any) -> None:
    """Refuse what Dask holds and is neither an array nor a data frame, such as one delayed task."""
    if not (_is_array(X) or (_is_frame(X) and X.ndim == 2)):
        raise ProblemError(
            f"X must be a Dask array or a Dask data frame; got {type(X).__name__}. Make it one by "
            "dask.array.from_delayed, with the shape and the type of every partition."
        )


# Classes are asked: a delayed task has every attribute, as a delayed one.


def _is_array(x: Any) -> bool:
    """An array has chunks; a data frame or a series has divisions."""
    return getattr(type(x), "chunks", None) is not None


def _is_frame(x: Any) -> bool:
    kind = type(x)
    return getattr(kind, "npartitions", None) is not None and getattr(kind, "divisions", None) is not None


def _expected(X: Any) -> Expected:
    refuse_other_collections(X)
    if _is_array(X):
        if X.ndim != 2:
            raise ProblemError(f"X must be a matrix, one row per sample; got a Dask array of {X.ndim} dimensions.")
        if X.numblocks[1] != 1:
            raise ProblemError(
                f"X must have all of its columns in every chunk; got {X.numblocks[1]} chunks of columns. Call "
                "X.rechunk({1: -1})."
            )
        if np.isnan(X.shape[1]):
            raise ProblemError(
                "X must have a known number of columns; got an unknown one. Call X.compute_chunk_sizes()."
            )
        return Expected((str(X.dtype),), None, int(X.shape[1]))
    names = tuple(X.columns)
    return Expected(tuple(str(dtype) for dtype in X.dtypes), names, len(names))


def tasks_of(x: Any) -> list[Any]:
    """One task per partition."""
    if _is_array(x):
        return list(x.to_delayed().ravel())
    # Simplified, so that no file's other columns are read. What Dask calls optimized may read several files of few
    # columns as one partition, and another argument of the same rows would have other partitions.
    return list(x.simplify().to_delayed(optimize_graph=False))


def _tasks_like(X: Any, x: Any, name: str) -> list[Any]:
    """The tasks of another argument, in the partitions of X."""
    if not (_is_array(x) or _is_frame(x)):
        raise ProblemError(
            f"{name} must be a Dask array, series or data frame; got {type(x).__name__}. Pass {name}.compute()."
        )
    if _is_array(x):
        if _is_array(X) and _known(X) and _known(x):
            if x.shape[0] != X.shape[0]:
                raise ProblemError(f"{name} must have one entry per row of X, {X.shape[0]}; got {x.shape[0]}.")
            x = x.rechunk({0: X.chunks[0]})
        if x.ndim == 2:
            x = x.rechunk({1: -1})
    n_partitions = X.numblocks[0] if _is_array(X) else X.npartitions
    own = x.numblocks[0] if _is_array(x) else x.npartitions
    if own != n_partitions:
        unknown = "X" if not (_is_array(X) and _known(X)) else name
        raise ProblemError(
            f"{name} must have the partitions of X; got {own} for {n_partitions}, and the rows of each are not known. "
            f"Make both from one data frame; or, where {unknown} is a Dask array, call {unknown}.compute_chunk_sizes()."
        )
    return tasks_of(x)


def _known(x: Any) -> bool:
    return not any(np.isnan(length) for length in x.chunks[0])
