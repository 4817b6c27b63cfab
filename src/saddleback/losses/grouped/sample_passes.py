"""Whole Hessians from a sample of the rows: those of a small table of its own."""

from __future__ import annotations

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
    X: Any = sample.X.toarray() if sp.issparse(sample.X) else sample.X
    Z = np.column_stack((X, np.ones(len(X)))) if layout.intercept else X.astype(np.float64)
    c = np.bincount(sample.positions, sample.coefficients, len(Z)) / n_groups
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"), one_blas_thread():
        # Over the largest first, so that no square overflows.
        Z /= np.abs(Z).max(axis=0)
        Z /= np.sqrt(c @ Z**2)
        if not np.isfinite(Z).all():
            return False
        values, vectors = np.linalg.eigh((c * Z.T) @ Z)
        if not values[0] > LEAST_EIGENVALUE:
            return False
        flat = values < NEARLY_FLAT
        effective = np.concatenate((_effective(c, Z), _effective(c, Z @ vectors[:, flat])))
    return bool(effective.min() >= LEAST_EFFECTIVE_ROWS)


def _effective(c: Vector, T: Matrix) -> Vector:
    """The effective rows of each column of T."""
    shares = c[:, None] * T**2
    effective: Vector = shares.sum(axis=0) ** 2 / (shares**2).sum(axis=0)
    return effective
