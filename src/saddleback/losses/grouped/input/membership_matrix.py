"""Membership matrices: one column per group, entries that are booleans or weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...._types import Vector
from ....errors import ProblemError
from .frames import Columns, matrix_of
from .labels import categories_of

Entries = tuple[NDArray[np.intp], NDArray[np.intp], Vector]
"""Rows, columns and values of the positive entries."""

TO_CROSS = "To cross columns of labels, pass a data frame of them, or one tuple per row: list(map(tuple, groups))."


def entries_of_matrix(matrix: Any, n_rows: int) -> Entries:
    """The positive entries of a dense matrix or of sparse coordinates; integer label codes are refused."""
    _check_shape(matrix, n_rows)
    if matrix.dtype.kind not in "biuf":
        raise ProblemError(
            f"a membership matrix must hold booleans or weights >= 0; got entries of type {matrix.dtype}. {TO_CROSS}"
        )
    entries = _positive_entries(matrix)
    if matrix.shape[1] == 1 and (entries[2].size != n_rows or np.ptp(entries[2]) > 0):
        raise ProblemError(
            f"a membership matrix of one column is one group of all rows; got a column of different numbers, of shape "
            f"({n_rows}, 1). If these are labels, pass a vector."
        )
    if matrix.dtype.kind in "iu":
        _refuse_codes(matrix, *entries)
    return entries


def entries_of_frame(frame: Any, n_rows: int) -> Entries:
    """The positive entries of a data frame of numbers."""
    matrix = matrix_of(frame, "groups")
    _check_shape(matrix, n_rows)
    return _positive_entries(matrix)


@dataclass(frozen=True)
class ColumnFacts:
    """What the rows of a data frame say on whether its columns are labels or memberships."""

    labels: bool
    """Whether some column can hold labels only: text, categories, objects, dates, whole numbers other than 0 and 1."""
    zero_or_one: bool
    whole: bool
    """Whether all numbers are whole, or missing."""
    row_of_zeros: int | None

    @classmethod
    def of(cls, columns: Columns) -> ColumnFacts:
        """Of these rows, all of the table or some."""
        arrays = [np.asarray(column) for _, column in columns]
        for (_, column), array in zip(columns, arrays, strict=True):
            if array.dtype.kind not in "biuf" or categories_of(column) is not None:
                return cls(True, False, False, None)
            if array.dtype.kind in "iu" and not _zero_or_one(array).all():
                return cls(True, False, False, None)
        in_none = np.logical_and.reduce([array == 0 for array in arrays])
        return cls(
            labels=False,
            zero_or_one=all(_zero_or_one(array).all() for array in arrays),
            whole=all(((array == np.rint(array)) | np.isnan(array)).all() for array in arrays),
            row_of_zeros=int(np.argmax(in_none)) if in_none.any() else None,
        )

    @property
    def memberships(self) -> bool:
        """Whether the columns are memberships; refused where they may be either."""
        if self.labels:
            return False
        if self.zero_or_one:
            if self.row_of_zeros is not None:
                raise ProblemError(
                    f"groups is a data frame of zeros and ones, with only zeros in row {self.row_of_zeros}: its "
                    "columns may be groups that overlap, or attributes to be crossed. For groups, pass "
                    "groups.to_numpy(bool), and rows in none of them are left out; to cross attributes, "
                    "groups.astype('category')."
                )
        elif self.whole:
            raise ProblemError(
                "groups is a data frame of whole numbers as floats: they may be weights of groups that overlap, or "
                "codes of labels to be crossed. For weights, pass groups.to_numpy(); to cross labels, "
                "groups.astype('category')."
            )
        return True


def are_memberships(columns: Columns) -> bool:
    """Whether the columns of a data frame are memberships, and not labels to be crossed.

    Labels are text, categories, objects, dates and whole numbers other than 0 and 1. Memberships are booleans, 0 and 1
    (as made by ``pandas.get_dummies``) and floats. Refused as ambiguous are a frame of 0 and 1 with a row of zeros,
    which may be attributes to be crossed or groups that do not contain the row, and whole numbers as floats.
    """
    return ColumnFacts.of(columns).memberships


def _check_shape(matrix: Any, n_rows: int) -> None:
    if matrix.ndim != 2 or matrix.shape[0] != n_rows or matrix.shape[1] == 0:
        transposed = matrix.ndim == 2 and matrix.shape[1] == n_rows
        hint = " Pass groups.T; or, for columns of labels, list(zip(*groups))." if transposed else ""
        raise ProblemError(
            f"groups must be labels, one per row of X, or a membership matrix of shape ({n_rows}, J); got shape "
            f"{matrix.shape}.{hint}"
        )


def _zero_or_one(array: NDArray[Any]) -> NDArray[np.bool_]:
    return (array == 0) | (array == 1)


def _positive_entries(matrix: Any) -> Entries:
    # SciPy has no sparse matrices of half precision.
    entries = sp.coo_array(matrix if sp.issparse(matrix) or matrix.dtype != np.float16 else matrix.astype(np.float64))
    entries.sum_duplicates()
    row, column = entries.coords
    membership = entries.data.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(membership) | (membership < 0))
    if bad.size:
        i = bad[0]
        raise ProblemError(
            f"memberships must be finite and >= 0; got {membership[i]:g} in row {row[i]}, column {column[i]}."
        )
    kept = membership > 0
    return row[kept].astype(np.intp), column[kept].astype(np.intp), membership[kept]


def _refuse_codes(matrix: Any, row: NDArray[np.intp], column: NDArray[np.intp], membership: Vector) -> None:
    """Refuse integers other than 0 and 1, and a dense matrix of them with a row in no group."""
    wrong = np.flatnonzero(membership != 1)
    if wrong.size:
        i = wrong[0]
        raise ProblemError(
            f"a membership matrix of integers must hold 0 and 1; got {membership[i]:g} in row {row[i]}, column "
            f"{column[i]}. {TO_CROSS} Weights must be floats."
        )
    counts = np.bincount(row, minlength=matrix.shape[0])
    if not sp.issparse(matrix) and matrix.shape[1] > 1 and not counts.all():
        raise ProblemError(
            f"groups is a matrix of zeros and ones, with only zeros in row {int(np.argmin(counts))}: its columns may "
            "be groups that overlap, or attributes to be crossed. For groups, pass booleans, groups.astype(bool), and "
            "rows in none of them are left out; to cross attributes, list(map(tuple, groups))."
        )
