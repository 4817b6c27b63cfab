"""sum_j lam_j Hessian f_j: narrow tables by a kernel, others by BLAS on blocks of rows in float64."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._types import Matrix, Vector
from ...linalg.blas_threads import one_blas_thread
from ...machine.resources import check_room, cores
from .narrow_hessian import hessian_of_columns
from .pointwise_loss import PointwiseLoss
from .pointwise_losses import Softmax
from .reader import Reader
from .tables.dense_table import ColumnTable
from .tables.read_plan import Indices
from .tables.sparse_table import SparseTable
from .tables.threads import run_all

BLOCK_ENTRIES = 1 << 17
"""Entries of a block: 1 MB, large enough for full BLAS speed and small enough for the cache."""

MULTIPLICATIONS_ALONE = 1 << 24
"""Multiplications of a Hessian up to which the calling thread computes it alone, in a millisecond or two: another one
would save half of that, and may wait five for the interpreter lock where the cores are busy."""

DENSE_SHARE = 0.05
"""Share of stored entries below which a product of sparse matrices is faster than BLAS on zeros."""


def check_room_for_hessian(n_params: int, copies: int) -> None:
    """Refuse a Hessian if that many copies do not fit into memory; each thread has a sum of its own."""
    d, n = n_params, f"{copies} of them, one per thread," if copies > 1 else "it"
    check_room(
        8.0 * copies * d * d,
        f"the Hessian of n_params = {d} is a {d} x {d} matrix, and {n}",
        "Use method='quasi-newton', which needs none" + (", or n_threads=1." if copies > 1 else "."),
    )


def hessian_of_rows(
    reader: Reader, loss: PointwiseLoss, W: Matrix, intercepts: Vector, lam: Vector, n_threads: int | None
) -> Matrix:
    """sum_i c_i ell''(eta_i) x_i x_i', c_i = sum_j lam_j m_ij / m_j, over the rows with c_i != 0.

    Costs n d^2 multiplications for a scalar loss and K^2 times as many for K classes, where n counts the rows of the
    groups with lam_j != 0; of a sparse table, the squares of the entries per row.
    """
    plan, y, offset = reader.plan, reader.y, reader.offset
    of_visits = lam[plan.visit_group] * plan.coefficient
    weight: Vector = np.bincount(plan.visit_position, of_visits, plan.rows.size).astype(np.float64, copy=False)
    K, d = W.shape
    size = d + bool(intercepts.size)
    n_threads = (n_threads or cores()) if plan.rows.size * (K * size) ** 2 > MULTIPLICATIONS_ALONE else 1
    check_room_for_hessian(K * size, n_threads)
    if K == 1 and isinstance(reader.table, ColumnTable) and not isinstance(loss, Softmax):
        return hessian_of_columns(reader, loss, W[0], intercepts, weight, n_threads)
    V = np.column_stack([W, intercepts]) if intercepts.size else W
    sums = [np.zeros((K, K, size, size)) for _ in range(n_threads)]

    def add(H: Matrix, A: Any, positions: Indices) -> None:
        if K == 1 and not isinstance(loss, Softmax) and not sp.issparse(A):
            eta = A @ W[0] + (intercepts[0] if intercepts.size else 0.0)
            if offset is not None:
                eta += offset[0, positions]
            h = weight[positions] * loss.curvature(eta, y[positions])
            _add_square(H[0, 0, :d, :d], A, h)
            if intercepts.size:
                # Not by a column of ones, which would need another copy of the rows.
                H[0, 0, d, :d] += h @ A
                H[0, 0, :d, d] = H[0, 0, d, :d]
                H[0, 0, d, d] += h.sum()
            return
        if intercepts.size:
            ones = np.ones((A.shape[0], 1))
            A = sp.hstack([A, ones], format="csr") if sp.issparse(A) else np.column_stack([A, ones])
        eta = A @ V.T
        if offset is not None:
            eta += offset[:, positions].T
        if isinstance(loss, Softmax):
            _add_classes(H, A, loss.probabilities(eta), weight[positions])
        else:
            _add_square(H[0, 0], A, weight[positions] * loss.curvature(eta[:, 0], y[positions]))

    blocks = rows_in_blocks(reader, weight, max(64, BLOCK_ENTRIES // size))
    # Our threads, with one BLAS thread each: BLAS's own threads would wait for each other at every block.
    with one_blas_thread():
        while batch := list(islice(blocks, n_threads)):
            run_all([partial(add, H, *block) for H, block in zip(sums, batch, strict=False)])
    for H in sums[1:]:
        sums[0] += H
    return _in_order_of_parameters(sums[0], d)


def rows_in_blocks(reader: Reader, weight: Vector, block: int) -> Iterator[tuple[Any, Indices]]:
    """The rows of nonzero weight, a block at a time, and their positions."""
    table, plan = reader.table, reader.plan
    for stage in plan.stages:
        # In the order of memory: consecutive rows need no copy.
        positions = plan.by_row[plan.positions_of(stage)]
        positions = positions[weight[positions] != 0.0]
        if not positions.size:
            continue
        if isinstance(table, SparseTable) and table.n_entries < DENSE_SHARE * table.shape[0] * table.shape[1]:
            yield table.csr[plan.order[positions]], positions
            continue
        X = table.open(stage)
        for first in range(0, positions.size, block):
            part = positions[first : first + block]
            yield table.dense(X, plan.order[part]), part
        table.close(stage)


def _add_square(H: Matrix, A: Any, h: Vector) -> None:
    """H += A' diag(h) A."""
    if sp.issparse(A):
        H += (A.T @ (sp.diags_array(h) @ A)).toarray()
        return
    # NumPy computes a matrix times its own transpose with half the work (BLAS syrk); rows with h < 0 are subtracted.
    # Entries of magnitude 1e200 give an infinite Hessian, without a warning.
    with np.errstate(over="ignore", invalid="ignore"):
        if not h.max() <= 0:
            scaled = A * np.sqrt(np.maximum(h, 0.0))[:, None]
            H += scaled.T @ scaled
        if not h.min() >= 0:
            scaled = A * np.sqrt(np.maximum(-h, 0.0))[:, None]
            H -= scaled.T @ scaled


def _add_classes(H: Matrix, A: Any, p: Matrix, weight: Vector) -> None:
    """H_kl += A' diag(weight p_k (1[k = l] - p_l)) A for k <= l."""
    K = p.shape[1]
    for k in range(K):
        # The sum of the other probabilities has no cancellation, unlike 1 - p_k where p_k is close to 1.
        others = p.sum(axis=1, where=np.arange(K) != k)
        _add_square(H[k, k], A, weight * p[:, k] * others)
        for m in range(k + 1, K):
            _add_square(H[k, m], A, -weight * p[:, k] * p[:, m])


def _in_order_of_parameters(H: Matrix, d: int) -> Matrix:
    """One symmetric matrix from the blocks: K times d weights, then K intercepts."""
    K, size = H.shape[1:3]
    for k in range(K):
        for m in range(k):
            H[k, m] = H[m, k].T
    flat = H.transpose(0, 2, 1, 3).reshape(K * size, K * size)
    if K == 1 or size == d:
        return flat
    order = np.arange(K * size).reshape(K, size)
    order = np.concatenate([order[:, :d].ravel(), order[:, d]])
    return flat[np.ix_(order, order)]
