"""Objectives without a minimum, losses that are not defined everywhere: a true status and a finite point."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from calls import ALL_METHODS, Calls, quietly, regularizer_for
from scipy.special import expit

import saddleback as sb


def two_linear(w):
    return np.array([w[0] + w[1], w[0] - w[1]]), np.array([[1.0, 1.0], [1.0, -1.0]])


def exp_plus_linear(w):
    e = np.exp(min(w[0], 700.0))
    return np.array([e + w[0]]), np.array([[e + 1.0]])


UNBOUNDED = {
    "linear": (lambda w: (w.copy(), np.eye(1)), [0.0]),
    "linear with an offset": (lambda w: (w + 3.0, np.eye(1)), [1.0]),
    "small linear": (lambda w: (1e-6 * w, 1e-6 * np.eye(1)), [1.0]),
    "large linear": (lambda w: (1e6 * w, 1e6 * np.eye(1)), [1.0]),
    "two linear": (two_linear, [0.3, 0.5]),
    "equal linear": (lambda w: (np.full(3, w.sum()), np.ones((3, 4))), np.ones(4)),
    "exponential and linear": (exp_plus_linear, [0.0]),
    "concave": (lambda w: ([-w @ w], [-2 * w]), [1.0, 1.0]),
    "two concave": (lambda w: ([-w @ w, w.sum() - w @ w], [-2 * w, 1 - 2 * w]), [1.0, 1.0]),
}


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("name", UNBOUNDED)
def test_unbounded_is_recognized(name, method):
    pair, w0 = UNBOUNDED[name]
    fun = Calls(pair)
    started = time.process_time()
    with pytest.warns(sb.ConvergenceWarning, match="^UNBOUNDED") as caught:
        result = sb.minimax(
            fun, w0, jac=True, method=method, regularizer=regularizer_for(method), tol=1e-12, max_iter=100
        )
    assert result.status is sb.Status.UNBOUNDED
    assert len([w for w in caught if w.category is sb.ConvergenceWarning]) == 1
    assert not result.success
    assert np.isfinite(result.w).all()
    assert np.isfinite(result.value)
    assert result.value <= pair(np.asarray(w0, dtype=float))[0][0]
    assert time.process_time() - started < 5.0
    assert fun.n < 8000


@pytest.mark.parametrize("method", ["accelerated", "prox-linear", "fixed-point"])
def test_unbounded_is_recognized_soon(method):
    """Long before the limit on iterations."""
    pair, w0 = UNBOUNDED["two linear"]
    result = quietly(pair, w0, jac=True, method=method, max_iter=10**5)
    assert result.status is sb.Status.UNBOUNDED
    assert result.n_iter < 500


@pytest.mark.parametrize("metric", [1e-6, 1e6])
def test_unbounded_in_other_units_of_the_parameters(metric):
    pair, w0 = UNBOUNDED["two linear"]
    assert quietly(pair, w0, jac=True, metric=metric).status is sb.Status.UNBOUNDED


def separable(w):
    """Logistic losses of separable groups: the infimum 0 is not attained."""
    margins = np.array([w[0], w[0] + 0.5 * w[1]])
    X = np.array([[1.0, 0.0], [1.0, 0.5]])
    return np.logaddexp(0, -margins), -expit(-margins)[:, None] * X


NOT_ATTAINED = {
    "exponential": (lambda w: (np.exp(-w), np.diag(-np.exp(-w))), [0.0]),
    "large exponential": (lambda w: (1e6 * np.exp(-w), 1e6 * np.diag(-np.exp(-w))), [0.0]),
    "separable": (separable, [0.0, 0.0]),
    "shifted": (lambda w: (np.exp(-w) - 5.0, np.diag(-np.exp(-w))), [0.0]),
}


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("name", NOT_ATTAINED)
def test_an_infimum_that_is_not_attained_is_not_minus_infinity(name, method):
    pair, w0 = NOT_ATTAINED[name]
    result = quietly(pair, w0, jac=True, method=method, regularizer=regularizer_for(method), max_iter=300)
    assert result.status in (sb.Status.CONVERGED, sb.Status.MAX_ITER, sb.Status.STALLED), result
    assert np.isfinite(result.gap)
    infimum = -5.0 if name == "shifted" else 0.0
    assert infimum - 1e-9 <= result.value
    assert result.value < pair(np.asarray(w0))[0].max()


def slow_descent(w):
    """-log(1 + w) falls without bound, but too slowly for a finite run to show it."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return -np.log1p(w), np.diag(-1 / (1 + w))


