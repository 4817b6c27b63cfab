"""Reading a feature matrix: a user's matrix, checked, and the interface of the tables that the kernel reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...._types import Matrix
from ....errors import ProblemError
from ....linalg.sparse import check_values
from ..remedies import IMPUTE
from .dense_source import DenseSource
from .mapped_table import MappedTable, mapping
from .planning import Blocked
from .read_plan import Stage
from .scaled_source import ScaledColumns, ScaledSource
from .sparse_source import SparseSource
from .streamed_table import StreamedTable

Source = DenseSource | SparseSource | MappedTable | StreamedTable
"""A user's matrix, checked. The table is made from it when the read plan, and so the order of its rows, is known."""


class Table(Blocked, Protocol):
    """X, read-only, in pieces (*stages*) where it does not fit in memory."""

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""

    @property
    def n_entries(self) -> int:
        """The number of stored entries."""

    def open(self, stage: Stage) -> Any:
        """The rows of the stage, as the kernel's argument X."""

    def close(self, stage: Stage) -> None:
        """Release what ``open`` has read into memory."""

    def dense(self, X: Any, rows: NDArray[np.intp]) -> Matrix:
        """Some rows of an open stage in float64; the caller must not write to them."""


def read_matrix(X: Any, names: Sequence[Any] | None = None, remedy: str = IMPUTE) -> Source:
    """X as the source of a table; a ProblemError names an entry that is not a finite real number, with a remedy."""
    if isinstance(X, ScaledColumns):
        return ScaledSource.from_columns(X)
    if sp.issparse(X):
        check_values(X, "X")
        _check_type(X)
        return SparseSource.of(X)
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ProblemError(f"X must be a matrix, one row per sample; got {type(X).__name__} ({error}).") from error
    _check_type(array)
    return DenseSource.of(array, names, remedy) if mapping(array) is None else MappedTable.of(array)


def _check_type(X: Any) -> None:
    if X.ndim != 2:
        raise ProblemError(f"X must be a matrix, one row per sample; got an array of shape {X.shape}.")
    if 0 in X.shape:
        raise ProblemError(f"X must have at least one row and one column; got shape {X.shape}.")
    if X.dtype.kind not in "biuf":
        raise ProblemError(
            f"X must hold real numbers; got entries of type {X.dtype}. Encode categories as numbers, and convert with "
            "X.astype(float)."
        )
