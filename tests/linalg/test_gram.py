"""Inner products of rows, and orthonormal bases by them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddleback.linalg.gram import bordered, combination, orthonormal, products

SMALLEST = 1e-8


@given(seed=st.integers(0, 10**6), k=st.integers(1, 8), d=st.integers(1, 8), unit=st.sampled_from([1e-100, 1.0, 1e100]))
def test_a_basis_of_the_span(seed, k, d, unit):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, min(k, d) + 1))
    Z = unit * rng.standard_normal((k, rank)) @ rng.standard_normal((rank, d))
    U = orthonormal(Z @ Z.T, SMALLEST) @ Z
    np.testing.assert_allclose(U @ U.T, np.eye(len(U)), atol=1e-6)
    assert len(U) <= rank
    # What is left out is a share of 1e-4 of the rows' lengths.
    rest = Z - (Z @ U.T) @ U
    assert np.linalg.norm(rest) <= 2 * np.sqrt(k * SMALLEST) * np.linalg.norm(Z)


def test_zero_rows_and_copies_span_nothing_more():
    Z = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 2.0], [1.0, 2.0, 2.0], [0.0, 0.0, 0.0]])
    E = orthonormal(Z @ Z.T, SMALLEST)
    assert len(E) == 1
    np.testing.assert_allclose(np.abs(E @ Z), [[1 / 3, 2 / 3, 2 / 3]])
    assert len(orthonormal(np.zeros((3, 3)), SMALLEST)) == 0


@pytest.mark.parametrize("sizes", [(2,), (0, 3), (1, 0, 2)])
def test_blocks(sizes):
    rng = np.random.default_rng(0)
    blocks, new = [rng.standard_normal((n, 4)) for n in sizes], rng.standard_normal((2, 4))
    Z = np.concatenate((*blocks, new))
    gram = bordered(products(Z[:-2], blocks), products(new, blocks), new @ new.T)
    np.testing.assert_allclose(gram, Z @ Z.T, rtol=1e-13)
    c = [rng.standard_normal(n) for n in sizes]
    np.testing.assert_allclose(combination(c, blocks), np.concatenate(c) @ Z[:-2])
