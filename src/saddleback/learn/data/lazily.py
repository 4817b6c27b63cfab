"""Predictions for rows that Dask holds, as lazy as the rows are, and for rows in files, read block by block."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import warn_user
from ...losses import FileTable
from ...losses.grouped.partitions.collections import is_dask, refuse_other_collections, tasks_of
from .files import features_of_model, frame_of, names_of_table, read_by_blocks, refuse_path

Method = Callable[[Any, Any], NDArray[Any]]


def by_partitions(method: Method) -> Method:
    """A method (model, X) -> one entry or line per row that returns a Dask array for a Dask X, and computes nothing.

    Rows of files are read block by block.
    """

    @wraps(method)
    def checked(self: Any, X: Any) -> NDArray[Any]:
        refuse_path(X)
        if isinstance(X, FileTable):
            table = features_of_model(X, self)
            names = names_of_table(table)
            if names is None and (names := _names_of_fit(self, len(table.columns))) is not None:
                warn_user(
                    f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names: "
                    "the columns of .npy files are taken to be those of the fit, in their order."
                )
            return read_by_blocks(table, partial(method, self), names)
        return _lazy(self, method, X) if is_dask(X) else method(self, X)

    return checked


def _lazy(model: Any, method: Method, X: Any) -> Any:
    import dask
    import dask.array as da

    refuse_other_collections(X)
    # What a row of made-up numbers overflows is nothing to warn of.
    with np.errstate(all="ignore"):
        answer = method(model, _one_row(X))
    parts = tasks_of(X)
    lengths = X.chunks[0] if getattr(X, "chunks", None) is not None else (np.nan,) * len(parts)
    # The row above has warned of an array without names; its partitions are not to repeat it.
    names = _names_of_fit(model, X.shape[1]) if getattr(X, "columns", None) is None else None
    call = dask.delayed(_of_partition)
    arrays = [
        da.from_delayed(
            call(model, method.__name__, part, answer[:0], names), (length, *answer.shape[1:]), dtype=answer.dtype
        )
        for part, length in zip(parts, lengths, strict=True)
    ]
    return da.concatenate(arrays, allow_unknown_chunksizes=True)


def _of_partition(model: Any, name: str, X: Any, nothing: NDArray[Any], names: list[str] | None = None) -> NDArray[Any]:
    return np.asarray(getattr(model, name)(frame_of(X, names))) if len(X) else nothing


def _names_of_fit(model: Any, n_columns: int) -> list[str] | None:
    """The names for so many columns without names; None where the fit had none, or other columns."""
    known = getattr(model, "feature_names_in_", None)
    return None if known is None or len(known) != n_columns or model._dropped_columns() else list(known)


def _one_row(X: Any) -> Any:
    """A row of zeros with the columns of X."""
    if getattr(X, "columns", None) is None:
        return np.zeros((1, X.shape[1]), dtype=X.dtype)
    from dask.dataframe.utils import meta_nonempty

    return meta_nonempty(X._meta).iloc[:1]
