"""The vectorized exp and log1p are as good as the C library's."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from saddleback.losses.grouped.kernels import elementary

EPS = np.finfo(np.float64).eps


@pytest.fixture(scope="module")
def compiled():
    def on_arrays(function):
        @numba.njit
        def apply(x):
            out = np.empty_like(x)
            for i in range(x.size):
                out[i] = function(x[i])
            return out

        return apply

    return on_arrays(elementary.exp), on_arrays(elementary.log1p)


def test_exp(compiled):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-708, 709.7, 20_000), rng.uniform(-1, 1, 20_000), [0.0, -0.0, 709.78]])
    expected = np.exp(x.astype(np.longdouble))
    assert float(np.max(np.abs(compiled[0](x) / expected - 1))) < EPS


def test_exp_at_the_ends(compiled):
    x = np.array([-np.inf, -1e300, -750.0, 709.79, 1e300, np.inf])
    np.testing.assert_array_equal(compiled[0](x), [0.0, 0.0, 0.0, np.inf, np.inf, np.inf])
    assert np.isnan(compiled[0](np.array([np.nan]))).all()
    tiny = np.linspace(-745.0, -709.0, 50)
    np.testing.assert_allclose(compiled[0](tiny), [math.exp(t) for t in tiny], rtol=EPS, atol=5e-324)


def test_log1p(compiled):
    rng = np.random.default_rng(0)
    u = np.concatenate([rng.uniform(0, 1, 20_000), 10 ** rng.uniform(-300, 0, 20_000), [1.0, 2**0.5 - 1]])
    expected = np.log1p(u.astype(np.longdouble))
    assert float(np.max(np.abs(compiled[1](u) / expected - 1))) < 2 * EPS
    assert compiled[1](np.zeros(1)) == 0.0
