"""The Hessian probe before a run ends: the decrease that is left along flat directions."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from problems import oracle_of

import saddleback as sb
from saddleback.engine.certificates import Region
from saddleback.engine.evaluation import StructuredEvaluation
from saddleback.engine.hessian_probe import (
    MEASURED_PARAMETERS,
    HessianProbe,
    decrease_is_real,
    lower_along_flat_step,
    probe_hessian,
)
from saddleback.engine.oracle import Oracle
from saddleback.subproblem import Auto

TOL = 1e-6


class Ellipsoids:
    """f_j(w) = 1/2 w'H w + <b_j, w>, with or without a Hessian to offer; sum_j b_j / J = b."""

    def __init__(self, eigenvalues, slope, *, J=2, hessian=False, seed=0):
        rng = np.random.default_rng(seed)
        d = len(eigenvalues)
        self.n_losses, self.n_params = J, d
        Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
        self.H = Q * np.asarray(eigenvalues) @ Q.T
        b = rng.normal(size=(J, d))
        self.b = b - b.mean(0) + Q @ np.asarray(slope)
        self.lam = np.full(J, 1.0 / J)
        if hessian:
            self.hessian = lambda w, lam: lam.sum() * self.H

    def evaluate(self, w):
        return 0.5 * w @ self.H @ w + self.b @ w, self.H @ w + self.b


def seen_from_zero(losses, **options):
    oracle = oracle_of(losses, w0=np.zeros(losses.n_params))
    at = oracle.evaluate(oracle.w0)
    return oracle, at, probe_hessian(oracle, at, losses.lam, Region(at.w, 1.0), TOL, **options)


@pytest.mark.parametrize("hessian", [True, False])
@pytest.mark.parametrize("flat", [1e-2, 1e-5, 1e-8])
def test_a_flat_direction_shows_what_is_left_along_it(hessian, flat):
    """One loss with its slope along the flattest direction: a decrease of 1/2 b^2/flat, at a distance of b/flat."""
    slope = np.zeros(6)
    slope[-1] = 1e-3 * flat**0.5
    losses = Ellipsoids([3.0, 2.0, 1.0, 1.0, 0.5, flat], slope, J=1, hessian=hessian)
    oracle, at, found = seen_from_zero(losses)
    assert found.predicted == pytest.approx(0.5 * slope[-1] ** 2 / flat, rel=1e-3)
    assert found.length == pytest.approx(slope[-1] / flat, rel=1e-3)
    assert found.violation is None
    assert decrease_is_real(oracle, at, found, 0.9 * found.predicted)
    assert not decrease_is_real(oracle, at, found, 1.1 * found.predicted)


@pytest.mark.parametrize("length", [1e4, 1e8])
def test_a_step_that_is_far_too_long_is_shortened(length):
    """g falls for a millionth of the step only, and then rises."""
    losses = Ellipsoids([1.0, 1.0], [1.0, 0.0], J=1)
    oracle, at, found = seen_from_zero(losses)
    assert found.step is not None
    too_long = HessianProbe(length, length, length * found.step)
    assert decrease_is_real(oracle, at, too_long, 0.05)
    assert not decrease_is_real(oracle, at, too_long, 0.6)


def test_parameters_without_second_derivatives_have_a_step():
    losses = Ellipsoids([0.0, 0.0], [1e-3, 0.0], J=1, hessian=True)
    oracle, at, found = seen_from_zero(losses)
    assert found.predicted > 1.0
    assert decrease_is_real(oracle, at, found, 1.0)


@pytest.mark.parametrize("J", [1, 3])
def test_a_second_derivative_below_rounding_is_followed_beyond_the_step(J):
    """A decrease of 1e-4 at a distance of 1e6, of which the shifted model sees a part of 1e-2."""
    flat = 1e-14
    losses = Ellipsoids([2.0, 1.0, flat], [0.0, 0.0, 2e-4**0.5 * flat**0.5], J=J, hessian=True)
    oracle, at, found = seen_from_zero(losses)
    if J == 1:
        assert found.predicted <= 0.05 * 1e-4
        lowest = lower_along_flat_step(oracle, at, found, 0.0)
        # Lengths grow tenfold: at worst the nearest one is sqrt(10) times too short or too long.
        assert 0.3e-4 <= at.value - lowest.value <= 1.0001e-4
    straight = Ellipsoids([2.0, 1.0, 1e-3], [0.0, 0.0, 1e-3], J=J, hessian=True)
    oracle, at, found = seen_from_zero(straight)
    assert found.flat_step is None
    assert lower_along_flat_step(oracle, at, found, 0.0) is at


