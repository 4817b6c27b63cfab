"""Margins of any magnitude: no warning, no NaN, the limits of the formulas."""

from __future__ import annotations

import numpy as np
import pytest

import saddleback as sb

from .cases import assert_same
from .reference import POINTWISE

MARGINS = np.array([0.0, 1e-300, 1e-17, 1.0, 30.0, 40.0, 700.0, 745.0, 1e4, 1e100, 1e300])
MARGINS = np.concatenate([-MARGINS[::-1], MARGINS])


def of_margins(loss, y, eta=MARGINS):
    """One group per row and one column, so that losses are the pointwise ones and the Jacobian their slopes."""
    labels = np.full(eta.size, y)
    labels[0] = -labels[0]
    losses = sb.GroupedLinear(eta[:, None], labels, np.arange(eta.size), loss=loss, fit_intercept=False, n_threads=1)
    f, G = losses.evaluate(np.ones(1))
    H = np.array([losses.hessian(np.ones(1), e)[0, 0] for e in np.eye(eta.size)])
    with np.errstate(all="ignore"):
        return f[1:], G[1:, 0] / eta[1:], H[1:] / eta[1:] ** 2, eta[1:]


@pytest.mark.parametrize("y", [-1, 1])
def test_logistic(y):
    f, slope, _, eta = of_margins("logistic", y)
    assert_same(f, np.logaddexp(0.0, -y * eta), 4e-16)
    defined = eta != 0
    with np.errstate(over="ignore"):
        expected = -y / (1.0 + np.exp(y * eta))
    small = np.abs(expected) < 1e-300
    np.testing.assert_allclose(slope[defined & ~small], expected[defined & ~small], rtol=1e-15)
    assert (np.abs(slope[defined & small]) <= 1e-300).all()


@pytest.mark.parametrize("y", [-1, 1])
@pytest.mark.parametrize("loss", ["squared", "huber", "squared_hinge", "quantile"])
def test_limits(loss, y):
    f, slope, _, eta = of_margins(loss, y)
    with np.errstate(over="ignore"):
        expected = POINTWISE[loss](eta, float(y))
    finite = np.isfinite(expected)
    np.testing.assert_allclose(f[finite], expected[finite], rtol=1e-15, atol=1e-300)
    assert not np.isnan(f).any()
    assert not np.isnan(slope[eta != 0]).any()
    if loss in ("huber", "quantile"):
        assert np.isfinite(f).all(), "linear growth does not overflow before the margin does"


def test_poisson_overflows_to_infinity():
    eta = np.array([-1e300, -1e4, -745.0, 0.5, 700.0, 709.7, 710.0, 1e4, 1e300])
    y = np.full(eta.size, 3.0)
    losses = sb.GroupedLinear(eta[:, None], y, np.arange(eta.size), loss="poisson", fit_intercept=False)
    f, G = losses.evaluate(np.ones(1))
    with np.errstate(over="ignore"):
        expected = np.exp(eta) - 3.0 * eta
    np.testing.assert_allclose(f, expected, rtol=1e-15)
    assert np.isinf(f[-3:]).all()
    assert not np.isnan(f).any()
    assert np.isinf(G[-3:]).all()
    np.testing.assert_array_equal(losses.values(np.ones(1)), f)


@pytest.mark.parametrize("size", [1e4, 1e300])
def test_softmax(size):
    """One row, three classes: margins size, 0, -size for the first class, the second or the last."""
    X = np.ones((3, 1))
    losses = sb.GroupedLinear(X, ["a", "b", "c"], [0, 1, 2], loss="softmax", fit_intercept=False)
    f, G = losses.evaluate(np.array([size, 0.0, -size]))
    np.testing.assert_array_equal(f, [0.0, size, 2 * size])
    np.testing.assert_array_equal(G, [[0.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, 0.0, -1.0]])
    H = losses.hessian(np.array([size, 0.0, -size]), np.ones(3))
    np.testing.assert_array_equal(H, np.zeros((3, 3)))


def test_softmax_keeps_small_losses():
    """log(1 + e^-40) = 4e-18 is not lost against 1."""
    losses = sb.GroupedLinear(np.ones((2, 1)), ["a", "b"], [0, 1], loss="softmax", fit_intercept=False)
    f, G = losses.evaluate(np.array([40.0, 0.0]))
    assert f[0] == pytest.approx(np.exp(-40.0), rel=1e-14)
    np.testing.assert_allclose(G[0], [-np.exp(-40.0), np.exp(-40.0)], rtol=1e-14)


def test_infinite_parameters_do_not_crash():
    losses = sb.GroupedLinear(np.eye(3), [0, 1, 1], [0, 1, 1], loss="softmax", fit_intercept=False)
    for bad in (np.nan, np.inf, -np.inf):
        f, G = losses.evaluate(np.full(6, bad))
        assert f.shape == (2,)
        assert G.shape == (2, 6)
