"""The vectorized exp is as good as the C library's."""

from __future__ import annotations

import math

import numba
import numpy as np

from saddleback.losses.grouped.kernels import elementary

EPS = np.finfo(np.float64).eps


@numba.njit
def exp(x):
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = elementary.exp(x[i])
    return out


def test_exp():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-708, 709.7, 20_000), rng.uniform(-1, 1, 20_000), [0.0, -0.0, 709.78]])
    expected = np.exp(x.astype(np.longdouble))
    assert float(np.max(np.abs(exp(x) / expected - 1))) < EPS


def test_exp_at_the_ends():
    x = np.array([-np.inf, -1e300, -750.0, 709.79, 1e300, np.inf])
    np.testing.assert_array_equal(exp(x), [0.0, 0.0, 0.0, np.inf, np.inf, np.inf])
    assert np.isnan(exp(np.array([np.nan]))).all()
    tiny = np.linspace(-745.0, -709.0, 50)
    np.testing.assert_allclose(exp(tiny), [math.exp(t) for t in tiny], rtol=EPS, atol=5e-324)
