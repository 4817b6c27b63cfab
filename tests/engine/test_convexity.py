"""The convexity watch: convex losses are never reported, others and wrong Jacobians are, and the run goes on."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from calls import ALL_METHODS, quadratics, quietly, regularizer_for
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

import saddleback as sb
from saddleback.engine.convexity import ConvexityWatch
from saddleback.engine.convexity_sampling import RAY_DISTANCES

seeds = st.integers(0, 10**6)


@dataclass
class Linearization:
    w: np.ndarray
    f: np.ndarray
    G: np.ndarray

    def change(self, p):
        return self.G @ p

    def magnitudes(self, p):
        return np.abs(self.G) @ np.abs(p)


def convex_losses(seed):
    """J random sums of a quadratic, a softplus and an exponential of moderate argument, with their Jacobian."""
    rng = np.random.default_rng(seed)
    J, d = rng.integers(1, 5), rng.integers(1, 5)
    B = rng.normal(size=(J, d, d)) * 10.0 ** rng.integers(-1, 1)
    a, b, c = rng.normal(size=(3, J, d))
    offset = rng.normal(size=J)

    def pair(w):
        Bw = B @ w
        soft, x = a @ w, 0.3 * b @ w
        # Beyond 50 the exponential goes on along its tangent.
        growth = np.exp(np.minimum(x, 50))
        f = 0.5 * (Bw**2).sum(axis=1) + np.logaddexp(0, soft) + growth * (1 + np.maximum(x - 50, 0)) + c @ w + offset
        G = np.einsum("jkd,jk->jd", B, Bw) + a * expit(soft)[:, None] + 0.3 * b * growth[:, None] + c
        return f, G

    return pair, int(d)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    seed=seeds,
    method=st.sampled_from(["accelerated", "prox-linear", "extragradient"]),
    factor=st.sampled_from([1.0, 1e8, 1e-8]),
    units=st.sampled_from([1.0, 1e-3, 1e4]),
    R=st.sampled_from([sb.Zero(), sb.Quadratic(0.1)]),
)
def test_convex_losses_are_never_flagged(seed, method, factor, units, R):
    pair, d = convex_losses(seed)

    def fun(w):
        f, G = pair(units * w)
        return factor * f, factor * units * G

    result = quietly(fun, np.ones(d) / units, jac=True, method=method, regularizer=R, max_iter=60, tol=1e-10 * factor)
    assert "not convex" not in result.message, result
    assert np.isfinite(result.gap), result


@settings(derandomize=True, deadline=None, max_examples=30)
@given(seed=seeds, scales=st.lists(st.sampled_from([1e-8, 1.0, 1e8]), min_size=5, max_size=5))
def test_losses_of_very_different_sizes_are_never_flagged(seed, scales):
    pair, d = convex_losses(seed)

    def fun(w):
        f, G = pair(w)
        s = np.array(scales)[: f.size]
        return s * f, s[:, None] * G

    result = quietly(fun, np.ones(d), jac=True, max_iter=60)
    assert "not convex" not in result.message, result


@settings(derandomize=True, deadline=None, max_examples=30)
@given(seed=seeds, what=st.sampled_from(["both", "values", "jacobian", "list"]))
def test_losses_in_single_precision_are_never_flagged(seed, what):
    pair, d = convex_losses(seed)

    def fun(w):
        f, G = pair(w)
        if what == "list":
            return [np.float32(x) for x in f], [np.float32(row) for row in G]
        f = f if what == "jacobian" else f.astype(np.float32)
        return f, G if what == "values" else G.astype(np.float32)

    result = quietly(fun, np.ones(d), jac=True, max_iter=100, tol=1e-9)
    assert "not convex" not in result.message, result


@settings(derandomize=True, deadline=None, max_examples=20)
@given(seed=seeds, factor=st.sampled_from([1.0, 1e8, 1e-8]))
def test_finite_differences_of_convex_losses_are_never_flagged(seed, factor):
    pair, d = convex_losses(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        result = sb.minimax(lambda w: factor * pair(w)[0], np.ones(d), max_iter=60, tol=1e-8 * factor)
    assert "not convex" not in result.message, result


def wavy(w):
    """Nonconvex along the way from 2 to the minimum of the larger loss."""
    f = np.array([np.cos(3 * w[0]) + 0.1 * w[0] ** 2, -1.0])
    return f, np.array([[-3 * np.sin(3 * w[0]) + 0.2 * w[0]], [0.0]])


@pytest.mark.parametrize("method", ALL_METHODS)
def test_certificate_is_withdrawn_and_the_run_goes_on(method):
    """A Rosenbrock-like valley: the value still falls a lot after the violation."""

    def fun(w):
        x, y = w
        f = 100 * (y - x * x) ** 2 + (1 - x) ** 2
        return [f, f - 1.0], [[-400 * x * (y - x * x) - 2 * (1 - x), 200 * (y - x * x)]] * 2

    result = quietly(
        fun, [-1.2, 1.0], jac=True, method=method, regularizer=regularizer_for(method), max_iter=600, tol=1e-6
    )
    assert "no certificate" in result.message
    assert "not convex" in result.message
    assert result.gap == np.inf
    assert result.lower_bound == -np.inf
    # Nothing is certified: the best status is that the model predicts no decrease.
    stationary = method == "quasi-newton"
    assert not result.success
    assert (result.status is sb.Status.STATIONARY) == stationary
    # Far below the start (24.2), along the whole valley where the method is fast enough.
    assert result.value < {"quasi-newton": 1e-7, "accelerated": 0.1, "lbfgsb": 0.1}.get(method, 5.0), result
    assert stationary or result.status in (sb.Status.MAX_ITER, sb.Status.STALLED)
    assert "no certificate" in str(result)


@pytest.mark.parametrize("method", ["quasi-newton", "accelerated", "prox-linear", "lbfgsb"])
def test_good_local_minimum_without_a_certificate(method):
    result = quietly(wavy, [0.2], jac=True, method=method, regularizer=regularizer_for(method), max_iter=300)
    assert result.gap == np.inf
    # The neighboring minimum of cos(3 x) + x^2/10 is -0.8927.
    assert result.losses[0] == pytest.approx(-0.8927, abs=1e-3)


def test_exactly_one_warning_says_what_is_missing():
    with pytest.warns(sb.ConvergenceWarning, match="no certificate: loss 0 lies .* not convex") as caught:
        sb.minimax(wavy, [0.2], jac=True, max_iter=50)
    assert len(caught) == 1


def test_withdrawn_also_when_the_run_breaks_off():
    """The violation may be found in the same step in which fun raises."""
    calls = 0

    def fun(w):
        nonlocal calls
        calls += 1
        if calls > 3:
            raise RuntimeError("no more")
        return [np.cos(3 * w[0])], [[-3 * np.sin(3 * w[0])]]

    with pytest.raises(RuntimeError) as caught:
        sb.minimax(fun, [0.2], jac=True)
    result = caught.value.result
    assert "no certificate" in result.message, "the test needs a violation within three calls"
    assert result.gap == np.inf
    assert result.lower_bound == -np.inf


@pytest.mark.parametrize("wrong", [lambda G: -G, lambda G: 2 * G, lambda G: G + 1.0, lambda G: G[::-1]])
@pytest.mark.parametrize("method", ["accelerated", "prox-linear"])
def test_a_wrong_jacobian_is_flagged(wrong, method):
    result = quietly(lambda w: (quadratics(w)[0], wrong(quadratics(w)[1])), [2.0, 1.0], jac=True, method=method)
    assert "Jacobian is wrong" in result.message, result
    assert result.gap == np.inf


def test_too_much_strong_convexity_is_flagged():
    class Losses:
        n_losses, n_params, strong_convexity = 3, 2, 2.0
        evaluate = staticmethod(quadratics)

    with pytest.warns(sb.ConvergenceWarning, match="no certificate"):
        result = sb.solve(sb.Problem(Losses()), [3.0, 3.0], max_iter=50)
    assert result.lower_bound == -np.inf
    Losses.strong_convexity = 1.0
    result = sb.solve(sb.Problem(Losses()), [3.0, 3.0])
    assert result.success
    assert result.radius == np.inf


def at(w, f, G):
    return Linearization(np.array(w, dtype=float), np.array(f, dtype=float), np.array(G, dtype=float))


def test_watch_names_the_loss():
    watch = ConvexityWatch(sb.Simplex(), np.zeros(1))
    watch.observe(at([0.0], [0.0, 0.0], [[1.0], [1.0]]))
    watch.observe_values(np.array([1.0]), np.array([1.0, 0.5]))
    assert "loss 1 lies 0.5 below" in watch.violation


def test_watch_looks_both_ways():
    """x^2 with a wrong slope at the later point: only the comparison of the earlier point with it shows it."""
    watch = ConvexityWatch(sb.Simplex(), np.zeros(1))
    watch.observe(at([0.0], [0.0], [[0.0]]))
    watch.observe(at([1.0], [1.0], [[0.5]]))
    assert watch.violation is not None


def test_watch_counts_the_declared_strong_convexity():
    """x^2 is 2-strongly convex: f(u) + f'(u)(v - u) - f(v) = -|v - u|^2, which must be at most -m/2 |v - u|^2."""
    for m, flagged in ((2.0, False), (2.01, True)):
        watch = ConvexityWatch(sb.Simplex(), np.array([m]))
        watch.observe(at([1.0], [1.0], [[2.0]]))
        watch.observe_values(np.array([4.0]), np.array([16.0]))
        assert (watch.violation is not None) is flagged


