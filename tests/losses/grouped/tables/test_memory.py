"""Constructing GroupedLinear makes at most one copy of the table."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb
from saddleback.losses.grouped.tables.sparse_blocks import SparseBlocks

pytestmark = pytest.mark.slow

# Beside the copy: the order of the rows, their groups, weights and responses, 14 numbers per row, while they are
# sorted; and the pieces in which a matrix is converted.
PER_ROW = 14 * 8
PIECES = 5_000_000

N = 40_000
DENSE = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "float32 Fortran": lambda X: np.asfortranarray(X.astype(np.float32)),
    "int64": lambda X: (9 * X).astype(np.int64),
    "int8": lambda X: (9 * X).astype(np.int8),
    "int8 Fortran": lambda X: np.asfortranarray((9 * X).astype(np.int8)),
    "float16": lambda X: X.astype(np.float16),
    "big-endian": lambda X: X.astype(">f8"),
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
}


def extra_at_peak(X, n):
    """Bytes that were allocated at once, beyond what there was before."""
    y, groups = np.arange(n) % 2, np.arange(n) * 7919 % 5
    # Once before: loops are compiled at the first call, which takes memory of its own.
    sb.GroupedLinear(X, y, groups)
    tracemalloc.start()
    try:
        losses = sb.GroupedLinear(X, y, groups)
        return tracemalloc.get_traced_memory()[1], losses
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("d", [100, 200], ids=["narrow", "wide"])
@pytest.mark.parametrize("layout", DENSE)
def test_dense(layout, d):
    X = DENSE[layout](np.random.default_rng(0).standard_normal((N * 100 // d, d)))
    n = len(X)
    peak, losses = extra_at_peak(X, n)
    assert peak <= 1.01 * losses._passes.reader.table.X.nbytes + PER_ROW * n + PIECES


def test_a_wide_table_in_C_order_is_not_copied():
    X = np.random.default_rng(0).standard_normal((4000, 1000))
    peak, losses = extra_at_peak(X, 4000)
    assert peak <= PER_ROW * 4000 + PIECES
    assert np.shares_memory(losses._passes.reader.table.X, X)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_sparse(form, dtype):
    rng = np.random.default_rng(0)
    size = 3_000_000
    places = rng.integers(0, N, size, dtype=np.int32), rng.integers(0, 1000, size, dtype=np.int32)
    X = sp.coo_array((rng.integers(1, 9, size).astype(dtype), places), shape=(N, 1000)).asformat(form)
    peak, losses = extra_at_peak(X, N)
    table = losses._passes.reader.table
    size = table.values.nbytes + table.columns.nbytes
    if isinstance(table, SparseBlocks):
        size += table.rows.nbytes
        assert size < X.data.nbytes + X.indices.nbytes, "blocks take less than compressed rows"
    assert peak <= 1.01 * size + PER_ROW * N + PIECES


def test_lists_take_less_than_they_are():
    X = sp.random_array((4000, 500), density=0.1, format="csr", rng=0)
    tracemalloc.start()
    lists = X.tolil()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    peak, _ = extra_at_peak(lists, 4000)
    assert peak <= size
