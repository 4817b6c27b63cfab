"""What every ball of distributions must do: the suite that the tests of each ball inherit."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from saddleback.dual_sets.simplex import Simplex
from saddleback.errors import ProblemError
from saddleback.linalg.hessians import as_hessian

from .barriers import assert_parameter, assert_self_concordant

EPS = float(np.finfo(np.float64).eps)
# Relative to the spread of the losses: what support, projection and tilt may miss of the maximum.
TIGHT = 1e-13
PROPERTY = settings(
    derandomize=True, deadline=None, max_examples=100, suppress_health_check=[HealthCheck.differing_executors]
)
SEEDS = st.integers(0, 10**6)
RADII = st.one_of(st.floats(-10.0, 6.0), st.floats(-3.0, 0.5)).map(lambda exponent: 10.0**exponent)
SIZES = st.one_of(st.integers(1, 12), st.sampled_from([50, 200]))
SCALES = st.floats(-8.0, 8.0).map(lambda exponent: 10.0**exponent)


def random_prior(rng, n, least=1e-9):
    """Uniform, or drawn, from even to lopsided."""
    if rng.random() < 0.3:
        return None
    p = rng.dirichlet(np.full(n, rng.choice([0.1, 1.0, 30.0]))) + least
    return p / p.sum()


def losses(rng, n, scale=1.0):
    """Random, at times with ties, at times with a few far away."""
    z = rng.normal(size=n)
    kind = rng.integers(3)
    return scale * (z if kind == 0 else np.round(z) if kind == 1 else z**5)


def prior_vector(ball, n):
    return np.full(n, 1.0 / n) if ball.prior is None else ball.prior


def interior(ball, n, seed, depth=0.8):
    p = prior_vector(ball, n)
    rim = ball.restore(np.random.default_rng(seed).dirichlet(np.full(n, 2.0)))
    return p + depth * (rim - p)


def assert_in_ball(ball, lam):
    assert lam.min() >= 0.0
    assert abs(lam.sum() - 1.0) <= 8 * EPS
    # What entries of lam round moves a divergence by its slope there, which is at most that of chi-square.
    slope = 1.0 + 2.0 * np.abs(lam / prior_vector(ball, lam.size) - 1.0)
    assert ball.divergence(lam) <= ball.rho * (1 + 8 * EPS) + 2 * EPS * float(lam @ slope)


def gain(ball, lam, gradient):
    """max over the ball of <mu - lam, gradient>, zero exactly at a maximizer; relative to what the gradient rounds."""
    return ball.regret(lam, gradient) / (1.0 + np.ptp(gradient))


def decrement_squared(ball, lam):
    """<B', h>^2 / B''[h, h] in the direction h along the hull in which it is largest: that of Newton's step."""
    H, g = as_hessian(ball.barrier_hessian(lam)), ball.barrier_gradient(lam)
    E, _ = ball.affine_hull(lam.size)
    solved = H.solve(np.vstack((g, E)))
    step = solved[0] - np.linalg.solve(E @ solved[1:].T, E @ solved[0]) @ solved[1:]
    return float(g @ step)


class BallSuite:
    kind: type

    @staticmethod
    def cvxpy_divergence(lam, p):
        raise NotImplementedError

    @staticmethod
    def dual_bound(p, z, rho, lam):
        """An upper bound of max <lam, z>, for z from -1 to 0, from multipliers read off lam, by weak duality."""
        raise NotImplementedError

    def ball(self, rho, prior=None):
        return self.kind(rho, prior)

    # Support, projection, tilt.

    @PROPERTY
    @given(seed=SEEDS, n=SIZES, rho=RADII, scale=SCALES)
    def test_support_attains_its_dual_bound(self, seed, n, rho, scale):
        rng = np.random.default_rng(seed)
        ball, z = self.ball(rho, random_prior(rng, n)), losses(rng, n, scale)
        value, lam = ball.support(z)
        assert_in_ball(ball, lam)
        spread = float(np.ptp(z))
        assert value == pytest.approx(lam @ z, rel=0, abs=8 * EPS * np.abs(z).max())
        assert ball.support_value(z) == value
        if spread == 0.0:
            assert value == z[0]
            return
        x = (z - z.max()) / spread
        assert self.dual_bound(prior_vector(ball, n), x, rho, lam) - lam @ x <= TIGHT

    @PROPERTY
    @given(seed=SEEDS, n=SIZES, rho=RADII, scale=SCALES)
    def test_projection_satisfies_the_variational_inequality(self, seed, n, rho, scale):
        rng = np.random.default_rng(seed)
        ball, x = self.ball(rho, random_prior(rng, n)), losses(rng, n, scale)
        lam = ball.project(x)
        assert_in_ball(ball, lam)
        assert gain(ball, lam, (x - x.max()) - lam) <= 10 * TIGHT

    @PROPERTY
    @given(seed=SEEDS, n=SIZES, rho=RADII, scale=st.floats(1e-8, 30.0))
    def test_tilt_satisfies_the_variational_inequality(self, seed, n, rho, scale):
        rng = np.random.default_rng(seed)
        ball, z = self.ball(rho, random_prior(rng, n)), rng.normal(size=n) * scale
        q = 10.0 ** rng.uniform(-3, 3) * (rng.dirichlet(np.ones(n)) + 1e-6)
        lam = ball.tilt(q, z)
        assert_in_ball(ball, lam)
        assert lam.min() > 0.0
        gradient = (z - z.max()) - np.log(lam / q)
        assert gain(ball, lam, gradient) <= 10 * TIGHT * (1.0 + np.abs(z).max())

    @PROPERTY
    @given(seed=SEEDS, n=SIZES, rho=RADII, scale=SCALES)
    def test_tilt_of_losses_of_any_size_is_in_the_ball(self, seed, n, rho, scale):
        rng = np.random.default_rng(seed)
        ball = self.ball(rho, random_prior(rng, n))
        assert_in_ball(ball, ball.tilt(rng.dirichlet(np.ones(n)) + 1e-9, losses(rng, n, scale)))

    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("task", ["support", "project", "tilt"])
    def test_agreement_with_cvxpy(self, seed, task):
        rng = np.random.default_rng(seed)
        n, rho = 6, [0.02, 0.2, 0.6][seed % 3]
        p = None if seed == 0 else rng.dirichlet(np.full(n, 3.0))
        ball, z, q = self.ball(rho, p), rng.normal(size=n), rng.dirichlet(np.full(n, 3.0))
        v, p = cp.Variable(n), prior_vector(ball, n)
        objective, lam = {
            "support": (-z @ v, ball.support(z)[1]),
            "project": (0.5 * cp.sum_squares(v - z), ball.project(z)),
            "tilt": (cp.sum(cp.kl_div(v, q)) - z @ v, ball.tilt(q, z)),
        }[task]
        problem = cp.Problem(cp.Minimize(objective), [v >= 0, cp.sum(v) == 1, self.cvxpy_divergence(v, p) <= rho])
        problem.solve(solver="CLARABEL")
        best = problem.value
        v.value = lam
        assert float(objective.value) == pytest.approx(best, abs=1e-7)

    @PROPERTY
    @given(seed=SEEDS, n=st.integers(1, 12), scale=SCALES)
    def test_limits_in_rho(self, seed, n, scale):
        """A ball of radius zero is the prior; a large one is the simplex."""
        rng = np.random.default_rng(seed)
        prior, z = random_prior(rng, n, least=1e-3), losses(rng, n, scale)
        point, all_of_it = self.ball(0.0, prior), self.ball(1e6, prior)
        p, q = prior_vector(point, n), rng.dirichlet(np.ones(n)) + 1e-3
        assert point.support(z)[0] == p @ z
        for lam in (point.support(z)[1], point.project(z), point.tilt(q, z), point.center(n), point.restore(z**2 + 1)):
            np.testing.assert_allclose(lam, p, rtol=0, atol=4 * EPS)
        assert all_of_it.support(z)[0] == z.max()
        np.testing.assert_array_equal(all_of_it.project(z), Simplex().project(z))
        np.testing.assert_allclose(
            all_of_it.tilt(q, z), Simplex().tilt(q, z), rtol=0, atol=64 * EPS * (1 + abs(z).max())
        )

    @PROPERTY
    @given(seed=SEEDS, n=SIZES, rho=RADII, factor=st.floats(1.0, 100.0))
    def test_support_increases_with_rho(self, seed, n, rho, factor):
        rng = np.random.default_rng(seed)
        prior, z = random_prior(rng, n), losses(rng, n)
        p = prior_vector(self.ball(rho, prior), n)
        values = [p @ z, self.ball(rho, prior).support(z)[0], self.ball(rho * factor, prior).support(z)[0], z.max()]
        assert np.diff(values).min() >= -TIGHT * max(1.0, np.abs(z).max())

    @PROPERTY
    @given(seed=SEEDS, n=st.integers(1, 12), rho=RADII, shift=st.sampled_from([-1e3, 1.0, 2.0**20]))
    def test_a_loss_that_all_share_changes_nothing(self, seed, n, rho, shift):
        rng = np.random.default_rng(seed)
        ball, z, q = self.ball(rho, random_prior(rng, n)), np.round(rng.normal(size=n) * 64) / 64, np.full(n, 1.0 / n)
        for respond in (lambda z: ball.support(z)[1], ball.project, lambda z: ball.tilt(q, z)):
            np.testing.assert_allclose(respond(z + shift), respond(z), rtol=0, atol=4 * EPS)

    @PROPERTY
    @given(seed=SEEDS, n=st.integers(2, 12), rho=RADII)
    def test_equal_losses_are_treated_alike(self, seed, n, rho):
        rng = np.random.default_rng(seed)
        ball, z = self.ball(rho), np.round(rng.normal(size=n))
        for lam in (ball.support(z)[1], ball.project(z), ball.tilt(np.full(n, 0.5), z)):
            for level in set(z):
                assert np.ptp(lam[z == level]) <= 4 * EPS

    @PROPERTY
    @given(seed=SEEDS, n=st.integers(2, 12), rho=RADII)
    def test_projection_leaves_points_of_the_ball_alone(self, seed, n, rho):
        rng = np.random.default_rng(seed)
        ball = self.ball(rho, random_prior(rng, n, least=1e-3))
        lam = interior(ball, n, seed)
        np.testing.assert_allclose(ball.project(lam), lam, rtol=0, atol=16 * EPS)

    def test_bounds_hold_the_ball(self):
        ball = self.ball(0.1, [0.5, 0.3, 0.2])
        lower, upper = ball.bounds(3)
        assert (lower >= 0.0).all()
        assert (lower < ball.prior).all()
        assert (upper > ball.prior).all()
        assert ball.weight_range(3) == (1.0, 1.0)

    # Membership.

    @PROPERTY
    @given(seed=SEEDS, n=st.integers(2, 12), rho=RADII, noise=st.floats(0, 1e-6))
    def test_restore_gives_a_point_of_the_ball_nearby(self, seed, n, rho, noise):
        rng = np.random.default_rng(seed)
        ball = self.ball(rho, random_prior(rng, n, least=1e-2))
        lam = ball.support(rng.normal(size=n))[1]
        restored = ball.restore(lam + noise * rng.uniform(-1, 1, n))
        assert_in_ball(ball, restored)
        assert ball.contains(restored, tol=8 * EPS)
        if rho > 1e-2:
            assert np.abs(restored - lam).max() <= 1e5 * noise + 8 * EPS

    def test_contains(self):
        ball = self.ball(0.1, [0.5, 0.3, 0.2])
        p, far = ball.prior, np.array([0.0, 0.0, 1.0])
        assert ball.contains(p)
        assert not ball.contains(far)
        assert ball.contains(far, tol=1.0)
        rim = ball.support(far)[1]
        assert ball.contains(rim)
        assert not ball.contains(p + 1.001 * (rim - p))
        assert not ball.contains(p + np.array([1e-6, 0.0, 0.0]))
        assert not ball.contains(np.full(3, np.nan))
        assert not self.ball(0.0).contains(np.array([0.5 + 1e-9, 0.5 - 1e-9]))
        assert self.ball(0.0).contains(np.array([0.5, 0.5]))

    @pytest.mark.parametrize(("rho", "n", "rows"), [(0.1, 3, 1), (0.0, 3, 3), (0.1, 1, 1), (0.0, 1, 1)])
    def test_affine_hull(self, rho, n, rows):
        ball = self.ball(rho)
        E, e = ball.affine_hull(n)
        assert E.shape == (rows, n)
        assert np.linalg.matrix_rank(E) == rows
        np.testing.assert_allclose(E @ ball.center(n), e)

    # The barrier.

    @pytest.mark.parametrize("n", [1, 2, 5, 20])
    @pytest.mark.parametrize("rho", [1e-3, 0.3, 10.0])
    def test_barrier_derivatives_are_those_of_finite_differences(self, n, rho):
        ball = self.ball(rho, random_prior(np.random.default_rng(n), n, least=0.1))
        lam = interior(ball, n, n)
        step = 3e-6 * min(lam.min(), rho)
        gradient, hessian = ball.barrier_gradient(lam), as_hessian(ball.barrier_hessian(lam)).dense()
        first = 0.5 * sum(approx_fprime(lam, ball.barrier, sign * step) for sign in (1, -1))
        np.testing.assert_allclose(gradient, first, rtol=1e-5, atol=1e-5 * np.abs(gradient).max())
        second = 0.5 * sum(np.atleast_2d(approx_fprime(lam, ball.barrier_gradient, s * step)) for s in (1, -1))
        np.testing.assert_allclose(hessian, second, rtol=1e-5, atol=1e-5 * hessian.max())

    @PROPERTY
    @given(seed=SEEDS, n=st.integers(2, 12), rho=RADII)
    def test_barrier_inequality_in_newtons_direction(self, seed, n, rho):
        """<B', h>^2 <= nu B''[h, h] for the worst h with sum zero, up to the boundary."""
        ball = self.ball(rho, random_prior(np.random.default_rng(seed), n, least=1e-2))
        # rho less the divergence is known to EPS.
        assert_parameter(ball, n, seed, count=3, nearest=max(1e-4, 1e-8 / rho))

    @PROPERTY
    @given(seed=SEEDS, n=st.integers(2, 12), rho=RADII, distance=st.floats(-3.0, 0.0))
    def test_barrier_is_self_concordant(self, seed, n, rho, distance):
        """|B'''[h, h, h]| <= 2 (B''[h, h])^(3/2) for the worst h with sum zero."""
        rng = np.random.default_rng(seed)
        ball = self.ball(rho, random_prior(rng, n, least=1e-2))
        assert_self_concordant(ball, interior(ball, n, seed, 1.0 - 10.0**distance), rng)

    @PROPERTY
    @given(seed=SEEDS, n=st.integers(2, 12), rho=RADII, depth=st.floats(0.0, 0.99))
    def test_nu_bounds_the_barrier_in_newtons_direction(self, seed, n, rho, depth):
        ball = self.ball(rho, random_prior(np.random.default_rng(seed), n, least=1e-2))
        assert decrement_squared(ball, interior(ball, n, seed, depth)) <= ball.barrier_parameter(n) * (1 + 1e-6)

    @PROPERTY
    @given(seed=SEEDS, n=st.integers(1, 12), rho=RADII)
    def test_center_minimizes_the_barrier(self, seed, n, rho):
        ball = self.ball(rho, random_prior(np.random.default_rng(seed), n, least=1e-3))
        center = ball.center(n)
        assert ball.contains(center)
        least = ball.barrier(center)
        assert all(ball.barrier(interior(ball, n, seed + i)) >= least - 1e-9 * abs(least) for i in range(5))
        # The gradient is normal to the hull, in the local metric.
        assert decrement_squared(ball, center) <= 1e-10

    def test_barrier_is_infinite_on_the_boundary_and_beyond(self):
        ball = self.ball(0.1, [0.5, 0.3, 0.2])
        p, rim = ball.prior, ball.support(np.array([0.0, 0.0, 1.0]))[1]
        assert ball.barrier(np.array([1.0, 0.0, 0.0])) == np.inf
        assert ball.barrier(np.array([1.5, -0.5, 0.0])) == np.inf
        assert ball.barrier(p + (1 + 1e-9) * (rim - p)) == np.inf
        assert np.isfinite(ball.barrier(p + (1 - 1e-9) * (rim - p)))

    def test_barrier_of_a_point_is_that_of_the_simplex(self):
        ball, lam = self.ball(0.0), np.full(4, 0.25)
        assert ball.barrier(lam) == Simplex().barrier(lam)
        np.testing.assert_array_equal(ball.barrier_gradient(lam), Simplex().barrier_gradient(lam))
        np.testing.assert_array_equal(ball.barrier_hessian(lam), Simplex().barrier_hessian(lam))
        given_prior = self.ball(0.0, [0.7, 0.3])
        np.testing.assert_array_equal(given_prior.center(2), given_prior.prior)

    # Input.

    def test_size_is_that_of_the_prior(self):
        assert self.ball(0.1).size is None
        assert self.ball(0.1, [0.5, 0.5]).size == 2
        self.ball(0.1, [0.5, 0.5]).validate(2)
        self.ball(0.1).validate(7)

    @pytest.mark.parametrize("rho", [-1e-3, np.nan, np.inf, "wide", None])
    def test_bad_radii_are_refused(self, rho):
        with pytest.raises(ProblemError, match=f"rho of {self.kind.__name__} must be a"):
            self.ball(rho)

    @pytest.mark.parametrize("prior", [[0.5, 0.6], [1.0, 0.0], [1.5, -0.5], [np.nan, 1.0], [], "even"])
    def test_bad_priors_are_refused(self, prior):
        with pytest.raises(ProblemError, match=f"prior of {self.kind.__name__}"):
            self.ball(0.1, prior)

    def test_wrong_lengths_are_refused(self):
        with pytest.raises(ProblemError, match=f"prior of {self.kind.__name__} has 2 entries for 3 losses"):
            self.ball(0.1, [0.5, 0.5]).validate(3)
        with pytest.raises(ProblemError, match=rf"{self.kind.__name__} in R\^0 is empty"):
            self.ball(0.1).validate(0)