class Grainy(Ellipsoids):
    """Rounding errors that raise g by 1e-9 at points other than zero, more than the first step lowers it."""

    def evaluate(self, w):
        f, G = super().evaluate(w)
        return f + 1e-9 * bool(w.any()), G


def test_rounding_errors_do_not_end_the_search_along_a_flat_step():
    flat = 1e-14
    losses = Grainy([2.0, 1.0, flat], [0.0, 0.0, 2e-4**0.5 * flat**0.5], J=1, hessian=True)
    oracle, at, found = seen_from_zero(losses)
    short = replace(found, step=1e-4 * found.step, flat_step=1e-4 * found.flat_step)
    assert lower_along_flat_step(oracle, at, short, 0.0) is at
    assert at.value - lower_along_flat_step(oracle, at, short, 1e-8).value >= 0.3e-4


@pytest.mark.parametrize("hessian", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_the_predicted_decrease_of_several_losses_is_that_of_the_problem(hessian, seed):
    """With equal Hessians the model is the problem itself: it predicts the whole decrease to the optimum."""
    losses = Ellipsoids([3.0, 2.0, 1.0, 1e-2, 1e-3], np.full(5, 1e-2), J=3, hessian=hessian, seed=seed)
    oracle, at, found = seen_from_zero(losses)
    optimum = sb.solve(sb.Problem(losses), tol=1e-10).value
    assert found.predicted == pytest.approx(at.value - optimum, rel=1e-3, abs=1e-9)
    assert oracle.n_evals == (1 if hessian else 1 + 5)


def test_many_parameters_are_probed_along_a_few_directions():
    d = 3 * MEASURED_PARAMETERS
    slope = np.zeros(d)
    slope[-1] = 1e-5
    losses = Ellipsoids([*np.linspace(1.0, 3.0, d - 1), 1e-6], slope, J=1)
    oracle, _, found = seen_from_zero(losses)
    assert oracle.n_evals < 1 + MEASURED_PARAMETERS
    assert found.predicted == pytest.approx(0.5 * 1e-10 / 1e-6, rel=0.05)


def test_curvature_below_zero_is_no_convex_loss():
    losses = Ellipsoids([3.0, 2.0, -0.1], np.zeros(3), J=1)
    _, _, found = seen_from_zero(losses)
    assert found.violation is not None
    assert "not convex" in found.violation


def test_losses_without_curvature_are_no_error():
    losses = Ellipsoids(np.zeros(3), np.zeros(3), J=1)
    losses.b *= 0.0
    _, _, found = seen_from_zero(losses)
    assert (found.predicted, found.length, found.violation) == (0.0, 0.0, None)


def test_a_prediction_without_a_step_counts():
    oracle = oracle_of(Ellipsoids([1.0], [0.0], J=1), w0=np.zeros(1))
    assert decrease_is_real(oracle, oracle.evaluate(oracle.w0), HessianProbe(np.inf, np.inf), TOL)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", ["auto", "quasi-newton"])
def test_nearly_equal_columns_do_not_end_a_run_early(method, seed):
    """X[:, -1] = X[:, 0] + 1e-4 noise, without l2: the optimum lies far along a direction of curvature 1e-8."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 5))
    X[:, -1] = X[:, 0] + 1e-4 * rng.normal(size=300)
    y = X @ rng.normal(size=5) + rng.normal(size=300)
    groups = np.arange(300) % 2
    result = sb.solve(sb.Problem(sb.GroupedLinear(X, y, groups, loss="squared", fit_intercept=True)), method=method)
    Q = np.linalg.qr(np.column_stack([X, np.ones(300)]))[0] * np.sqrt(300)
    best = sb.solve(sb.Problem(sb.GroupedLinear(Q, y, groups, loss="squared", fit_intercept=False)), tol=1e-10)
    assert result.success
    assert result.value - best.value <= TOL


def test_two_exponentials_with_a_flat_parameter():
    """Polak 2 (Luksan and Vlcek 2000): curvatures from 1e-8 to 1, a start 100 away along the flat one; optimum e^4."""
    c = np.array([1e-8, 1, 1, 4, 1, 1, 1, 1, 1, 1])

    def fun(x):
        z = x + np.outer([2.0, -2.0], np.eye(10)[1])
        with np.errstate(over="ignore", invalid="ignore"):
            f = np.exp(z**2 @ c)
            return f, f[:, None] * 2 * c * z

    result = sb.minimax(fun, np.r_[100.0, np.full(9, 0.1)], jac=True)
    assert result.success
    assert result.value == pytest.approx(np.exp(4.0), abs=1e-6)
    assert result.n_iter <= 30


@pytest.mark.parametrize("seed", range(10))
def test_a_start_at_the_minimum_of_a_singular_quadratic_is_no_violation(seed):
    """All slopes are zero, and second derivatives along the null space are rounding errors of either sign."""
    A = np.random.default_rng(seed).standard_normal((3, 15))
    H = A.T @ A
    result = sb.minimax(lambda w: ([0.5 * w @ H @ w + 1.0], [H @ w]), np.zeros(15), jac=True)
    assert result.certified, result.message
    assert result.value == 1.0


def test_products_are_in_the_units_of_the_parameters():
    """Differences are taken over scales of the region: y = H s for directions of any length."""
    losses = Ellipsoids([1.0, 2.0, 5.0], [0.1, 0.2, 0.3])
    w0 = np.array([1e2, 1.0, 1e-2])
    oracle = oracle_of(losses, w0=w0)
    at = oracle.evaluate(w0)
    probe = probe_hessian(oracle, at, losses.lam, Region(w0, 1.0, np.array([1e2, 1.0, 1e-2])), TOL)
    assert probe.S is not None
    H = losses.H
    # Relative to the errors of differences, which balance at a third of the digits.
    np.testing.assert_allclose(probe.Y, probe.S @ H, rtol=1e-4, atol=1e-4 * np.abs(probe.S @ H).max())


def test_with_fixed_weights_the_prediction_bounds_what_is_left():
    """By weak duality, for squared losses of every row with a penalty: any lam has a bound of g - min g."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    losses = sb.GroupedLinear(X, y, "rows", loss="squared", l2=0.1, fit_intercept=False)
    problem = sb.Problem(losses, regularizer=sb.Quadratic(10.0))
    oracle = Oracle(problem, Auto(), np.zeros(3), TOL)
    at = oracle.evaluate(np.zeros(3))
    assert isinstance(at, StructuredEvaluation)
    left = at.value - sb.solve(problem).value
    assert left > 0.01
    # At the best response the adversary's gap is zero: the slope alone has to account for what is left.
    probe = probe_hessian(oracle, at, at.lam, Region(at.w, 1.0), 1e3)
    assert probe.predicted >= left


@pytest.mark.parametrize("J", [1, 2])
def test_least_squares_on_nearly_collinear_columns_are_convex(J):
    """At a minimum a slope is a sum that cancels: its rounding errors are no negative second derivatives."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        a, noise, y = rng.standard_normal((3, J, 20))
        A = np.stack([a, a + 1e-6 * noise], axis=-1)

        def fun(w, A=A, y=y):
            r = A @ w - y
            return (r**2).mean(axis=1), 2 * np.einsum("jn,jnd->jd", r, A) / 20

        with warnings.catch_warnings():
            # Some of these runs stall at the level of rounding errors.
            warnings.simplefilter("ignore", sb.ConvergenceWarning)
            result = sb.solve(sb.Problem(sb.from_functions(fun, np.zeros(2), jac=True)))
        assert "not convex" not in result.message
        assert np.isfinite(result.lower_bound)
