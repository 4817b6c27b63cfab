"""Structured Hessians against the matrices that they stand for, and systems of P = B + sigma I."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from saddleback.linalg import svec
from saddleback.linalg.hessian_models import DenseHessianModel, SparseSystem
from saddleback.linalg.hessians import Blocks, Dense, Diagonal, Gram, LowRank, Spectral
from saddleback.linalg.sparse_jacobian import SparseJacobian

N = 6
RNG = np.random.default_rng(0)
D, V, M = RNG.uniform(0.5, 2.0, N), RNG.standard_normal((2, N)), RNG.standard_normal((N + 2, N))
U = np.linalg.qr(RNG.standard_normal((3, 3)))[0]
EIGENVALUES = RNG.uniform(0.5, 2.0, 3)
HESSIANS = [
    Diagonal(D),
    Dense(M.T @ M),
    Gram(M),
    LowRank(D, V),
    Spectral(U, 1.0 / np.outer(EIGENVALUES, EIGENVALUES)),
    Blocks([LowRank(D[:4], V[:, :4]), Diagonal(D[4:])]),
]
# Matrices of order 6 and condition below 1e4: sums of a few products.
CLOSE = {"rtol": 1e-10, "atol": 1e-12}


@pytest.mark.parametrize("hessian", HESSIANS, ids=lambda h: type(h).__name__)
def test_multiples_sums_and_solutions_are_those_of_the_matrix(hessian) -> None:
    H, rows = hessian.dense(), RNG.standard_normal((3, N))
    np.testing.assert_allclose(hessian.times(7.0).dense(), 7.0 * H, **CLOSE)
    for other in HESSIANS:
        np.testing.assert_allclose(hessian.plus(other).dense(), H + other.dense(), **CLOSE)
    solved = np.linalg.solve(H, rows.T).T
    np.testing.assert_allclose(hessian.solve(rows), solved, **CLOSE)
    np.testing.assert_allclose(hessian.inner(rows), rows @ solved.T, **CLOSE)


def test_the_hessian_of_a_spectrum_is_a_congruence() -> None:
    """With W_ij = 1/(a_i a_j): V -> Lam^-1 V Lam^-1 for Lam = U diag(a) U'."""
    inverse = (U / EIGENVALUES) @ U.T
    A = RNG.standard_normal((3, 3))
    A = A + A.T
    np.testing.assert_allclose(svec.unpack(HESSIANS[4].dense() @ svec.pack(A)), inverse @ A @ inverse, **CLOSE)


@pytest.mark.parametrize("sigma", [0.0, 0.3])
def test_a_shifted_system_is_that_of_its_matrix(sigma) -> None:
    B, G, lam = M.T @ M, RNG.standard_normal((4, N)), RNG.dirichlet(np.ones(4))
    system = DenseHessianModel(B).system(G, sigma)
    assert system is not None
    P = B + sigma * np.eye(N)
    np.testing.assert_allclose(system.factor @ system.factor.T, G @ np.linalg.solve(P, G.T), **CLOSE)
    np.testing.assert_allclose(system.direction(lam), -np.linalg.solve(P, lam @ G), **CLOSE)


def test_a_sparse_system_is_that_of_a_diagonal_matrix() -> None:
    G, lam = RNG.standard_normal((4, N)) * (RNG.random((4, N)) < 0.6), RNG.dirichlet(np.ones(4))
    system = SparseSystem(SparseJacobian(csr_array(G)), np.sqrt(D))
    factor = system.factor.dense()
    np.testing.assert_allclose(factor @ factor.T, (G / D) @ G.T, **CLOSE)
    np.testing.assert_allclose(system.direction(lam), -(lam @ G) / D, **CLOSE)
    np.testing.assert_allclose(system.direction_of(-(lam @ factor)), system.direction(lam), **CLOSE)