def test_watch_keeps_the_first_violation():
    watch = ConvexityWatch(sb.Simplex(), np.zeros(1))
    watch.observe(at([0.0], [0.0], [[1.0]]))
    watch.observe_values(np.array([1.0]), np.array([-1.0]))
    first = watch.violation
    watch.observe_values(np.array([1.0]), np.array([-100.0]))
    assert watch.violation == first is not None


def test_watch_lets_rounding_pass_but_not_more():
    for excess, flagged in ((1e-14, False), (1e-9, True)):
        watch = ConvexityWatch(sb.Simplex(), np.zeros(1))
        watch.observe(at([0.0], [1.0], [[1.0]]))
        watch.observe_values(np.array([1.0]), np.array([2.0 - excess]))
        assert (watch.violation is not None) is flagged
    watch = ConvexityWatch(sb.Simplex(), np.zeros(1), exact_jacobian=False)
    watch.observe(at([0.0], [1.0], [[1.0]]))
    watch.observe_values(np.array([1.0]), np.array([2.0 - 1e-9]))
    assert watch.violation is None


def test_watch_allows_for_the_rounding_of_the_parameters():
    """f = 50 x_j - sum x near a point where it cancels to nothing: its error is that of its terms, not of its value."""
    watch = ConvexityWatch(sb.Simplex(), np.zeros(2))
    G = [[49.0, -49.0]]
    watch.observe(at([1.0, 1.0], [0.0], G))
    watch.observe_values(np.array([1.0 + 1e-15, 1.0]), np.array([-5e-14]))
    assert watch.violation is None
    watch.observe_values(np.array([1.0 + 1e-15, 1.0]), np.array([-1e-8]))
    assert watch.violation is not None


