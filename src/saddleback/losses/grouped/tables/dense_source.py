"""A user's dense matrix in memory, checked; tables are made from it with at most one copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import ProblemError
from ..remedies import IMPUTE
from .dense_table import ColumnTable, DenseMatrix, RowTable

CHECKED_ENTRIES = 1 << 20
"""Entries that are tested for finite numbers at a time, which limits the temporary arrays."""

COPIED_ENTRIES = 1 << 14
"""Entries copied at a time: they stay in cache between reading along rows and writing along columns."""


@dataclass(frozen=True, eq=False)
class DenseSource(DenseMatrix):
    """Any memory order and any type of real numbers; ``dtype`` is the type that a table of it will have."""

    @classmethod
    def of(cls, X: NDArray[Any], names: Sequence[Any] | None = None, remedy: str = IMPUTE) -> DenseSource:
        dtype = table_type(X)
        check_finite(X, dtype, 0, names, remedy)
        return cls(X, dtype)

    def by_rows(self) -> RowTable:
        """The matrix itself where it is in C order and of the right type, else a copy."""
        X = self.X
        if self._is_table:
            return RowTable(X, self.dtype)
        copy = np.empty(X.shape, dtype=self.dtype)
        step = max(1, COPIED_ENTRIES // X.shape[1])
        for first in range(0, len(X), step):
            copy[first : first + step] = X[first : first + step]
        return RowTable(copy, self.dtype)

    def by_columns(self, rows: NDArray[np.intp]) -> ColumnTable:
        """A copy in Fortran order with these rows in this order."""
        X = self.X
        copy = np.empty((rows.size, X.shape[1]), dtype=self.dtype, order="F")
        if X.flags.f_contiguous:
            for k in range(X.shape[1]):
                copy[:, k] = X[:, k].take(rows)
            return ColumnTable(copy, self.dtype)
        step = max(1, COPIED_ENTRIES // X.shape[1])
        ahead = rows[-1] - rows[0] == rows.size - 1 and bool((rows[1:] > rows[:-1]).all())
        room = np.empty((step, X.shape[1]), dtype=self.dtype)
        for first in range(0, rows.size, step):
            part = rows[first : first + step]
            if ahead:
                taken = X[part[0] : part[-1] + 1]
            elif self._is_table:
                # Faster than X[part], but of any other X, take would copy all of it first. No index is clipped.
                taken = np.take(X, part, axis=0, out=room[: part.size], mode="clip")
            else:
                taken = X[part]
            copy[first : first + step] = taken
        return ColumnTable(copy, self.dtype)

    @property
    def _is_table(self) -> bool:
        """Whether the kernel could read the matrix as it is: in C order and of the right type."""
        return self.X.flags.c_contiguous and self.X.flags.aligned and self.X.dtype == self.dtype


def table_type(X: NDArray[Any]) -> np.dtype[Any]:
    """float32 for half and single precision; float64 for all other types, extended precision included."""
    return np.dtype(np.float32 if X.dtype.kind == "f" and X.dtype.itemsize <= 4 else np.float64)


def check_finite(
    X: NDArray[Any], dtype: np.dtype[Any], first_row: int, names: Sequence[Any] | None = None, remedy: str = IMPUTE
) -> None:
    """Refuse NaN and inf, and numbers that overflow in ``dtype``.

    The message counts rows from ``first_row``, and columns where they have no names.
    """
    if X.dtype.kind != "f":
        return
    # Along memory: rows of a matrix in C order, columns of one in Fortran order.
    axis = 0 if abs(X.strides[0]) >= abs(X.strides[1]) else 1
    step = max(1, CHECKED_ENTRIES // X.shape[1 - axis])
    for start in range(0, X.shape[axis], step):
        piece = X[start : start + step] if axis == 0 else X[:, start : start + step]
        # The sum is finite for nearly all pieces, and cheaper than a mask. A finite piece may overflow in its sum.
        with np.errstate(over="ignore", invalid="ignore"):
            piece = piece if piece.dtype.itemsize <= dtype.itemsize else piece.astype(dtype)
            finite = np.isfinite(piece.sum())
        if finite:
            continue
        bad = np.argwhere(~np.isfinite(piece))
        if bad.size:
            place = bad[0].copy()
            place[axis] += start
            raise ProblemError(
                f"X must be finite; got {piece[tuple(bad[0])]} in row {first_row + place[0]}, column "
                f"{place[1] if names is None else repr(names[place[1]])}. {remedy}"
            )
