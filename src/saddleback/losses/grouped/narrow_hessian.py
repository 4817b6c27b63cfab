"""sum_j lam_j Hessian f_j of a narrow table, by a kernel on its columns."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from ..._types import Matrix, Vector
from ...linalg.blas_threads import one_blas_thread
from .kernels import load
from .pointwise_loss import PointwiseLoss
from .reader import Reader
from .tables.threads import run_all

BLOCK_ENTRIES = 1 << 17
"""Entries of a block of rows: 1 MB, which stays in cache from the margins to the squares."""


def hessian_of_columns(
    reader: Reader, loss: PointwiseLoss, w: Vector, intercepts: Vector, weight: Vector, n_threads: int
) -> Matrix:
    """sum_i c_i ell''(eta_i) z_i z_i' for weights c of the rows, z_i = x_i, followed by a 1 for an intercept.

    For a loss with one margin per row and a table in Fortran order. Rows of weight 0 are not read: the rows of a group
    are consecutive.
    """
    size = w.size + intercepts.size
    add_gram = load("gram", "add_gram")
    (stage,) = reader.plan.stages
    X, y, offset = reader.table.open(stage), reader.y, reader.offset
    edges = np.flatnonzero(np.diff(weight != 0.0, prepend=False, append=False)).tolist()
    block = max(64, BLOCK_ENTRIES // size)

    def add(H: Matrix, begin: int, end: int) -> None:
        for low, high in zip(edges[::2], edges[1::2], strict=True):
            for first in range(max(low, begin), min(high, end), block):
                rows = slice(first, min(first + block, high, end))
                eta = X[rows] @ w
                if intercepts.size:
                    eta += intercepts[0]
                if offset is not None:
                    eta += offset[0, rows]
                add_gram(X, first, weight[rows] * loss.curvature(eta, y[rows]), H)

    sums = np.zeros((n_threads, size, size))
    cuts = np.linspace(0, weight.size, n_threads + 1).astype(np.intp).tolist()
    # Entries of magnitude 1e200 give an infinite Hessian, without a warning.
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        run_all([partial(add, H, *part) for H, part in zip(sums, pairwise(cuts), strict=True)])
    lower = np.tril(sums.sum(axis=0))
    return lower + np.tril(lower, -1).T
