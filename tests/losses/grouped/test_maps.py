"""Combinations of the losses and of their Hessians: in memory, and made on the partitions of a Dask collection."""

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import saddleback as sb
from saddleback.losses.combined import CombinedLosses
from saddleback.losses.grouped.partitions.in_process import InProcess
from saddleback.losses.grouped.partitions.works import CombinedHessians, EvaluateMany

from .own_losses import Foreign
from .partitions.tables import lazy_sparse

CHUNKS = (40, 0, 1, 79)


def lazy(x):
    return da.from_array(x, chunks=(CHUNKS, *((size,) for size in x.shape[1:])))


def table(loss="logistic", seed=0, d=4):
    rng = np.random.default_rng(seed)
    X, groups = rng.standard_normal((120, d)), np.sort(rng.integers(0, 5, 120))
    y = rng.integers(0, 3, 120)
    return X, (y > 0).astype(int) if loss == "logistic" else y, groups, rng


FORMS = {
    "narrow": np.asarray,
    "wide": lambda X: np.hstack([X] * 40),
    "sparse": sp.csr_array,
    "partitions": lazy,
}


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
@pytest.mark.parametrize("form", FORMS)
def test_combinations(form, loss):
    X, y, groups, rng = table(loss)
    X = FORMS[form](X)
    losses = sb.GroupedLinear(X, lazy(y) if form == "partitions" else y, groups, loss=loss, l2=0.3)
    W, maps = rng.standard_normal((3, losses.n_params)), rng.random((3, 2, 5))
    maps[0, 0] = 0.0
    f, G = losses.evaluate_many(W, maps)
    for i in range(3):
        of_w, slopes = losses.evaluate(W[i])
        np.testing.assert_allclose(f[i], maps[i] @ of_w, rtol=1e-11, atol=1e-14)
        np.testing.assert_allclose(G[i], maps[i] @ slopes, rtol=1e-10, atol=1e-12)
    H = losses.combined_hessians(W[0], maps[1])
    for of_one, lam in zip(H, maps[1], strict=True):
        np.testing.assert_allclose(of_one, losses.hessian(W[0], lam), rtol=1e-10, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 9), J=st.integers(1, 4))
def test_on_partitions_as_in_memory_and_alone_as_with_others(seed, k, J):
    """The answer for one vector and one map has the same bits whatever the others are."""
    X, y, groups, rng = table(seed=seed)
    here, there = sb.GroupedLinear(X, y, groups), sb.GroupedLinear(lazy(X), y, groups)
    W, maps = rng.standard_normal((k, 5)), rng.standard_normal((k, J, 5))
    for of_one, expected in zip(there.evaluate_many(W, maps), here.evaluate_many(W, maps), strict=True):
        np.testing.assert_allclose(of_one, expected, rtol=1e-9, atol=1e-12)
    for losses in (here, there):
        together, chosen = losses.evaluate_many(W, maps), int(rng.integers(k))
        alone = losses.evaluate_many(W[[chosen]], maps[[chosen]])
        for of_many, of_one in zip(together, alone, strict=True):
            np.testing.assert_array_equal(of_many[chosen], of_one[0])


def test_no_more_than_combinations_leave_a_partition():
    W, M = np.zeros((7, 11)), np.zeros((2, 5))
    assert EvaluateMany(W, 5, [M] * 7).shapes == ((7, 2), (7, 2, 11))
    assert EvaluateMany(W, 5, None).shapes == ((7, 5), (7, 5, 11))
    assert CombinedHessians(W[:2], M).shapes == ((2, 11, 11),)


@pytest.mark.parametrize("loss", ["logistic", "softmax", Foreign("logistic")], ids=["logistic", "softmax", "own"])
@pytest.mark.parametrize("form", [*FORMS, "wide partitions", "sparse partitions", "files"])
def test_hessians_at_several_vectors(form, loss, tmp_path):
    """Those of one vector after the other; of partitions they have the same bits alone as with others."""
    X, y, groups, rng = table(loss if loss == "softmax" else "logistic")
    losses = sb.GroupedLinear(of_form(form, X, tmp_path), y, groups, loss=loss, l2=0.3)
    W, M = rng.standard_normal((4, losses.n_params)), rng.standard_normal((4, 5))
    W[2], M[1], M[3, :4] = W[1], 0.0, 0.0
    H = losses.combined_hessians(W, M)
    for i in range(4):
        np.testing.assert_allclose(H[i], losses.hessian(W[i], M[i]), rtol=1e-10, atol=1e-12)
        if "partitions" in form or form == "files":
            np.testing.assert_array_equal(H[i], losses.combined_hessians(W[[i]], M[[i]])[0])
            np.testing.assert_array_equal(H[i], losses.combined_hessians(W[i], M[[i]])[0])
    assert losses.combined_hessians(W[0], M[:0]).shape == (0, losses.n_params, losses.n_params)


