"""Columns that are shifted and scaled while the table is made of them: the matrix of such columns is never stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...._types import Matrix, Vector
from .dense_source import COPIED_ENTRIES, DenseSource, check_finite, table_type
from .dense_table import ColumnTable, RowTable


@dataclass(frozen=True, eq=False)
class ScaledColumns:
    """The matrix Z with the columns z_k = (x_k - center_k) / scale_k of a dense X; the argument X of ``GroupedLinear``.

    A table of Z is made from X directly: a fit to a table of 1 GB takes one copy of it instead of two.
    """

    X: NDArray[Any]
    center: Vector
    scale: Vector

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Z, in the type of X."""
        Z = self.of(self.X)
        return Z if dtype is None else Z.astype(dtype, copy=False)

    def of(self, rows: NDArray[Any], room: Matrix | None = None) -> NDArray[Any]:
        """Some rows of X, scaled in double precision, in the type of X; in ``room`` where it is given."""
        # Numbers that are too large are found where the table is made, and named.
        with np.errstate(over="ignore", invalid="ignore"):
            Z = np.subtract(rows, self.center, out=room)
            return np.divide(Z, self.scale, out=Z).astype(rows.dtype, copy=False)


@dataclass(frozen=True, eq=False)
class ScaledSource(DenseSource):
    """The source of a table of such columns."""

    columns: ScaledColumns

    @classmethod
    def from_columns(cls, columns: ScaledColumns) -> ScaledSource:
        return cls(columns.X, table_type(columns.X), columns)

    def by_rows(self) -> RowTable:
        """A copy in C order."""
        return RowTable(self._filled(np.empty(self.X.shape, dtype=self.dtype), None), self.dtype)

    def by_columns(self, rows: NDArray[np.intp]) -> ColumnTable:
        """A copy in Fortran order with these rows in this order."""
        copy = np.empty((rows.size, self.X.shape[1]), dtype=self.dtype, order="F")
        return ColumnTable(self._filled(copy, rows), self.dtype)

    def _filled(self, copy: NDArray[Any], rows: NDArray[np.intp] | None) -> NDArray[Any]:
        X, d = self.X, copy.shape[1]
        step = max(1, COPIED_ENTRIES // d)
        of_piece = np.empty((step, d))
        quick = self._is_table and X.dtype == np.float64
        for first in range(0, len(copy), step):
            part = slice(first, min(first + step, len(copy)))
            room = of_piece[: part.stop - first]
            if rows is None:
                taken = X[part]
            else:
                # As in `DenseSource.by_columns`.
                taken = np.take(X, rows[part], axis=0, out=room, mode="clip") if quick else X[rows[part]]
            Z = self.columns.of(taken, room)
            with np.errstate(over="ignore", invalid="ignore"):
                finite = np.isfinite(Z.sum())
            if not finite:
                self._refuse_infinite(step)
            copy[part] = Z
        return copy

    def _refuse_infinite(self, step: int) -> None:
        """Name the first entry that is not finite; there is none where only the sum of a piece has overflowed."""
        for first in range(0, len(self.X), step):
            check_finite(self.columns.of(self.X[first : first + step]), self.dtype, first)
