"""Hessians of weighted sums of rows of a narrow table, by a kernel on its columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from ..._types import Matrix, Vector
from ...linalg.blas_threads import one_blas_thread
from .kernels import load
from .pointwise_loss import PointwiseLoss
from .reader import Reader
from .tables.threads import run_all
from .weighted_rows import WeightedRows

BLOCK_ENTRIES = 1 << 17
"""Entries of a block of rows: 1 MB, which stays in cache from the margins to the squares."""


def hessians_of_columns(
    reader: Reader, loss: PointwiseLoss, w: Vector, intercepts: Vector, sums: Sequence[WeightedRows], n_threads: int
) -> Matrix:
    """sum_i c_i ell''(eta_i) z_i z_i' for the rows of each sum, z_i = x_i, followed by a 1 for an intercept.

    For a loss with one margin per row and a table in Fortran order. Other rows are not read: those of a group are
    consecutive.
    """
    size = w.size + intercepts.size
    add_gram = load("gram", "add_gram")
    (stage,) = reader.plan.stages
    X, y, offset = reader.table.open(stage), reader.y, reader.offset
    block = max(64, BLOCK_ENTRIES // size)

    def add(H: Matrix, rows: WeightedRows, begin: int, end: int) -> None:
        positions, weight = rows.positions[begin:end], rows.weight[begin:end]
        edges = np.flatnonzero(np.diff(positions, prepend=-2, append=-2) != 1).tolist()
        for low, high in pairwise(edges):
            for first in range(low, high, block):
                last = min(first + block, high)
                part = slice(positions[first], positions[first] + last - first)
                eta = X[part] @ w
                if intercepts.size:
                    eta += intercepts[0]
                if offset is not None:
                    eta += offset[0, part]
                add_gram(X, part.start, weight[first:last] * loss.curvature(eta, y[part]), H)

    H = np.zeros((len(sums), size, size))
    # Entries of magnitude 1e200 give an infinite Hessian, without a warning.
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        for of_sum, rows in zip(H, sums, strict=True):
            of_threads = np.zeros((n_threads, size, size))
            cuts = np.linspace(0, rows.positions.size, n_threads + 1).astype(np.intp).tolist()
            run_all([partial(add, part, rows, *cut) for part, cut in zip(of_threads, pairwise(cuts), strict=True)])
            lower = np.tril(of_threads.sum(axis=0))
            of_sum[:] = lower + np.tril(lower, -1).T
    return H
