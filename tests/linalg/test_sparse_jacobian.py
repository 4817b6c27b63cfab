"""A sparse Jacobian does what the array does."""

from __future__ import annotations

import pickle

import numpy as np
from scipy.sparse import csr_array, random_array

from saddleback.linalg.sparse_jacobian import SparseJacobian


def test_products_and_norms():
    rng = np.random.default_rng(0)
    G = random_array((30, 7), density=0.2, rng=rng).toarray()
    G[:, 3] = 0.0
    J, d = G.shape
    factors = np.exp2(rng.integers(-4, 4, d))
    for sparse, array in (
        (SparseJacobian(csr_array(G)), G),
        (SparseJacobian(csr_array(G)).rescaled(factors), G / factors),
    ):
        lam, theta, p = rng.random(J), rng.random(J), rng.standard_normal(d)
        assert sparse.shape == (J, d)
        assert np.array_equal(sparse.dense(), array)
        assert not sparse.dense().flags.writeable
        np.testing.assert_allclose(sparse.slope(lam), array.T @ lam, rtol=1e-14)
        np.testing.assert_allclose(sparse.change(p), array @ p, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(sparse.magnitudes(p), np.abs(array) @ np.abs(p), rtol=1e-14)
        np.testing.assert_allclose(sparse.row_norms(), np.linalg.norm(array, axis=1), rtol=1e-14)
        np.testing.assert_allclose(sparse.column_norms(), np.linalg.norm(array, axis=0), rtol=1e-14)
        np.testing.assert_allclose(sparse.hessian(lam, theta), (array.T * theta) @ array, rtol=1e-13)
        assert np.array_equal(pickle.loads(pickle.dumps(sparse)).dense(), array)