@pytest.mark.parametrize("method", ALL_METHODS)
def test_a_slow_descent_without_end_is_never_called_solved(method):
    R = regularizer_for(method)
    result = quietly(slow_descent, [0.0], jac=True, method=method, regularizer=R, max_iter=60)
    assert not result.success, result
    assert np.isfinite(result.value)
    assert np.isfinite(result.w).all()


def test_a_gap_where_squares_of_distances_overflow_and_those_of_slopes_vanish():
    """At 1e160 the slope is 1e-160: over a ball of 1e160 the gap is one, not zero."""
    options = {"jac": True, "method": "lbfgsb", "regularizer": sb.Quadratic(1.0), "max_iter": 0}
    result = quietly(slow_descent, [1e160], radius=1e160, **options)
    assert result.gap == pytest.approx(1.0, rel=1e-12)
    assert not result.success


# Losses that are defined on a part of the space only.


def barrier(w):
    """-log w + w and w: defined for w > 0, minimum 1 at 1; steps from 5 or 0.01 may leave the domain."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.array([w[0] - np.log(w[0]), w[0] - 10.0]), np.array([[1 - 1 / w[0]], [1.0]])


def root(w):
    """-sqrt(w) + w: infinite slope at the edge of the domain, minimum -1/4 at 1/4."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.array([w[0] - np.sqrt(w[0])]), np.array([[1 - 0.5 / np.sqrt(w[0])]])


@pytest.mark.parametrize(("fun", "optimum"), [(barrier, 1.0), (root, -0.25)])
@pytest.mark.parametrize("w0", [0.01, 0.9, 5.0, 50.0])
@pytest.mark.parametrize("method", ["accelerated", "prox-linear", "fixed-point"])
def test_backtracking_survives_the_edge_of_the_domain(fun, optimum, w0, method):
    result = quietly(fun, [w0], jac=True, method=method)
    assert result.success, result
    assert result.value == pytest.approx(optimum, abs=1e-5)


@pytest.mark.parametrize("fun", [barrier, root])
@pytest.mark.parametrize("w0", [0.01, 5.0, 50.0])
@pytest.mark.parametrize("method", ["apgd", "extragradient", "optimistic", "lbfgsb"])
def test_other_methods_survive_it_or_say_so(fun, w0, method):
    result = quietly(fun, [w0], jac=True, method=method, regularizer=regularizer_for(method), max_iter=300)
    assert np.isfinite(result.w).all()
    assert np.isfinite(result.value)
    assert result.value <= sb.Problem(sb.from_functions(fun, [w0], True), regularizer=regularizer_for(method)).value(
        [w0]
    )
    assert result.status in (
        sb.Status.CONVERGED,
        sb.Status.MAX_ITER,
        sb.Status.STALLED,
        sb.Status.NUMERICAL_ERROR,
    )
    if result.status is sb.Status.NUMERICAL_ERROR:
        assert "not finite" in result.message or "short enough" in result.message


@pytest.mark.parametrize("method", ["accelerated", "prox-linear"])
def test_a_given_smoothness_that_is_too_small_ends_in_a_numerical_error(method):
    """Without backtracking the step leaves the domain: the status says so, and the start is returned."""
    from saddleback.methods import ProxLinear

    kind = {"accelerated": sb.Accelerated, "prox-linear": ProxLinear}[method]
    with pytest.warns(sb.ConvergenceWarning, match="^NUMERICAL_ERROR: the losses are not finite"):
        result = sb.minimax(barrier, [5.0], jac=True, method=kind(smoothness=1e-3))
    assert result.status is sb.Status.NUMERICAL_ERROR
    assert np.isfinite(result.value)
    assert result.value <= barrier(np.array([5.0]))[0].max()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("method", ALL_METHODS)
def test_a_jacobian_that_breaks_later(method, bad):
    """Values fine, Jacobian not, left of 1: the optimum 0 cannot be reached, but nothing may crash."""

    def fun(w):
        return [w @ w], [2 * w if w[0] > 1 else np.full(1, bad)]

    result = quietly(fun, [5.0], jac=True, method=method, regularizer=regularizer_for(method), max_iter=100)
    assert np.isfinite(result.w).all()
    assert np.isfinite(result.value)
    assert result.value <= 25.0
    assert not result.success, "without a gradient nothing is certified"


def largest(w):
    """max |w_i| as one loss."""
    return np.abs(w).max(), np.sign(w) * (np.abs(w) == np.abs(w).max())


