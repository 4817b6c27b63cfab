"""The scale of each parameter: the change of it that changes the margins by their typical magnitude."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..._types import Indices, Vector
from ...linalg.blas_threads import one_blas_thread
from .kernels.arguments import read_only
from .pointwise_loss import PointwiseLoss
from .reader import Reader
from .tables.dense_table import ColumnTable, DenseTable
from .tables.layout import Layout
from .tables.mapped_table import MappedTable
from .tables.sparse_blocks import SparseBlocks
from .tables.sparse_table import SparseTable
from .tables.streamed_table import StreamedTable

Squares = Callable[[Indices, float], Vector]
"""(columns, factor) -> the sums of squares of these columns times the factor."""

Pieces = Iterator[tuple[Any, Indices]]
"""Matrices that together are a dense table, and the rows of each that count."""

EXACT_ENTRIES = 1 << 22
"""Entries of a dense table up to which all of them are read: a few milliseconds."""

SAMPLE_ROWS = 2048
"""Rows of the sample of a larger table: root mean squares are then accurate to some percent."""

LEAST_ROWS = 256
SAMPLE_DIVISOR = 8
"""At most one row in this many is sampled, but at least ``LEAST_ROWS``: cheap compared with an evaluation."""

LEAST_NONZEROS = 10
"""Nonzero entries that a column must have in the sample; of columns with fewer, all entries are read."""

COPIED_ENTRIES = 1 << 18
"""Entries that are copied at a time."""

SAFE_SQUARES = 1e-280, 1e300
"""Sums of squares outside of this range may have overflowed or be inaccurate by underflow."""

LARGE_FACTOR, SMALL_FACTOR = 2.0**600, 2.0**-600
"""Factors with which the squares of such columns neither overflow nor underflow."""


def parameter_scales(reader: Reader, loss: PointwiseLoss, layout: Layout) -> Vector:
    """s_i = m / (root mean square of column i), and m for an intercept; m is the typical magnitude of a margin.

    m = 1, or where responses are real numbers the standard deviation of y - offset, which is left for x'w to explain
    (the root mean square where these are all equal, 1 where they are zero). Multiplying a column by u divides its scale
    by u. A column of zeros gets the median of the other scales.
    """
    positions = one_per_row(reader)
    m = _spread(unexplained(reader)[positions]) if loss.response == "real" else 1.0
    return scales_of(root_mean_squares(reader, positions), m, layout)


def scales_of(rms: Vector, m: float, layout: Layout) -> Vector:
    """The scales of all parameters from the root mean squares of the columns and the typical magnitude of a margin."""
    present = rms > 0.0
    with np.errstate(over="ignore"):
        scales = np.clip(m / rms[present], np.finfo(np.float64).tiny, np.finfo(np.float64).max)
    of_columns = scales
    if not present.all():
        of_columns = np.full(rms.size, np.median(scales) if scales.size else m)
        of_columns[present] = scales
    return np.concatenate([np.tile(of_columns, layout.n_outputs), np.full(layout.n_params - layout.n_weights, m)])


def one_per_row(reader: Reader) -> Indices:
    """One position of every row that is in some group; a narrow table has a copy of a row for each of its groups."""
    rows = reader.plan.rows
    if not isinstance(reader.table, ColumnTable) or rows.size == np.count_nonzero(np.bincount(rows)):
        return np.arange(rows.size)
    return np.sort(np.unique(rows, return_index=True)[1])


def unexplained(reader: Reader) -> Vector:
    """y - offset."""
    return reader.y if reader.offset is None else reader.y - reader.offset[0]


def _spread(y: Vector) -> float:
    largest = float(np.abs(y).max())
    if largest == 0.0:
        return 1.0
    # Divided by the largest, so that no square overflows. The mean of equal numbers may differ from them by rounding.
    y = y / largest
    return largest * float(y.std() if y.min() < y.max() else np.abs(y[0]))


def root_mean_squares(reader: Reader, positions: Indices) -> Vector:
    """Of every column, at these positions; of a large table estimated from some of them."""
    table, n = reader.table, positions.size
    columns = np.arange(table.shape[1])
    if isinstance(table, SparseTable | SparseBlocks):
        return _root_mean_squares(partial(_of_entries, table), columns, n)
    assert isinstance(table, DenseTable | StreamedTable)
    everything = partial(_of_pieces, partial(_all_rows, reader, positions))
    if n * columns.size <= EXACT_ENTRIES:
        return _root_mean_squares(everything, columns, n)
    sample = positions[np.linspace(0, n - 1, min(n, SAMPLE_ROWS, max(n // SAMPLE_DIVISOR, LEAST_ROWS))).astype(np.intp)]
    pieces = list(_some_rows(reader, table, sample))
    rms = _root_mean_squares(partial(_of_pieces, lambda: iter(pieces)), columns, sample.size)
    rare = np.flatnonzero(sum(np.count_nonzero(A, axis=0) for A, _ in pieces) < LEAST_NONZEROS)
    if rare.size and sample.size < n:
        rms[rare] = _root_mean_squares(everything, rare, n)
    return rms


def _all_rows(reader: Reader, positions: Indices) -> Pieces:
    plan = reader.plan
    for stage in plan.stages:
        of_stage = plan.positions_of(stage)
        begin, end = np.searchsorted(positions, [of_stage.start, of_stage.stop])
        yield reader.table.open(stage), plan.order[positions[begin:end]]
        reader.table.close(stage)


def _some_rows(reader: Reader, table: DenseTable | StreamedTable, positions: Indices) -> Pieces:
    """Copies of a few rows, read directly: a mapped file is not opened piece by piece for them."""
    if isinstance(table, StreamedTable):
        A = table.some_rows(np.sort(reader.plan.rows[positions]))
        yield read_only(A), np.arange(len(A))
        return
    mapped = isinstance(table, MappedTable)
    rows = np.sort(reader.plan.rows[positions]) if mapped else reader.plan.order[positions]
    step = max(1, COPIED_ENTRIES // table.shape[1])
    for first in range(0, rows.size, step):
        A = np.asarray(table.X[rows[first : first + step]])
        plain = A.dtype in (np.float32, np.float64) and A.dtype.isnative
        yield read_only(np.ascontiguousarray(A if plain else A.astype(np.float64))), np.arange(len(A))


def _root_mean_squares(sums_of_squares: Squares, columns: Indices, n: int) -> Vector:
    """The root mean squares of some columns, of any magnitude."""
    squares = sums_of_squares(columns, 1.0)
    roots: Vector = np.sqrt(squares / n)
    least, largest = SAFE_SQUARES
    for factor, unsafe in ((LARGE_FACTOR, squares < least), (SMALL_FACTOR, squares > largest)):
        chosen = np.flatnonzero(unsafe)
        if chosen.size:
            roots[chosen] = np.sqrt(sums_of_squares(columns[chosen], factor) / n) / factor
    return roots


def _of_pieces(pieces: Callable[[], Pieces], columns: Indices, factor: float) -> Vector:
    total = np.zeros(columns.size)
    with one_blas_thread(), np.errstate(over="ignore", under="ignore"):
        for X, rows in pieces():
            total += _of_columns(X, columns, factor) if _all_of(rows, X) else _of_rows(X, rows, columns, factor)
    return total


def _all_of(rows: Indices, X: Any) -> bool:
    """Whether these are all rows of a matrix in Fortran order, each once."""
    return X.flags.f_contiguous and rows.size == len(X)


def _of_columns(X: Any, columns: Indices, factor: float) -> Vector:
    total = np.empty(columns.size)
    for j, k in enumerate(columns.tolist()):
        x = X[:, k].astype(np.float64, copy=False)
        x = x if factor == 1.0 else factor * x
        total[j] = np.dot(x, x)
    return total


def _of_rows(X: Any, rows: Indices, columns: Indices, factor: float) -> Vector:
    total = np.zeros(columns.size)
    step = max(1, COPIED_ENTRIES // X.shape[1])
    for first in range(0, rows.size, step):
        A = X[rows[first : first + step]]
        A = factor * (A if columns.size == A.shape[1] else A[:, columns]).astype(np.float64, copy=False)
        total += np.einsum("ij,ij->j", A, A)
    return total


def _of_entries(table: SparseTable | SparseBlocks, columns: Indices, factor: float) -> Vector:
    total = np.zeros(table.shape[1])
    entry_columns, values = table.entry_columns, table.values
    with np.errstate(over="ignore", under="ignore"):
        for first in range(0, values.size, COPIED_ENTRIES):
            part = slice(first, first + COPIED_ENTRIES)
            squares = (factor * values[part].astype(np.float64)) ** 2
            total += np.bincount(entry_columns[part], squares, total.size)
    return total[columns]
