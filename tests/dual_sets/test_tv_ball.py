"""The ball in total variation."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from saddleback.dual_sets.tv_ball import TVBall

from .balls import EPS, BallSuite, decrement_squared, interior


class TestTVBall(BallSuite):
    kind = TVBall

    @staticmethod
    def cvxpy_divergence(lam, p):
        return 0.5 * cp.norm1(lam - p)

    @staticmethod
    def dual_bound(p, z, rho, lam):
        """theta + mu rho + sum p (z - theta)_+ with mu = max z - theta: a linear program, solved by an entry of z."""
        return min(theta - theta * min(rho, 1.0) + p @ np.maximum(z - theta, 0.0) for theta in z)

    @pytest.mark.parametrize(
        ("rho", "expected"),
        [(0.05, [0.55, 0.3, 0.15]), (0.25, [0.75, 0.25, 0.0]), (0.5, [1.0, 0.0, 0.0]), (0.9, [1.0, 0.0, 0.0])],
    )
    def test_support_by_hand(self, rho, expected):
        lam = TVBall(rho, [0.5, 0.3, 0.2]).support(np.array([3.0, 2.0, 1.0]))[1]
        np.testing.assert_allclose(lam, expected, atol=2 * EPS)

    def test_projection_by_hand(self):
        """Each of the gainers gains alike, each of the losers loses alike, and no one loses more than it has."""
        lam = TVBall(0.3).project(np.array([5.0, 5.0, -5.0, -5.0]))
        np.testing.assert_allclose(lam, [0.4, 0.4, 0.1, 0.1], atol=2 * EPS)
        lam = TVBall(0.3).project(np.array([5.0, 0.0, -5.0, -50.0]))
        np.testing.assert_allclose(lam, [0.55, 0.25, 0.2, 0.0], atol=2 * EPS)

    @pytest.mark.parametrize(
        ("rho", "expected"), [(1e-10, [0.25 + 1e-10, 0.25, 0.25, 0.25 - 1e-10]), (0.3, [0.55, 0.25, 0.2, 0.0])]
    )
    def test_far_points_do_not_round(self, rho, expected):
        x = np.array([1e8, 0.0, -1e8, -2e8])
        np.testing.assert_allclose(TVBall(rho).project(x), expected, rtol=0, atol=2 * EPS)
        np.testing.assert_allclose(TVBall(rho).tilt(np.full(4, 2.0), x), expected, rtol=0, atol=2 * EPS)

    def test_nu_counts_the_logarithms_of_the_slacks(self):
        """Where mass has moved from one entry to another up to the rim, B grows faster than with nu = J + 1."""
        ball, p = TVBall(0.01), np.full(4, 0.25)
        lam = p + 0.999 * ball.rho * np.array([1.0, 0.0, 0.0, -1.0])
        assert 5.0 + 1.0 < decrement_squared(ball, lam) <= ball.barrier_parameter(4)

    @pytest.mark.parametrize("seed", range(5))
    def test_barrier_minimizes_over_the_slacks(self, seed):
        """B is a partial minimum: no slacks s give less."""
        n, rng = 6, np.random.default_rng(seed)
        ball = TVBall(0.4, rng.dirichlet(np.full(n, 3.0)))
        lam = interior(ball, n, seed)
        u = lam - ball.prior
        s, s_less_u, room = ball._slacks(lam)
        np.testing.assert_allclose(s - s_less_u, u, atol=8 * EPS)
        assert room == pytest.approx(ball.rho - s.sum(), abs=16 * EPS)
        np.testing.assert_allclose(1 / s + 1 / s_less_u, 1 / room, rtol=1e-11)
        rest = ball.rho - np.maximum(u, 0.0).sum()
        for _ in range(20):
            other = np.maximum(u, 0.0) + rest * rng.dirichlet(np.ones(n + 1))[:-1]
            value = -np.log(lam).sum() - np.log(other).sum() - np.log(other - u).sum() - np.log(ball.rho - other.sum())
            assert ball.barrier(lam) <= value


def test_barrier_next_to_the_boundary_is_no_division_by_zero() -> None:
    """Where the divergence is below rho by rounding, and the room is not."""
    p = np.array([0.2744839735803199, 0.7255160264196802])
    assert TVBall(0.3, p).barrier(np.array([0.5744839735803199, 0.4255160264196802])) == np.inf


@pytest.mark.parametrize("rho", [1e-9, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0, 3.0])
@pytest.mark.parametrize("n", [2, 4, 20, 333])
def test_a_uniform_prior_needs_no_sorting(rho, n):
    """With ties, and with radii that end between two entries or at one."""
    z = np.round(np.random.default_rng(n).standard_normal(n), 1)
    sorted_value, _ = TVBall(rho, np.full(n, 1.0 / n)).support(z)
    value, lam = TVBall(rho).support(z)
    assert value == pytest.approx(sorted_value, rel=1e-12, abs=1e-13)
    assert TVBall(rho).contains(lam, 1e-14)
    assert lam @ z == pytest.approx(value, rel=1e-12, abs=1e-13)
