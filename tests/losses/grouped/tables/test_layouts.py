"""For every layout of X, the losses and gradients are those of the formula."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from ..cases import LOSSES, assert_same, make

NARROW, WIDE = 7, 150


def _shifted(X):
    """Not contiguous, and with neighbors that must not be read."""
    big = np.full((2 * X.shape[0], X.shape[1] + 3), np.nan, dtype=X.dtype)
    big[::2, 1:-2] = X
    return big[::2, 1:-2]


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "slices": _shifted,
    "negative strides": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "big-endian": lambda X: X.astype(X.dtype.newbyteorder(">")),
    "read-only": lambda X: _read_only(X),
    "csr": sp.csr_matrix,
    "csr array": sp.csr_array,
    "csc": sp.csc_matrix,
    "coo": sp.coo_array,
    "int64 indices": lambda X: _int64(sp.csr_array(X)),
}


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def _int64(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [NARROW, WIDE])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, d, dtype):
    case = make("logistic", d=d, dtype=dtype)
    case.X[case.X < -1.0] = 0.0
    losses = case.losses(LAYOUTS[layout](case.X), l2=0.3, fit_intercept=True)
    reference = case.reference(l2=0.3, fit_intercept=True)
    w = case.point(losses)
    f, G = losses.evaluate(w)
    assert_same(f, reference.values(w))
    assert_same(G, reference.jacobian(w))
    assert_same(losses.values(w), f)
    lam = np.array([0.5, 0.0, 0.2, 0.3])
    assert_same(losses.hessian(w, lam), reference.hessian(w, lam))


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("d", [NARROW, WIDE])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [False, True])
def test_losses(loss, d, layout, intercept):
    case = make(loss, d=d)
    losses = case.losses(layout(case.X), l2=0.1, fit_intercept=intercept)
    reference = case.reference(l2=0.1, fit_intercept=intercept)
    w = case.point(losses, 2.0)
    f, G = losses.evaluate(w)
    assert_same(f, reference.values(w))
    assert_same(G, reference.jacobian(w))
    assert_same(losses.values(w), f)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float16, np.longdouble])
def test_other_types_are_converted(dtype):
    case = make("squared")
    X = (3 * case.X).astype(dtype)
    losses, reference = case.losses(X), case.reference(X)
    w = case.point(losses)
    assert_same(losses.evaluate(w)[1], reference.jacobian(w))


def test_the_same_numbers_give_the_same_losses_in_every_layout():
    """Halves are exact in float32, so that only the order of the sums differs."""
    case = make("logistic", d=WIDE)
    X = np.round(2 * case.X) / 2
    w = case.rng.standard_normal(WIDE)
    f, G = case.losses(X).evaluate(w)
    for layout in LAYOUTS.values():
        for dtype in (np.float32, np.float64):
            other, jacobian = case.losses(layout(X.astype(dtype))).evaluate(w)
            assert_same(other, f)
            assert_same(jacobian, G)


@pytest.mark.parametrize("layout", ["C", "Fortran", "slices", "csr", "csc"])
@pytest.mark.parametrize("d", [NARROW, WIDE])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_rows_that_come_by_group_give_the_same_bits(layout, d, n_threads):
    """They are copied without a lookup; the sums are those of the same rows in another order of the groups."""
    case = make("logistic", d=d)
    groups = np.arange(len(case.y)) % 4
    by_group = np.argsort(groups, kind="stable")
    case.groups = groups
    mixed = case.losses(LAYOUTS[layout](case.X), n_threads=n_threads)
    case.y, case.groups = case.y[by_group], groups[by_group]
    sorted_ = case.losses(LAYOUTS[layout](case.X[by_group]), n_threads=n_threads)
    w = case.point(mixed)
    for one, other in zip(mixed.evaluate(w), sorted_.evaluate(w), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(mixed.loss_hessians(w, [0, 2]), sorted_.loss_hessians(w, [0, 2]))


@given(
    n=st.integers(4, 70),
    d=st.sampled_from([1, 2, 3, 4, 5, 8, 63, 64, 65, 130]),
    n_groups=st.integers(1, 4),
    n_threads=st.integers(1, 3),
    sparse=st.booleans(),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_shapes(n, d, n_groups, n_threads, sparse, seed):
    """Blocks, tails of blocks, and threads without rows."""
    case = make("squared", n=n, d=d, n_groups=n_groups, seed=seed)
    weight = case.rng.random(n) + 0.1
    losses = case.losses(sp.csr_array(case.X) if sparse else case.X, n_threads=n_threads, sample_weight=weight)
    reference = case.reference(sample_weight=weight)
    w = case.point(losses)
    f, G = losses.evaluate(w)
    assert_same(f, reference.values(w))
    assert_same(G, reference.jacobian(w))


def test_empty_sparse_rows_and_columns():
    case = make("squared")
    case.X[5:40] = 0.0
    case.X[:, 2] = 0.0
    losses = case.losses(sp.csr_array(case.X), fit_intercept=True)
    reference = case.reference(fit_intercept=True)
    w = case.point(losses)
    assert_same(losses.evaluate(w)[1], reference.jacobian(w))


def test_duplicate_sparse_entries_add_up():
    case = make("squared", n=6, d=3, n_groups=2)
    parts = sp.csr_array(case.X)
    twice = sp.csr_array(
        (np.repeat(parts.data / 2, 2), np.repeat(parts.indices, 2), 2 * parts.indptr), shape=parts.shape
    )
    w = case.point(case.losses())
    lam = np.array([0.4, 0.6])
    assert_same(case.losses(twice).evaluate(w)[1], case.losses().evaluate(w)[1])
    assert_same(case.losses(twice).hessian(w, lam), case.losses().hessian(w, lam))


def test_later_changes_of_the_arguments_do_not_matter():
    case = make("squared", d=3)
    X, y, groups, weight = case.X.copy(), case.y.copy(), case.groups.copy(), np.ones(len(case.y))
    case.y = y
    losses = case.losses(X, groups, sample_weight=weight)
    w = case.point(losses)
    before = losses.evaluate(w)
    for array in (X, y, groups, weight):
        array[:] = 7
    after = losses.evaluate(w)
    np.testing.assert_array_equal(before[0], after[0])
    np.testing.assert_array_equal(before[1], after[1])


def test_answers_are_new_arrays():
    case = make("squared")
    losses = case.losses()
    w = case.point(losses)
    f, G = losses.evaluate(w)
    kept = f.copy(), G.copy()
    losses.evaluate(w + 1.0)
    np.testing.assert_array_equal(f, kept[0])
    np.testing.assert_array_equal(G, kept[1])
    assert G.flags.c_contiguous
    assert G.flags.writeable