def of_form(form, X, folder):
    if form == "wide partitions":
        return lazy(np.hstack([X] * 40))
    if form == "sparse partitions":
        return lazy_sparse(sp.csr_array(X), CHUNKS)
    if form == "files":
        np.save(folder / "table.npy", X)
        return sb.FileTable(folder / "table.npy", memory=1000)
    return FORMS[form](X)


def test_hessians_at_several_vectors_are_one_work(monkeypatch):
    X, y, groups, rng = table()
    losses, asked = sb.GroupedLinear(lazy(X), y, groups), []
    sums = InProcess.sums
    monkeypatch.setattr(InProcess, "sums", lambda self, work: asked.append(work) or sums(self, work))
    losses.combined_hessians(rng.standard_normal((7, 5)), rng.standard_normal((7, 5)))
    assert len(asked) == 1


def test_hessians_at_another_number_of_vectors_are_refused():
    X, y, groups, rng = table()
    with pytest.raises(sb.ProblemError, match="w must be one vector, or one for each of the 3 rows of M; got 2"):
        sb.GroupedLinear(X, y, groups).combined_hessians(rng.standard_normal((2, 5)), rng.standard_normal((3, 5)))


@pytest.mark.parametrize(
    ("maps", "said"),
    [
        ([np.eye(5)], "maps must hold one matrix per parameter vector, 2; got 1"),
        ([np.eye(5), np.eye(4)], r"maps must be matrices of one shape \(J', 5\)"),
        ([np.eye(5), np.eye(5)[:2]], r"maps must be matrices of one shape \(J', 5\)"),
        ([np.ones(5), np.ones(5)], r"maps must be matrices of one shape \(J', 5\)"),
    ],
)
def test_wrong_maps_are_refused(maps, said):
    X, y, groups, _ = table()
    for losses in (sb.GroupedLinear(X, y, groups), sb.GroupedLinear(lazy(X), y, groups)):
        with pytest.raises(sb.ProblemError, match=said):
            losses.evaluate_many(np.zeros((2, 5)), maps)


def test_combined_losses_are_losses():
    """Of twenty groups: values, Hessians and their estimates from a sample, for any weights of the combinations."""
    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((40_000, 30)), rng.integers(0, 2, 40_000), rng.integers(0, 20, 40_000)
    losses = sb.GroupedLinear(X, y, groups)
    M = rng.dirichlet(np.ones(20), 3)
    combined, w, lam, V = CombinedLosses(losses, M, 0.25), rng.standard_normal(31), rng.random(3), np.eye(31)[:4]
    f, G = losses.evaluate(w)
    np.testing.assert_allclose(combined.evaluate(w)[0], M @ f, rtol=1e-14)
    np.testing.assert_allclose(combined.evaluate(w)[1], M @ G, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(combined.values(w), M @ f, rtol=1e-12)
    np.testing.assert_allclose(combined.hessian(w, lam), losses.hessian(w, lam @ M), rtol=1e-12)
    of_second = combined.loss_hessians(w, np.array([1]))
    np.testing.assert_allclose(of_second[0], losses.hessian(w, M[1]), rtol=1e-10, atol=1e-13)
    estimate = losses.sampled_hessian(w, lam @ M)
    np.testing.assert_allclose(combined.sampled_hessian(w, lam), estimate)
    T = combined.sampled_margins(V)
    along = losses.sampled_hessian(w, lam @ M, V)
    np.testing.assert_allclose(combined.sampled_hessian(w, lam, V), along)
    np.testing.assert_allclose(combined.hessian_on_margins(w, lam, T), along, rtol=1e-12, atol=1e-14)
    assert (combined.n_losses, combined.n_params, combined.n_entries) == (3, 31, 300_000)
    assert combined.convex
    assert "combinations" in combined.lacks(sb.losses.base.HasSmoothness)
