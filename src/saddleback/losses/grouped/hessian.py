"""Hessians of weighted sums of rows, by BLAS on blocks of rows in float64; ``column_reader`` has narrow tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby, islice
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._types import Matrix, Vector
from ...linalg.blas_threads import one_blas_thread
from ...machine.resources import check_room, cores
from .pointwise_loss import PointwiseLoss
from .pointwise_losses import Softmax
from .reader import Reader
from .tables.layout import Layout
from .tables.threads import run_all
from .weighted_rows import Block, WeightedRows, rows_in_blocks

BLOCK_ENTRIES = 1 << 17
"""Entries of a block: 1 MB, large enough for full BLAS speed and small enough for the cache."""

UNCHECKED_ENTRIES = 1 << 16
"""Entries of Hessians that fit into any memory: half a megabyte."""

MULTIPLICATIONS_ALONE = 1 << 24
"""Multiplications of Hessians up to which the calling thread computes them alone, in a millisecond or two: another one
would save half of that, and may wait five for the interpreter lock where the cores are busy."""


def check_room_for_hessian(n_params: int, copies: int) -> None:
    """Refuse Hessians if that many do not fit into memory; each thread has a sum of its own."""
    if copies * n_params * n_params < UNCHECKED_ENTRIES:
        return
    d, n = n_params, f"{copies} of them, one per loss or thread," if copies > 1 else "it"
    check_room(
        8.0 * copies * d * d,
        f"the Hessian of n_params = {d} is a {d} x {d} matrix, and {n}",
        "Use method='quasi-newton', which needs none" + (", or n_threads=1." if copies > 1 else "."),
    )


def threads_for(n_rows: int, n_params: int, n_threads: int | None) -> int:
    """The number of threads for Hessians of so many rows; ``n_threads`` is what the user asked for."""
    return (n_threads or cores()) if n_rows * n_params**2 > MULTIPLICATIONS_ALONE else 1


def hessians_of_rows(
    reader: Reader,
    loss: PointwiseLoss,
    layout: Layout,
    W: Matrix,
    sums: Sequence[WeightedRows],
    n_threads: int | None,
) -> Matrix:
    """sum_i c_i ell''(eta_i) x_i x_i' for the rows i of each sum and their weights c_i; one matrix per sum.

    The rows of W are the parameters of the sums. With one thread the bits of a sum do not depend on the others. Costs
    n d^2 multiplications for a scalar loss and K^2 times as many for K classes, where n counts the rows of all sums; of
    a sparse table, the squares of the entries per row.
    """
    K, d = layout.n_outputs, layout.n_features
    size = d + layout.intercept
    n_rows = sum(rows.positions.size for rows in sums)
    n_threads = threads_for(n_rows, K * size, n_threads)
    check_room_for_hessian(K * size, len(sums) + n_threads - 1)
    H = np.zeros((len(sums), K, K, size, size))
    extra = [np.empty((K, K, size, size)) for _ in range(n_threads - 1)]
    blocks = rows_in_blocks(reader, sums, max(64, BLOCK_ENTRIES // size))
    # Our threads, with one BLAS thread each: BLAS's own threads would wait for each other at every block.
    with one_blas_thread():
        for number, of_sum in groupby(blocks, key=lambda block: block.number):
            used, add = 0, partial(_add_block, reader, loss, *layout.split(W[number]))
            while batch := list(islice(of_sum, n_threads)):
                for part in extra[used : len(batch) - 1]:
                    part[:] = 0.0
                used = max(used, len(batch) - 1)
                run_all([partial(add, *pair) for pair in zip([H[number], *extra], batch, strict=False)])
            for part in extra[:used]:
                H[number] += part
    return _in_order_of_parameters(H, d)


def _add_block(reader: Reader, loss: PointwiseLoss, W: Matrix, intercepts: Vector, H: Matrix, block: Block) -> None:
    """Add the rows of a block to H, of shape (K, K, size, size)."""
    d, offset = W.shape[1], reader.offset
    A, y = block.A, reader.y[block.positions]
    if len(W) == 1 and not isinstance(loss, Softmax) and not sp.issparse(A):
        eta = A @ W[0] + (intercepts[0] if intercepts.size else 0.0)
        if offset is not None:
            eta += offset[0, block.positions]
        h = block.weight * loss.curvature(eta, y)
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
    eta = A @ (np.column_stack([W, intercepts]) if intercepts.size else W).T
    if offset is not None:
        eta += offset[:, block.positions].T
    if isinstance(loss, Softmax):
        _add_classes(H, A, loss.probabilities(eta), block.weight)
    else:
        _add_square(H[0, 0], A, block.weight * loss.curvature(eta[:, 0], y))


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
    """Symmetric matrices from their blocks, of shape (., K, K, size, size): K times d weights, then K intercepts."""
    K, size = H.shape[2:4]
    if K == 1:
        return H[:, 0, 0]
    for k in range(K):
        for m in range(k):
            H[:, k, m] = H[:, m, k].transpose(0, 2, 1)
    flat = H.transpose(0, 1, 3, 2, 4).reshape(len(H), K * size, K * size)
    if size == d:
        return flat
    order = np.arange(K * size).reshape(K, size)
    order = np.concatenate([order[:, :d].ravel(), order[:, d]])
    return flat[:, order[:, None], order]
