"""Columns in units of their standard deviations."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from saddleback.learn.data import standardization
from saddleback.learn.data.standardization import Standardization

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("unit", [1e-200, 1e-7, 1.0, 1e7, 1e200])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_standard_deviations_in_any_unit(unit, form):
    X = RNG.standard_normal((50, 3)) * (RNG.random((50, 3)) < 0.5) + [0.0, 5.0, -3.0]
    weight = RNG.random(50) + 0.1
    mean = np.average(X, axis=0, weights=weight)
    deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
    found = Standardization.of(form(unit * X), weight, intercept=True)
    np.testing.assert_allclose(found.scale, unit * deviation, rtol=1e-12)


def test_weights_are_repeated_rows():
    X = RNG.standard_normal((20, 2))
    weight = RNG.integers(1, 4, 20)
    weighted = Standardization.of(X, weight.astype(float), intercept=True)
    repeated = Standardization.of(np.repeat(X, weight, axis=0), None, intercept=True)
    np.testing.assert_allclose(weighted.scale, repeated.scale, rtol=1e-12)
    np.testing.assert_allclose(weighted.center, repeated.center, rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("value", [0.0, 0.1, 3e5])
def test_constant_columns(form, value):
    """With an intercept they have no effect; without one they are an intercept in units of their own."""
    X = form(np.column_stack([np.full(30, value), RNG.standard_normal(30)]))
    assert Standardization.of(X, None, intercept=True).scale[0] == 1.0
    assert Standardization.of(X, None, intercept=False).scale[0] == pytest.approx(value or 1.0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_margins_are_those_of_the_user(form):
    X = RNG.standard_normal((30, 4)) * [1.0, 10.0, 0.1, 1e4] + [0.0, 100.0, 0.0, -3.0]
    found = Standardization.of(form(X), None, intercept=True)
    W, b = RNG.standard_normal((2, 4)), RNG.standard_normal(2)
    coef, intercept = found.to_user(W, b)
    Z = found.apply(form(X))
    Z = Z if sp.issparse(Z) else np.asarray(Z)
    np.testing.assert_allclose(X @ coef.T + intercept, Z @ W.T + b, rtol=1e-9, atol=1e-9)
    again, intercepts = found.from_user(coef, intercept)
    np.testing.assert_allclose(again, W, rtol=1e-12)
    np.testing.assert_allclose(intercepts, b, atol=1e-9)


def test_sparse_stays_sparse():
    X = sp.random_array((40, 5), density=0.2, format="csr", rng=RNG)
    Z = Standardization.of(X, None, intercept=True).apply(X)
    assert sp.issparse(Z)
    assert Z.nnz == X.nnz


@pytest.mark.parametrize("weighted", [False, True])
def test_a_large_table_is_read_in_pieces(monkeypatch, weighted):
    X = RNG.standard_normal((1000, 3)) * [1.0, 1e200, 1e-200] + [0.0, 5e200, 0.0]
    weight = RNG.random(1000) if weighted else None
    whole = Standardization.of(X, weight, intercept=True)
    monkeypatch.setattr(standardization, "PIECE_ENTRIES", 20)
    pieces = Standardization.of(X, weight, intercept=True)
    np.testing.assert_allclose(pieces.scale, whole.scale, rtol=1e-13)
    np.testing.assert_array_equal(pieces.center, whole.center)
