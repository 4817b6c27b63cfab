"""Large sparse tables in blocks by columns: the same losses as by rows."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import saddleback as sb
from saddleback.losses.grouped.tables import sparse_blocks
from saddleback.losses.grouped.tables.sparse_blocks import SparseBlocks
from saddleback.losses.grouped.tables.sparse_table import SparseTable


@pytest.fixture
def small(monkeypatch):
    """Blocks of seven rows also for small tables."""
    monkeypatch.setattr(sparse_blocks, "LEAST_ENTRIES", 0)
    monkeypatch.setattr(sparse_blocks, "LEAST_PER_COLUMN", 0.0)
    monkeypatch.setattr(sparse_blocks, "BLOCK_ROWS", 7)
    monkeypatch.setattr(sparse_blocks.InBlocks, "block_rows", 7)


def table(seed=0, n=60, d=11, J=3, density=0.3, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=density, format="csr", rng=rng, data_sampler=rng.standard_normal)
    return X.astype(dtype), rng.integers(0, 2, n), rng.permutation(np.arange(n) % J), rng


def assert_same(blocks, rows, rng):
    assert isinstance(blocks._passes.reader.table, SparseBlocks)
    w, lam = rng.standard_normal(rows.n_params), rng.dirichlet(np.ones(rows.n_losses))
    for mine, theirs in zip(blocks.evaluate(w), rows.evaluate(w), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(blocks.values(w), rows.values(w), rtol=1e-12)
    np.testing.assert_allclose(blocks.parameter_scales(), rows.parameter_scales(), rtol=1e-12)
    np.testing.assert_allclose(blocks.hessian(w, lam), rows.hessian(w, lam), rtol=1e-10, atol=1e-12)
    W = rng.standard_normal((3, rows.n_params))
    for mine, theirs in zip(blocks.evaluate_many(W), rows.evaluate_many(W), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    V = rng.standard_normal((rows.n_losses, 12))
    np.testing.assert_allclose(blocks._passes.reader.gram(V), rows._passes.reader.gram(V), rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_blocks_are_the_dense_table(dtype, n_threads):
    X, y, groups, rng = table(dtype=dtype)
    weight, offset = rng.random(60) + 0.1, rng.standard_normal(60)
    more = {"l2": 0.1, "sample_weight": weight, "offset": offset, "n_threads": n_threads}
    blocks, dense = (sb.GroupedLinear(A, y, groups, **more) for A in (X, X.toarray()))
    assert_same(blocks, dense, rng)


@pytest.mark.usefixtures("small")
def test_classes_and_pickles():
    X, _, groups, rng = table()
    y = rng.integers(0, 3, 60)
    blocks, dense = (sb.GroupedLinear(A, y, groups, loss="softmax", l2=0.1) for A in (X, X.toarray()))
    assert_same(blocks, dense, rng)
    w = rng.standard_normal(blocks.n_params)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(blocks)).evaluate(w)[1], blocks.evaluate(w)[1])


@pytest.mark.usefixtures("small")
def test_losses_in_python():
    class Squares:
        response, convex, bounded_below = "real", True, True

        def value_and_slope(self, eta, y):
            return (eta - y) ** 2, 2 * (eta - y)

    X, y, groups, rng = table()
    own = sb.GroupedLinear(X, y, groups, loss=Squares())
    assert isinstance(own._passes.reader.table, SparseBlocks)
    w = rng.standard_normal(own.n_params)
    ours = sb.GroupedLinear(X.toarray(), y, groups, loss="squared")
    np.testing.assert_allclose(own.evaluate(w)[1], ours.evaluate(w)[1], rtol=1e-12)


@pytest.mark.usefixtures("small")
def test_entries_that_are_stored_twice_add_up():
    X = sp.csr_array((np.array([1.0, 2.0, 4.0, 8.0]), np.array([1, 1, 0, 1]), np.array([0, 3, 3, 4])), shape=(3, 2))
    y, groups, w = [1.0, 0.0, 2.0], ["a", "a", "b"], np.array([0.5, -1.0])
    blocks, dense = (sb.GroupedLinear(A, y, groups, loss="squared", fit_intercept=False) for A in (X, X.toarray()))
    for mine, theirs in zip(blocks.evaluate(w), dense.evaluate(w), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    lam = np.array([0.5, 0.5])
    np.testing.assert_allclose(blocks.hessian(w, lam), dense.hessian(w, lam))


@pytest.mark.usefixtures("small")
def test_groups_that_overlap_and_other_forms_stay_by_rows():
    X, y, _, rng = table()
    membership = rng.random((60, 3)) < 0.6
    membership[:, 0] |= ~membership.any(axis=1)
    losses = sb.GroupedLinear(X, y, membership)
    assert isinstance(losses._passes.reader.table, SparseTable)
    for other in (X.tocsc(), X.tocoo(), X.astype(np.int64)):
        assert isinstance(sb.GroupedLinear(other, y, np.arange(60) % 3)._passes.reader.table, SparseTable)
    assert isinstance(sb.GroupedLinear(X, y, groups="rows")._passes.rows.reader.table, SparseTable)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), d=st.integers(1, 6), density=st.sampled_from([0.0, 0.1, 1.0]))
def test_any_shape(seed, n, d, density):
    """Also without entries, with empty rows and columns, and with columns of any number of entries."""
    X, y, _, rng = table(seed, n, d, 1, density)
    y = rng.standard_normal(n)
    groups = rng.integers(0, 3, n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_blocks, "LEAST_ENTRIES", 0)
        patch.setattr(sparse_blocks, "LEAST_PER_COLUMN", 0.0)
        patch.setattr(sparse_blocks.InBlocks, "block_rows", 7)
        blocks = sb.GroupedLinear(X, y, groups, loss="squared")
    assert isinstance(blocks._passes.reader.table, SparseBlocks)
    dense = sb.GroupedLinear(X.toarray(), y, groups, loss="squared")
    w = rng.standard_normal(d + 1)
    for mine, theirs in zip(blocks.evaluate(w), dense.evaluate(w), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    chosen = rng.integers(0, n, 5)
    rows = blocks._passes.reader.table.some_rows(chosen).toarray()
    np.testing.assert_array_equal(rows, X.toarray()[blocks._passes.reader.plan.rows[chosen]])


def test_a_large_table_takes_blocks_and_repeats_its_bits():
    rng = np.random.default_rng(0)
    n, d = 6000, 900
    X = sp.random_array((n, d), density=0.1, format="csr", rng=rng)
    y, groups = rng.integers(0, 2, n), np.arange(n) % 2
    blocks = sb.GroupedLinear(X, y, groups, n_threads=2)
    assert isinstance(blocks._passes.reader.table, SparseBlocks)
    w = 0.1 * rng.standard_normal(d + 1)
    first, again = blocks.evaluate(w), sb.GroupedLinear(X, y, groups, n_threads=2).evaluate(w)
    np.testing.assert_array_equal(first[1], again[1])
    np.testing.assert_allclose(first[1], sb.GroupedLinear(X.toarray(), y, groups).evaluate(w)[1], atol=1e-13)
    few = sb.GroupedLinear(X[:100], y[:100], groups[:100])
    assert isinstance(few._passes.reader.table, SparseTable)