@pytest.mark.parametrize("w0", [0.0, 1e-7])
@pytest.mark.parametrize("dual_set", [sb.Box(-1, 1), sb.Ball(0, 1), sb.Polytope([[1.0], [-1.0]], [1.0, 1.0])])
def test_a_start_that_is_stationary_proves_nothing_about_losses_that_are_not_convex(dual_set, w0):
    """|w^2 - 1|, by weights of both signs, has a local maximum at 0: the first point alone would certify it."""

    def fun(w):
        return [w[0] ** 2 - 1], [[2 * w[0]]]

    with pytest.warns(sb.ConvergenceWarning, match="not convex"):
        result = sb.minimax(fun, [w0], jac=True, dual_set=dual_set, max_iter=30)
    assert result.gap == np.inf


def test_a_start_that_is_the_solution_costs_one_look_around():
    result = sb.minimax(lambda w: ([w @ w], [2 * w]), np.zeros(2), jac=True)
    assert result.success
    assert result.n_iter == 0
    assert result.n_evals <= 1 + 2 + len(RAY_DISTANCES) + 1


@pytest.mark.parametrize("dual_set", [sb.Box(-2.0, -1.0), sb.Box(-1.0, 0.5), sb.Ball([-3.0], 1.0)])
def test_convex_losses_under_weights_below_zero_are_no_convex_function(dual_set):
    """Squared losses from their minimum, where -f has its maximum."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X @ [1, -1] + rng.normal(size=60)
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    losses = sb.GroupedLinear(X, y, np.zeros(60), loss="squared", fit_intercept=False)
    result = silently(losses, dual_set, w)
    problem = sb.Problem(losses, dual_set)
    for step in rng.normal(size=(20, 2)):
        v = w + step / np.linalg.norm(step / result.reach)
        assert result.lower_bound <= problem.value(v) + 1e-9
    assert not sb.certify(problem, w).convex


def silently(losses, dual_set, w0):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        return sb.solve(sb.Problem(losses, dual_set), w0)


@pytest.mark.parametrize("loss", ["logistic", "squared", "poisson", "huber"])
def test_rounding_errors_of_large_margins_are_no_sign_of_a_convex_loss(loss):
    """Time stamps within ten minutes: terms of 3e6 cancel in every margin."""
    rng = np.random.default_rng(0)
    n = 300
    t = 1.7e9 + np.round(rng.uniform(0, 600, n), 3)
    u, x = (t - 1.7e9) / 200 - 1.5, rng.normal(size=n)
    eta = 0.5 * x + u
    y = {"logistic": eta > rng.logistic(size=n), "poisson": rng.poisson(np.exp(0.3 * eta))}.get(loss, eta + x)
    losses = sb.GroupedLinear(np.column_stack([x, t]), y, rng.integers(0, 3, n), loss=loss)
    result = silently(losses, sb.Simplex(), None)
    assert result.status is not sb.Status.STATIONARY
    assert "not convex" not in result.message