@pytest.mark.parametrize("method", ["accelerated", "prox-linear", "fixed-point", "extragradient", "optimistic"])
@pytest.mark.parametrize(
    ("fun", "w0"),
    [
        pytest.param(lambda w: (np.abs(w).sum(), np.sign(w)), [1.0, 0.3], id="sum"),
        pytest.param(lambda w: (np.abs(w), np.sign(w)), [1.0], id="modulus"),
        pytest.param(largest, [1.0, 0.3], id="largest"),
    ],
)
def test_losses_that_are_not_smooth_end_without_a_false_claim(fun, w0, method):
    """A kink has no L: steps may become tiny, but no exception is raised and no wrong certificate given."""
    result = quietly(fun, w0, jac=True, method=method, max_iter=300)
    assert 0 <= result.value <= fun(np.array(w0))[0]
    if result.success:
        assert result.value <= 1e-6
    if result.status is sb.Status.NUMERICAL_ERROR:
        assert "do not seem to be smooth" in result.message
        assert "two losses" in result.message


@pytest.mark.parametrize("method", ["accelerated", "prox-linear"])
def test_absolute_values_as_two_losses_each_are_solved(method):
    """max |w_i - a_i|: piecewise linear, which is solved."""
    a = np.array([1.0, -2.0, 0.5])
    G = np.vstack([np.eye(3), -np.eye(3)])
    result = sb.minimax(lambda w: (G @ (w - a), G), np.zeros(3), jac=True, method=method)
    assert result.success
    assert result.value == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("method", ["accelerated", "prox-linear", "fixed-point", "extragradient", "optimistic"])
@pytest.mark.parametrize("start", [[0.1, 0.0], [5.0, 5.0]])
def test_unbounded_along_one_of_two_directions(start, method):
    """x^2 - y and x^2 - 2y + 3 fall along y only: the averaged slope finds y, the way from w0 does not."""

    def fun(w):
        return [w[0] ** 2 - w[1], w[0] ** 2 - 2 * w[1] + 3], [[2 * w[0], -1.0], [2 * w[0], -2.0]]

    with pytest.warns(sb.ConvergenceWarning, match="^UNBOUNDED"):
        result = sb.minimax(fun, start, jac=True, method=method)
    assert result.status is sb.Status.UNBOUNDED


def table(hidden=False):
    """Logistic losses with more parameters than rows: the infimum 0 is at infinity."""
    rng = np.random.default_rng(3)
    losses = sb.GroupedLinear(rng.standard_normal((40, 60)), np.arange(40) % 2, np.arange(40) % 3)
    return sb.from_functions(losses.evaluate, np.zeros(61), jac=True) if hidden else losses


@pytest.mark.parametrize("loss", ["logistic", "squared", "huber", "squared_hinge", "poisson", "quantile", "softmax"])
def test_our_losses_are_bounded_below(loss):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 2)), np.arange(30) % 3
    losses = sb.GroupedLinear(X, y > 0 if loss in ("logistic", "squared_hinge") else y, np.arange(30) % 2, loss=loss)
    assert losses.bounded_below
    for size in 10.0 ** np.arange(0, 9):
        w = size * rng.standard_normal((20, losses.n_params))
        assert min(losses.values(v).min() for v in w) > -10.0


def test_losses_that_are_bounded_below_are_not_followed_along_rays():
    """No rays are searched for losses of a table, which are bounded below."""
    seen = []
    result = quietly_solved(table(), seen)
    assert result.status is sb.Status.MAX_ITER
    assert result.n_evals == seen[-1]
    seen.clear()
    result = quietly_solved(table(hidden=True), seen)
    assert result.n_evals > seen[-1], "plain functions are, so that this test can fail"


def quietly_solved(losses, seen):
    problem = sb.Problem(losses)
    with pytest.warns(sb.ConvergenceWarning):
        return sb.solve(problem, method="accelerated", max_iter=5, tol=1e-14, callback=lambda p: seen.append(p.n_evals))


def test_a_time_limit_within_the_search_for_a_ray_keeps_the_status(monkeypatch):
    from saddleback.machine.clock import OutOfTime

    def too_late(oracle, run_state):
        raise OutOfTime

    monkeypatch.setattr(sys.modules["saddleback.solve"], "is_unbounded_below", too_late)
    with pytest.warns(sb.ConvergenceWarning, match="MAX_ITER"):
        result = sb.minimax(two_linear, np.zeros(2), jac=True, max_iter=2, method="accelerated")
    assert result.status is sb.Status.MAX_ITER
