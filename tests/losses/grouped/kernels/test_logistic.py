"""The logistic loss of the kernels: as accurate as the C library, alone and summed over rows for several lanes."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from saddleback.losses.grouped.kernels.logistic import set_logistic
from saddleback.losses.grouped.kernels.logistic_lanes import MOST, add_logistic

EPS = np.finfo(np.float64).eps
LARGE = np.array([0.0, 1e-300, 1e-17, 36.0, 40.0, 700.0, 745.0, 1e4, 1e300, np.inf])


@numba.njit
def value_and_slope(eta, y):
    value, slope = np.empty_like(eta), np.empty_like(eta)
    set_logistic(eta, y, np.uintp(eta.size), value, slope)
    return value, slope


@numba.njit
def summed(eta, y, c, lanes):
    rows = np.uintp(y.size)
    scaled, f, slopes = np.zeros(eta.size), np.zeros(lanes), np.zeros(lanes)
    zero = np.uintp(0)
    add_logistic(eta, y, zero, c, rows, scaled, zero, f, zero, slopes, zero, np.uintp(lanes))
    return scaled, f, slopes


def expected(eta, y):
    """In extended precision."""
    margin = (y * eta).astype(np.longdouble)
    with np.errstate(over="ignore"):
        value = np.log1p(np.exp(-np.abs(margin))) + np.maximum(-margin, 0.0)
        return value, -y / (1.0 + np.exp(margin))


def margins():
    rng = np.random.default_rng(0)
    tiny = 10.0 ** rng.uniform(-300, 0, 10_000)
    eta = [rng.uniform(-700, 700, 20_000), rng.standard_normal(20_000), tiny, -tiny, rng.uniform(-40, 40, 20_000)]
    return np.concatenate(eta)


@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_value_and_slope(y):
    eta = margins()
    labels = np.full(eta.size, y)
    for got, exact in zip(value_and_slope(eta, labels), expected(eta, labels), strict=True):
        assert float(np.max(np.abs(got / exact - 1))) < 2 * EPS


@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_ends(y):
    eta = np.concatenate([LARGE, -LARGE])
    labels = np.full(eta.size, y)
    value, slope = value_and_slope(eta, labels)
    exact, exact_slope = expected(eta, labels)
    np.testing.assert_allclose(value, exact.astype(float), rtol=2 * EPS, atol=1e-323)
    np.testing.assert_allclose(slope, exact_slope.astype(float), rtol=2 * EPS, atol=1e-323)
    assert value_and_slope(np.array([y * np.inf]), np.array([y])) == (0.0, 0.0)
    assert value_and_slope(np.array([-y * np.inf]), np.array([y])) == (np.inf, -y)


def test_nan_of_any_bits_is_kept():
    """The last bits of a number are used as an exponent on the way."""
    eta = np.array([0x7FF8000000000000, 0x7FF00000000007A2, -0x7FFFFFFFFFC01], dtype=np.int64).view(np.float64)
    assert np.isnan(eta).all()
    for x in value_and_slope(eta, np.ones(eta.size)):
        assert np.isnan(x).all()
    for x in summed(np.repeat(eta[:2], 8), np.ones(2), 1.0, 8):
        assert np.isnan(x).all()


def test_bits_do_not_depend_on_the_place():
    """Some rows are computed in vectors, and those that are left one by one."""
    eta = margins()[:200]
    value, slope = value_and_slope(eta, np.ones(eta.size))
    for k in range(eta.size):
        one, of_one = value_and_slope(eta[k : k + 1], np.ones(1))
        assert (one[0], of_one[0]) == (value[k], slope[k])


@pytest.mark.parametrize("lanes", [8, 16])
@pytest.mark.parametrize("rows", [1, 2, 3, 7, 64, MOST])
@pytest.mark.parametrize("size", [1e-3, 1.0, 30.0, 1e4])
def test_sums_of_lanes(rows, lanes, size):
    rng = np.random.default_rng(rows)
    eta, y = size * rng.standard_normal((rows, lanes)), rng.choice([-1.0, 1.0], rows)
    scaled, f, slopes = summed(eta.ravel(), y, 0.375, lanes)
    value, slope = expected(eta, y[:, None])
    np.testing.assert_allclose(f, 0.375 * value.sum(axis=0).astype(float), rtol=rows * EPS + 2 * EPS)
    np.testing.assert_allclose(scaled, 0.375 * slope.astype(float).ravel(), rtol=3 * EPS, atol=1e-320)
    np.testing.assert_allclose(slopes, scaled.reshape(rows, lanes).sum(axis=0), rtol=0.0, atol=rows * EPS)


def test_small_losses_keep_their_digits_in_a_sum():
    """Sums of log(1 + e) far below the distance of 1 from the next number, and of both kinds."""
    for eta in (np.full(64, 50.0), np.linspace(30.0, 700.0, 64), np.r_[np.full(32, -3.0), np.full(32, 600.0)]):
        _, f, _ = summed(np.repeat(eta, 8), np.ones(64), 1.0, 8)
        total = expected(eta, np.ones(64))[0].sum()
        np.testing.assert_allclose(f, float(total), rtol=64 * EPS)


def test_largest_product():
    """All 1 + e are 2."""
    _, f, slopes = summed(np.zeros(MOST * 8), np.ones(MOST), 1.0, 8)
    np.testing.assert_allclose(f, MOST * np.log(2.0), rtol=2 * EPS)
    np.testing.assert_array_equal(slopes, -MOST / 2)


@pytest.mark.parametrize("end", [np.inf, -np.inf])
def test_infinite_margins_in_a_lane(end):
    eta = np.zeros((3, 8))
    eta[1, 4] = end
    _, f, _ = summed(eta.ravel(), np.ones(3), 1.0, 8)
    log2 = np.log(2.0)
    np.testing.assert_allclose(np.delete(f, 4), 3 * log2, rtol=4 * EPS)
    np.testing.assert_allclose(f[4], 2 * log2 if end > 0 else np.inf, rtol=4 * EPS)
