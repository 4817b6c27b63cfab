"""The typical size of each parameter: that which moves the margin by its own typical size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from ..._types import Vector
from .constant import constant
from .dense_table import ColumnTable, DenseTable
from .mapped_table import MappedTable
from .passes import Reader
from .schedule import Indices
from .sparse_table import SparseTable

Squares = Callable[[Indices, float], Vector]
"""The sums of squares of some columns, in some unit."""

Pieces = Iterator[tuple[Any, Indices]]
"""The matrices of which a dense table consists, and the rows of each that count."""

EXACT = 1 << 22
"""Entries of a dense table up to which all of them are looked at: a few milliseconds."""

ROWS = 2048
"""Rows of the sample of a larger one: root mean squares are then known to some percent."""

LEAST_ROWS = 256
SHARE = 8
"""At most one row in this many is sampled, beyond ``LEAST_ROWS``: little beside an evaluation."""

KNOWN = 10
"""Entries other than zero that a column must have in the sample; rarer ones are looked up in full."""

COPIED = 1 << 18
"""Entries of a sample that are gathered at a time."""

SMALL = 1 << 16
"""Entries up to which NumPy is done before a kernel is loaded."""

SAFE = 1e-280, 1e300
"""Sums of squares outside of this range may have overflowed, or have lost digits below the smallest numbers."""

LARGER, SMALLER = 2.0**600, 2.0**-600
"""Units in which the squares of such columns neither overflow nor vanish."""


def parameter_scales(reader: Reader, n_outputs: int, *, intercept: bool, real: bool) -> Vector:
    """s_i = m / (root mean square of column i), and m for an intercept; m is the typical size of a margin.

    m = 1, or the standard deviation of y where responses are real numbers (their root mean square where they are all
    the same, 1 where they are zero). Multiplying a column by u divides its scale by u. A column of zeros gets the
    median of the others.
    """
    positions = _one_per_row(reader)
    m = _spread(reader.y[positions]) if real else 1.0
    rms = _of_table(reader, positions)
    present = rms > 0.0
    with np.errstate(over="ignore"):
        scales = np.clip(m / rms[present], np.finfo(np.float64).tiny, np.finfo(np.float64).max)
    of_columns = np.full(rms.size, np.median(scales) if scales.size else m)
    of_columns[present] = scales
    return np.concatenate([np.tile(of_columns, n_outputs), np.full(n_outputs * intercept, m)])


def _one_per_row(reader: Reader) -> Indices:
    """A position of every row that is in some group; a row of a narrow table is copied for each of its groups."""
    rows = reader.schedule.rows
    if not isinstance(reader.table, ColumnTable) or np.bincount(rows).max() == 1:
        return np.arange(rows.size)
    return np.sort(np.unique(rows, return_index=True)[1])


def _spread(y: Vector) -> float:
    largest = float(np.abs(y).max())
    if largest == 0.0:
        return 1.0
    # In units in which no square overflows. A mean of equal numbers need not be equal to them.
    y = y / largest
    return largest * float(y.std() if y.min() < y.max() else np.abs(y[0]))


def _of_table(reader: Reader, positions: Indices) -> Vector:
    table, n = reader.table, positions.size
    columns = np.arange(table.shape[1])
    if isinstance(table, SparseTable):
        return _root_mean_squares(partial(_of_entries, table), columns, n)
    assert isinstance(table, DenseTable)
    everything = partial(_of_pieces, partial(_all_rows, reader, positions))
    if n * columns.size <= EXACT:
        return _root_mean_squares(everything, columns, n)
    sample = positions[np.linspace(0, n - 1, min(n, ROWS, max(n // SHARE, LEAST_ROWS))).astype(np.intp)]
    pieces = list(_some_rows(reader, table, sample))
    rms = _root_mean_squares(partial(_of_pieces, lambda: iter(pieces)), columns, sample.size)
    rare = np.flatnonzero(sum(np.count_nonzero(A, axis=0) for A, _ in pieces) < KNOWN)
    if rare.size and sample.size < n:
        rms[rare] = _root_mean_squares(everything, rare, n)
    return rms


def _all_rows(reader: Reader, positions: Indices) -> Pieces:
    schedule = reader.schedule
    for stage in schedule.stages:
        begin, end = np.searchsorted(positions, schedule.block_starts[[stage.cuts[0], stage.cuts[-1]]])
        yield reader.table.open(stage), schedule.order[positions[begin:end]]
        reader.table.close(stage)


def _some_rows(reader: Reader, table: DenseTable, positions: Indices) -> Pieces:
    """Copies of a few rows, read where they lie: a file is not opened piece by piece for them."""
    mapped = isinstance(table, MappedTable)
    rows = np.sort(reader.schedule.rows[positions]) if mapped else reader.schedule.order[positions]
    step = max(1, COPIED // table.shape[1])
    for first in range(0, rows.size, step):
        A = np.asarray(table.X[rows[first : first + step]])
        plain = A.dtype in (np.float32, np.float64) and A.dtype.isnative
        yield constant(np.ascontiguousarray(A if plain else A.astype(np.float64))), np.arange(len(A))


def _root_mean_squares(sums_of_squares: Squares, columns: Indices, n: int) -> Vector:
    """Of some columns, whatever their size."""
    squares = sums_of_squares(columns, 1.0)
    roots: Vector = np.sqrt(squares / n)
    for unit, risky in ((LARGER, squares < SAFE[0]), (SMALLER, squares > SAFE[1])):
        chosen = np.flatnonzero(risky)
        if chosen.size:
            roots[chosen] = np.sqrt(sums_of_squares(columns[chosen], unit) / n) / unit
    return roots


def _of_pieces(pieces: Callable[[], Pieces], columns: Indices, unit: float) -> Vector:
    total = np.zeros(columns.size)
    for X, rows in pieces():
        if rows.size * columns.size > SMALL:
            _add_squares()(X, constant(rows), constant(columns), unit, total)
            continue
        with np.errstate(over="ignore", under="ignore"):
            A = unit * X[np.ix_(rows, columns)].astype(np.float64, copy=False)
            total += np.einsum("ij,ij->j", A, A)
    return total


def _of_entries(table: SparseTable, columns: Indices, unit: float) -> Vector:
    total = np.zeros(table.shape[1])
    if table.n_entries > SMALL:
        X = constant(table.values), constant(table.columns)
        _add_squares()(X, constant(columns), constant(columns), unit, total)
        return total[columns]
    with np.errstate(over="ignore", under="ignore"):
        total += np.bincount(table.columns, (unit * table.values.astype(np.float64)) ** 2, total.size)
    return total[columns]


@cache
def _add_squares() -> Callable[..., None]:
    """Numba is imported, and compiles, when it is first needed."""
    from .kernels.squares import add_squares

    return add_squares
