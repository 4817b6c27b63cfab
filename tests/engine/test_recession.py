"""The shortest average of slopes, and the direction in which all of them fall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import saddleback as sb
from saddleback.engine.evaluation import Evaluation
from saddleback.engine.recession import Slopes, shortest_average


@given(st.integers(0, 10**6), st.integers(1, 25), st.integers(1, 40), st.sampled_from([0.0, 3.0, 8.0, 11.0]))
def test_the_shortest_average_is_one(seed, n, d, decades):
    """a is the point of the hull nearest to zero exactly when no slope s has <s, a> < |a|^2."""
    rng = np.random.default_rng(seed)
    S = rng.standard_normal((n, d)) + rng.uniform(0, 2) * rng.standard_normal(d)
    S *= 10 ** rng.uniform(0, decades, (n, 1))
    weights = shortest_average(S)
    assert weights.min() >= 0.0
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    a = weights @ S
    rounding = 1e-9 * np.linalg.norm(weights @ np.abs(S)) * np.linalg.norm(S, axis=1)
    assert (S @ a >= a @ a - rounding).all()


def test_a_short_slope_beside_a_long_one():
    """On x^2 - y: the slopes near the start, and where an error of 4e-6 has grown to 4e5."""
    weights = shortest_average(np.array([[4e-6, -1.0], [-8e5, -1.0]]))
    np.testing.assert_allclose(weights @ [[4e-6, -1.0], [-8e5, -1.0]], [0.0, -1.0], atol=1e-15)


def at(G, lam):
    G = np.asarray(G, dtype=float)
    J, d = G.shape
    return Evaluation(np.zeros(d), np.zeros(J), 0.0, np.asarray(lam, dtype=float), G)


def slopes(d, flat=None):
    return Slopes(sb.Simplex(), np.ones(d, dtype=bool) if flat is None else np.array(flat))


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_every_slope_falls_along_the_direction(unit):
    rng = np.random.default_rng(0)
    G = rng.standard_normal((6, 4))
    G[:, 0] += 3.0
    G[:, 1] *= unit
    known = slopes(4)
    assert known.learn(at(G, np.full(6, 1 / 6)))
    u = known.descent()
    assert u is not None
    assert (G @ u).max() <= -0.5
    assert not known.learn(at(G, np.full(6, 1 / 6))), "it is no news"


def test_slopes_that_average_to_zero_have_no_direction():
    """The best response has one loss; the kept Jacobian has the slope of the other."""
    known = slopes(2)
    known.learn(at([[1.0, 2.0], [-3.0, -6.0]], [1.0, 0.0]))
    assert known.descent() is None


def test_directions_leave_strongly_convex_coordinates_alone():
    known = slopes(2, flat=[True, False])
    known.learn(at([[1.0, 100.0]], [1.0]))
    np.testing.assert_allclose(known.descent(), [-1.0, 0.0], atol=1e-15)
    known.learn(at([[-1.0, 100.0]], [1.0]))
    assert known.descent() is None


def test_directions_cost_what_was_granted():
    """Many slopes without a common direction of descent: each correction adds new ones."""
    rng = np.random.default_rng(0)
    G = rng.standard_normal((40, 60))
    for work, spent in ((1.0, True), (1e12, False)):
        slopes = Slopes(sb.Simplex(), np.ones(60, dtype=bool), work)
        assert not slopes.exhausted
        slopes.learn(at(G, np.eye(40)[0]))
        slopes.descent()
        assert slopes.exhausted == spent
