"""Affine matrices with few entries: the same losses, the same refusals."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.sparse import coo_array, csc_matrix, csr_array, dia_array, lil_array

import saddleback as sb
from saddleback.capabilities import offers
from saddleback.losses import sparse_matrices
from saddleback.losses.base import HasLinearization
from saddleback.losses.sparse_matrices import sparse_columns


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Sparse for any size."""
    monkeypatch.setattr(sparse_matrices, "CONTROL", sparse_matrices.SparseMatricesControl(least_size=0))


def few_entries(k=12, d=9, seed=0):
    rng = np.random.default_rng(seed)
    Fs = np.zeros((d, k, k))
    for F in Fs:
        i, j = rng.integers(0, k, 2)
        F[i, j] = F[j, i] = rng.standard_normal()
    F0 = rng.standard_normal((k, k))
    return F0 + F0.T, Fs


def as_array(F0, Fs, monkeypatch):
    """The same losses, kept as an array."""
    monkeypatch.setattr(sparse_matrices, "CONTROL", sparse_matrices.SparseMatricesControl(least_size=10**9))
    return sb.AffineMatrix(F0, Fs)


@pytest.mark.parametrize("kind", [None, csr_array, coo_array, csc_matrix, lil_array, dia_array])
def test_entries_and_arrays_are_the_same_losses(kind, monkeypatch):
    F0, Fs = few_entries()
    sparse = sb.AffineMatrix(F0, Fs if kind is None else [kind(F) for F in Fs])
    dense = as_array(F0, Fs, monkeypatch)
    w = np.random.default_rng(1).standard_normal(len(Fs))
    assert offers(sparse, HasLinearization)
    assert not offers(dense, HasLinearization)
    assert np.array_equal(sparse.evaluate(w)[1], dense.evaluate(w)[1])
    f, G = sparse.linearize(w)
    np.testing.assert_allclose(f, dense.values(w), atol=1e-14)
    assert np.array_equal(G.dense(), dense.evaluate(w)[1])
    assert np.array_equal(G.some_rows(np.array([0])), G.dense()[:1])
    np.testing.assert_allclose(sparse.matrix(w), F0 + np.tensordot(w, Fs, 1), atol=1e-14)
    with pytest.raises(sb.IncompatibleError, match="keeps its Jacobian as an array"):
        dense.linearize(w)
    assert np.array_equal(pickle.loads(pickle.dumps(sparse)).values(w), sparse.values(w))


@pytest.mark.parametrize("method", ["quasi-newton", "accelerated", "prox-linear"])
@pytest.mark.parametrize("regularizer", [sb.Zero(), sb.VonNeumann(0.1)])
def test_runs_agree(method, regularizer, monkeypatch):
    F0, Fs = few_entries(seed=2)
    # Without traces, so that the largest eigenvalue is bounded below.
    Fs[:, np.arange(12), np.arange(12)] = 0.0
    sparse = sb.AffineMatrix(F0, [csr_array(F) for F in Fs])
    dense = as_array(F0, Fs, monkeypatch)
    options = {"method": method, "tol": 1e-6, "max_iter": 200}
    first, second = (sb.solve(sb.Problem(f, sb.Spectrahedron(), regularizer), **options) for f in (sparse, dense))
    assert first.success
    assert second.success
    assert first.value == pytest.approx(second.value, abs=2e-6)


def test_copies_of_an_entry_are_added():
    k = 10
    twice = coo_array(([1.0, 2.0, 3.0], ([1, 1, 0], [0, 0, 1])), shape=(k, k))
    columns = sparse_columns([twice], k)
    assert columns is not None
    assert columns.nnz == 1
    assert columns.data[0] == pytest.approx(3 * np.sqrt(2))


def test_losses_do_not_change_with_the_users_matrices():
    F0, Fs = few_entries()
    kept = [csr_array(F) for F in Fs]
    losses, w = sb.AffineMatrix(F0, kept), np.ones(len(Fs))
    before = losses.values(w)
    for F in kept:
        F.data *= 2
    assert np.array_equal(losses.values(w), before)


def bad(change):
    _, Fs = few_entries()
    matrices = [csr_array(F) for F in Fs]
    matrices[3] = change(Fs[3])
    return matrices


REFUSED = {
    "not symmetric": (lambda F: csr_array(np.triu(np.ones((12, 12)))), r"Fs\[3\] must be symmetric"),
    "nan": (lambda F: csr_array(np.where(F != 0, np.nan, 0.0)), r"Fs\[3\] must be finite"),
    "shape": (lambda F: csr_array(np.eye(11)), "matrices of one shape"),
    "complex": (lambda F: csr_array(F * 1j), "Fs"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_matrices_are_refused_as_before(name):
    change, message = REFUSED[name]
    F0, _ = few_entries()
    with pytest.raises(sb.ProblemError, match=message):
        sb.AffineMatrix(F0, bad(change))


def test_a_corrupt_index_is_refused():
    F0, Fs = few_entries()
    matrices = [csr_array(F) for F in Fs]
    matrices[2].indices[:] = 99
    with pytest.raises(sb.ProblemError, match=r"Fs\[2\]"):
        sb.AffineMatrix(F0, matrices)


def test_full_matrices_stay_arrays():
    rng = np.random.default_rng(0)
    S = rng.standard_normal((4, 8, 8))
    S = S + S.transpose(0, 2, 1)
    assert sparse_columns(S[1:], 8) is None
    assert not offers(sb.AffineMatrix(S[0], S[1:]), HasLinearization)
    # Nothing but zeros is sparse, and a constant.
    assert sb.solve(sb.Problem(sb.AffineMatrix(S[0], 0 * S[1:]), sb.Spectrahedron())).certified
