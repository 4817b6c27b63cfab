"""Losses of standardized columns against those of a table that is standardized first."""

import numpy as np
import pytest

import saddleback as sb
from saddleback.losses.standardized import StandardizedLosses


def table(loss, n=4000, d=6):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-3, 3, d) + rng.uniform(-5, 5, d)
    y = rng.integers(0, 3, n) if loss == "softmax" else (rng.integers(0, 2, n) if loss == "logistic" else X[:, 0])
    return X, y, rng.integers(0, 3, n)


def both(loss, intercept=True, l2=0.2):
    X, y, groups = table(loss)
    center, scale = X.mean(axis=0) if intercept else np.zeros(X.shape[1]), X.std(axis=0)
    plain = sb.GroupedLinear(X, y, groups, loss=loss, fit_intercept=intercept)
    standardized = sb.GroupedLinear((X - center) / scale, y, groups, loss=loss, fit_intercept=intercept, l2=l2)
    return StandardizedLosses(plain, center, scale, l2), standardized


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", ["logistic", "squared", "softmax"])
def test_agrees_with_a_standardized_table(loss, intercept):
    losses, expected = both(loss, intercept)
    rng = np.random.default_rng(1)
    w, lam = rng.standard_normal(losses.n_params), np.array([0.5, 0.0, 0.3])
    f, G = losses.evaluate(w)
    of_table = expected.evaluate(w)
    np.testing.assert_allclose(f, of_table[0], rtol=1e-11)
    np.testing.assert_allclose(G, of_table[1], rtol=1e-8, atol=1e-10 * np.abs(G).max())
    np.testing.assert_allclose(losses.values(w), f, rtol=1e-12)
    H = losses.hessian(w, lam)
    np.testing.assert_allclose(H, expected.hessian(w, lam), rtol=1e-7, atol=1e-9 * np.abs(H).max())
    np.testing.assert_array_equal(H, H.T)
    which = np.array([2, 0])
    of_losses = expected.loss_hessians(w, which)
    np.testing.assert_allclose(losses.loss_hessians(w, which), of_losses, atol=1e-9 * np.abs(H).max())
    np.testing.assert_array_equal(losses.penalty_diagonal(), expected.penalty_diagonal())
    np.testing.assert_array_equal(losses.strong_convexity, losses.penalty_diagonal())


def test_has_the_same_optimum_as_a_standardized_table():
    losses, expected = both("logistic")
    value = sb.solve(sb.Problem(expected), tol=1e-9).value
    assert abs(sb.solve(sb.Problem(losses), tol=1e-9).value - value) < 1e-9
    assert abs(sb.solve(sb.Problem(losses.with_l2(0.0)), tol=1e-9).value - value) > 1e-4


def test_sampled_hessians_are_those_of_the_columns():
    rng = np.random.default_rng(2)
    X, y, groups = rng.standard_normal((20_000, 30)) + 3.0, rng.integers(0, 2, 20_000), rng.integers(0, 2, 20_000)
    center, scale = X.mean(axis=0), 2.0 * X.std(axis=0)
    losses = StandardizedLosses(sb.GroupedLinear(X, y, groups), center, scale, 0.1)
    expected = sb.GroupedLinear((X - center) / scale, y, groups, l2=0.1)
    w, lam, V = rng.standard_normal(31), np.array([0.4, 0.6]), rng.standard_normal((3, 31))
    estimate = expected.sampled_hessian(w, lam, V)
    np.testing.assert_allclose(losses.sampled_hessian(w, lam, V), estimate, rtol=1e-3)
    np.testing.assert_allclose(losses.sampled_hessian(w, lam), expected.sampled_hessian(w, lam), rtol=1e-3, atol=1e-4)
    which = np.array([1, 0])
    np.testing.assert_allclose(
        losses.sampled_loss_hessians(w, which), expected.sampled_loss_hessians(w, which), rtol=1e-3, atol=1e-4
    )
    T = losses.sampled_margins(V)
    split = losses.hessian_on_margins(w, lam, T) + (V * losses.penalty_diagonal()) @ V.T
    np.testing.assert_allclose(split, losses.sampled_hessian(w, lam, V), rtol=1e-10)
