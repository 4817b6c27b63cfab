"""Predictions for rows that Dask holds, as lazy as the rows are, and for rows in files, read block by block."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...losses import FileTable
from ...losses.grouped.partitions.collections import is_dask, refuse_other_collections, tasks_of
from .files import read_by_blocks, refuse_path, without_groups

Method = Callable[[Any, Any], NDArray[Any]]


def by_partitions(method: Method) -> Method:
    """A method (model, X) -> one entry or line per row that returns a Dask array for a Dask X, and computes nothing.

    Rows of files are read block by block.
    """

    @wraps(method)
    def checked(self: Any, X: Any) -> NDArray[Any]:
        refuse_path(X)
        if isinstance(X, FileTable):
            return read_by_blocks(without_groups(X, self._dropped_columns()), partial(method, self))
        return _lazy(self, method, X) if is_dask(X) else method(self, X)

    return checked


def _lazy(model: Any, method: Method, X: Any) -> Any:
    import dask
    import dask.array as da

    refuse_other_collections(X)
    answer = method(model, _one_row(X))
    parts = tasks_of(X)
    lengths = X.chunks[0] if getattr(X, "chunks", None) is not None else (np.nan,) * len(parts)
    call = dask.delayed(_of_partition)
    arrays = [
        da.from_delayed(call(model, method.__name__, part, answer[:0]), (length, *answer.shape[1:]), dtype=answer.dtype)
        for part, length in zip(parts, lengths, strict=True)
    ]
    return da.concatenate(arrays, allow_unknown_chunksizes=True)


def _of_partition(model: Any, name: str, X: Any, nothing: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(getattr(model, name)(X)) if len(X) else nothing


def _one_row(X: Any) -> Any:
    """A row of zeros with the columns of X."""
    if getattr(X, "columns", None) is None:
        return np.zeros((1, X.shape[1]), dtype=X.dtype)
    from dask.dataframe.utils import meta_nonempty

    return meta_nonempty(X._meta).iloc[:1]
