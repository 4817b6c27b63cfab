"""Whole Hessians from a sample of the rows: those of a small table of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._types import Matrix, Vector
from ...linalg.blas_threads import one_blas_thread
from .column_reader import ColumnReader
from .group_reader import GroupReader
from .memberships import Memberships
from .pointwise_loss import PointwiseLoss
from .reader import Reader
from .sampled_hessian import SampledHessian
from .tables.dense_source import DenseSource
from .tables.layout import Layout
from .tables.sparse_source import SparseSource

LEAST_EFFECTIVE_ROWS = 25.0
"""Rows that must contribute to the second moment of the sample along each direction: with fewer the curvature may be
wrong by so much that a step goes far too far along it."""

BLOCK_ENTRIES = 1 << 17
"""Entries of the sample that are copied at a time."""

NEARLY_FLAT = 0.05
"""Eigenvalues of the columns' correlation matrix below this may be due to few rows, even where all columns are not."""

LEAST_EIGENVALUE = 1e-10
"""Smaller ones are rounding errors: no row contributes."""


def passes_of(
    sample: SampledHessian, loss: PointwiseLoss, layout: Layout, n_groups: int, n_threads: int | None
) -> GroupReader:
    """The table of the sampled rows, with the coefficients that they have in their groups."""
    source = SparseSource.of(sample.X) if sp.issparse(sample.X) else DenseSource(sample.X, sample.X.dtype)
    sizes = np.bincount(sample.groups, minlength=n_groups)
    order = np.argsort(sample.positions, kind="stable")
    memberships = Memberships(
        sample.y.size,
        range(n_groups),
        sample.positions[order],
        sample.groups[order],
        sample.coefficients[order],
        sizes,
        np.ones(n_groups),
    )
    reader = Reader.of(source, memberships, sample.y, sample.offset, layout.n_outputs, n_threads)
    kind = ColumnReader if ColumnReader.suits(reader, loss) else GroupReader
    return kind(reader, loss, layout, n_threads)


def represents_all_directions(sample: SampledHessian, layout: Layout, n_groups: int) -> bool:
    """Whether enough rows of the sample contribute to its second moment in every direction.

    With row weights c, sum_i c_i t_i^2 for the margins t of a direction has as many effective rows as
    (sum_i c_i t_i^2)^2 / sum_i (c_i t_i^2)^2. Asked of every column and of the directions in which columns, scaled to
    second moments of one, nearly cancel. A category of ten rows among a million is in the sample by chance, if at all.
    """
    c = np.bincount(sample.positions, sample.coefficients, sample.y.size) / n_groups
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"), one_blas_thread():
        largest = np.max([np.abs(A).max(axis=0) for _, A in _blocks(sample.X, layout)], axis=0)
        if not (np.isfinite(largest) & (largest > 0.0)).all():
            return False
        # Over the largest first, so that no square overflows.
        S: Matrix = sum((c[rows] * (A / largest).T) @ (A / largest) for rows, A in _blocks(sample.X, layout))
        scale = largest * np.sqrt(S.diagonal())
        if not (scale > 0.0).all():
            return False
        values, vectors = np.linalg.eigh(S * np.outer(largest / scale, largest / scale))
        if not values[0] > LEAST_EIGENVALUE:
            return False
        flat = vectors[:, values < NEARLY_FLAT] / scale[:, None]
        directions = np.concatenate((values[values < NEARLY_FLAT], np.ones(scale.size)))
        fourth = sum(_fourth_moments(c[rows], A @ flat, A / scale) for rows, A in _blocks(sample.X, layout))
    return bool((directions**2 >= LEAST_EFFECTIVE_ROWS * fourth).all())


def _fourth_moments(c: Vector, *margins: Matrix) -> Vector:
    """sum_i (c_i t_i^2)^2 for each column t of the margins."""
    moments: Vector = np.concatenate([((c[:, None] * T**2) ** 2).sum(axis=0) for T in margins])
    return moments


def _blocks(X: Any, layout: Layout) -> Iterator[tuple[slice, Matrix]]:
    """Some rows at a time, dense in double precision, with a 1 for the intercept."""
    step = max(1, BLOCK_ENTRIES // X.shape[1])
    for first in range(0, X.shape[0], step):
        rows = slice(first, min(first + step, X.shape[0]))
        A = X[rows].toarray() if sp.issparse(X) else X[rows]
        yield rows, np.column_stack((A, np.ones(len(A)))) if layout.intercept else A.astype(np.float64, copy=False)
