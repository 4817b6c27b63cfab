"""The two forms of a pencil against the formulas."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.linalg import svec
from saddleback.subproblem.sdp.pencil import DensePencil, Scaling, SparsePencil, pencil_of

ROUNDING = 1e-12


def scaling(rng, k):
    """Random X and Z, both positive definite."""
    R = rng.standard_normal((2, k, 2 * k))
    X, Z = R @ R.transpose(0, 2, 1)
    return Scaling(X, np.linalg.cholesky(X), np.linalg.cholesky(Z), np.linalg.inv(Z)), Z


def coordinates(rng, k, kind):
    """The rows of svec at which some matrix is not zero, and unit columns there."""
    J = svec.length(k)
    if kind == "one each":
        positions = np.sort(rng.choice(J, min(J, 5), replace=False))
        B = np.diag(rng.choice([-1.0, 1.0], positions.size))[rng.permutation(positions.size)]
    elif kind == "diagonals":
        positions = svec.length(1) - 1 + np.cumsum(np.arange(1, k + 1)) - 1
        B = rng.standard_normal((k, 3))
    else:
        positions = np.arange(J) if kind == "full" else np.sort(rng.choice(J, max(1, J // 2), replace=False))
        B = rng.standard_normal((positions.size, 4))
    return positions, B / np.linalg.norm(B, axis=0)


@pytest.mark.parametrize("kind", ["one each", "diagonals", "some", "full"])
@pytest.mark.parametrize("k", [1, 2, 3, 7, 20])
def test_products_and_schur_complement(k, kind):
    rng = np.random.default_rng(k)
    positions, B = coordinates(rng, k, kind)
    columns = np.zeros((svec.length(k), B.shape[1]))
    columns[positions] = B
    matrices = svec.unpack(np.ascontiguousarray(columns.T))
    at, Z = scaling(rng, k)
    expected = np.array([[np.trace(F @ at.X @ E @ np.linalg.inv(Z)) for E in matrices] for F in matrices])
    p, S = rng.standard_normal(B.shape[1]), at.X
    for pencil in (SparsePencil(k, positions, B), DensePencil(k, columns), pencil_of(k, positions, B)):
        assert pencil.n == B.shape[1]
        np.testing.assert_allclose(pencil.matrix(p), np.tensordot(p, matrices, 1), atol=ROUNDING)
        np.testing.assert_allclose(pencil.inner(S), np.einsum("ijk,jk->i", matrices, S), atol=ROUNDING * k * k)
        size = np.abs(expected).max()
        np.testing.assert_allclose(np.tril(pencil.schur(at)), np.tril(expected), atol=100 * ROUNDING * size)


def test_many_blocks_of_rows_give_the_same():
    rng = np.random.default_rng(0)
    k = 20
    positions = np.arange(svec.length(k))
    B = np.eye(positions.size)
    at, _ = scaling(rng, k)
    dense = DensePencil(k, B).schur(at)
    np.testing.assert_allclose(np.tril(SparsePencil(k, positions, B).schur(at)), np.tril(dense), atol=1e-10)


def test_the_cheaper_form_is_chosen():
    """Max-Cut and theta by positions; few full matrices by congruences."""
    k = 60
    diagonal = np.cumsum(np.arange(1, k + 1)) - 1
    assert isinstance(pencil_of(k, diagonal, np.eye(k)), SparsePencil)
    edges = np.arange(0, svec.length(k), 3)
    assert isinstance(pencil_of(k, edges, np.eye(edges.size)), SparsePencil)
    full = np.full((svec.length(k), 3), svec.length(k) ** -0.5)
    assert isinstance(pencil_of(k, np.arange(svec.length(k)), full), DensePencil)
