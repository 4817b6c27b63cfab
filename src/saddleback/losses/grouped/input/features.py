"""The argument X: a matrix or a data frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from ....errors import ProblemError
from ..files.file_table import FileTable
from ..remedies import ENCODE, IMPUTE
from ..tables.scaled_source import ScaledColumns
from ..tables.sources import Source, read_matrix
from ..tables.streamed_table import StreamedTable
from .frames import columns_of, matrix_of
from .labels import NO_ROWS, listed, refuse_masked


def read_features(X: Any, encode: str = ENCODE, impute: str = IMPUTE) -> tuple[Source, list[Any] | None]:
    """X, checked, and the names of its columns where it is a data frame.

    ``encode`` and ``impute`` are the remedies of columns that are no numbers and of entries that are not finite.
    """
    if isinstance(X, FileTable):
        source = X.blocks()
        return StreamedTable(source, 0, len(source.lengths)), None if source.names is None else list(source.names)
    # A sparse matrix of the format "dok" is a dict, and so one of NO_ROWS.
    if isinstance(X, NO_ROWS) and not issparse(X):
        raise ProblemError(
            f"X must be a matrix, one row per sample; got {type(X).__name__}. Pass an array or a data frame."
        )
    if isinstance(X, ScaledColumns):
        return read_matrix(X), None
    refuse_masked(X, "X")
    columns = columns_of(X)
    if columns is not None:
        names = [name for name, _ in columns]
        return read_matrix(matrix_of(X, "X", encode), names, impute), names
    if not issparse(X):
        try:
            X = np.asarray(X)
        except (TypeError, ValueError) as error:
            raise ProblemError(f"X must be a matrix, one row per sample; got {type(X).__name__} ({error}).") from error
    return read_matrix(X, remedy=impute), None


def check_same_columns(matrix: Source, names: list[Any] | None, n_features: int, known: list[Any] | None) -> None:
    """Refuse columns that differ from the known ones in number, or in names where both have names."""
    if matrix.shape[1] != n_features:
        raise ProblemError(
            f"X must have {n_features} columns, as the losses were made with; got {matrix.shape[1]}. Columns made from "
            "categories must be made for all rows at once."
        )
    if names is not None and known is not None and names != known:
        j = next(j for j in range(n_features) if names[j] != known[j])
        raise ProblemError(
            f"X must have the columns that the losses were made with, in their order; column {j} is {names[j]!r} and "
            f"was {known[j]!r}. Pass X[columns] with columns = [{listed(known)}]."
        )
