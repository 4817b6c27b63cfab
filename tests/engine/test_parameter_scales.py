"""Verdicts do not depend on the units of the parameters: scales, regions and runs in other units."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from calls import cb2, quietly
from hypothesis import given, settings
from hypothesis import strategies as st

import saddleback as sb
from saddleback.engine.certificates import Minorant, Region
from saddleback.engine.coordinates import Coordinates
from saddleback.engine.evaluation import Evaluation
from saddleback.engine.parameter_scales import (
    ORDINARY_LARGEST,
    declared_scales,
    guessed_scales,
    reduced_by_strong_convexity,
)

METHODS = ["auto", "quasi-newton", "newton", "accelerated"]


def evaluation(w, f, G):
    w, f, G = (np.asarray(x, dtype=float) for x in (w, f, G))
    return Evaluation(w, f, float(f.max()), np.eye(f.size)[0], G)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), start=st.sampled_from(["anywhere", "zero", "half zero"]))
def test_sizes_are_measured_in_the_units_of_the_parameters(seed, start):
    """w_i in units of u_i: scales u_i times as large, up to the powers of two to which both are rounded."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 6))
    w, f, G = rng.normal(size=d), rng.normal(size=3), rng.normal(size=(3, d))
    w[: {"anywhere": 0, "zero": d, "half zero": d // 2}[start]] = 0.0
    u = 10.0 ** rng.uniform(4, 7, d)
    scales, other = (guessed_scales(evaluation(w * a, f, G / a)) for a in (u, u * 1e3))
    assert (np.abs(np.log2(other / scales / 1e3)) <= 1.0 + 1e-9).all()
    assert (np.log2(scales) == np.rint(np.log2(scales))).all()


def test_usual_sizes_stay_as_they_are():
    scales = guessed_scales(evaluation([2.0, 0.5], [1.0, 3.0], [[1.0, 1.0], [0.0, 2.0]]))
    np.testing.assert_array_equal(scales, 1.0)
    far = guessed_scales(evaluation([2.0, 0.5], [1.0, 3.0], [[1.0, 1.0 / ORDINARY_LARGEST**2], [0.0, 0.0]]))
    assert far[1] > ORDINARY_LARGEST > far[0]


@pytest.mark.parametrize(
    ("w", "f", "G"),
    [
        ([0.0, 0.0], [0.0], [[1.0, 1e9]]),
        ([0.0, 0.0], [1.0], [[0.0, 0.0]]),
        ([1e300, 1.0], [1e300], [[1e150, 1e-300]]),
        ([1e-300, 0.0], [1e-300], [[1e-150, 1e150]]),
    ],
)
def test_sizes_are_finite_whatever_the_first_point_shows(w, f, G):
    scales = guessed_scales(evaluation(w, f, G))
    assert np.isfinite(scales).all()
    assert (scales > 0).all()
    assert np.isfinite((np.asarray(G) * scales) ** 2).all()


@pytest.mark.parametrize("unit", [1e125, 1e150, 1e300])
def test_starts_whose_squares_overflow_are_refused(unit):
    """Their scales were cut off at 2^400, and the start was certified within a region far smaller than itself."""

    def squares(w):
        v = w / unit - 3.0
        return [v @ v, v @ v + v[0]], [2 * v / unit, (2 * v + [1.0, 0.0]) / unit]

    with pytest.raises(sb.ProblemError, match=r"must be below 2.6e\+120.* for parameter 1\. Divide it by a constant"):
        sb.minimax(squares, np.array([1.0, 2.0]) * unit, jac=True)
    with pytest.raises(sb.ProblemError, match=r"must be below 2.6e\+120"):
        sb.certify(sb.Problem(sb.from_functions(squares, np.ones(2), jac=True)), np.array([1.0, 2.0]) * unit)
    near = sb.certify(
        sb.Problem(sb.from_functions(squares, np.ones(2), jac=True)), np.array([1.0, 2.0]) * unit, radius=1.0
    )
    assert near.radius == 1.0


def test_declared_scales_are_checked():
    class Losses:
        n_losses, n_params = 1, 2
        evaluate = staticmethod(lambda w: ([w @ w], [2 * w]))

    assert declared_scales(Losses()) is None
    Losses.parameter_scales = np.array([3.0, 1e-7])
    np.testing.assert_array_equal(declared_scales(Losses()), [4.0, 2.0**-23])
    for wrong, match in (([1.0, 0.0], "must be positive"), ([1.0], "length 2"), ([1.0, np.nan], "finite")):
        Losses.parameter_scales = np.array(wrong)
        with pytest.raises(sb.ProblemError, match=match):
            sb.solve(sb.Problem(Losses()))


def test_the_region_reaches_as_far_as_the_parameters_are_large():
    scales = np.array([4.0, 0.5])
    for coordinates in (Coordinates.of_scales(scales, None, rescaled=rescaled) for rescaled in (True, False)):
        np.testing.assert_array_equal(coordinates.semi_axes(2.0, np.zeros(2)), 2.0 * scales)
        np.testing.assert_array_equal(coordinates.semi_axes(2.0, np.array([0.0, 1.0])), [8.0, np.inf])
    for rescaled in (True, False):
        asked = Coordinates.of_scales(scales, 3.0, rescaled=rescaled)
        np.testing.assert_array_equal(asked.semi_axes(3.0, np.zeros(2)), 3.0)
    np.testing.assert_array_equal(
        Coordinates.of_metric(np.array([2.0, 1.0]), None).semi_axes(1.0, np.zeros(2)), [0.5, 1.0]
    )


@settings(derandomize=True, deadline=None, max_examples=50)
@given(seed=st.integers(0, 10**6))
def test_a_bound_in_units_is_the_bound_of_the_same_minorant_in_other_coordinates(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 6))
    strong_convexity = rng.choice([0.0, 1.0], d) * rng.uniform(0.1, 2.0, d)
    unit = 10.0 ** rng.uniform(-3, 3, d)
    lines = [(float(rng.normal()), rng.normal(size=d)) for _ in range(2)]
    lam = np.ones(1)
    ours = [Minorant(a, b, lam, np.zeros(d), strong_convexity) for a, b in lines]
    theirs = [Minorant(a, b * unit, lam, np.zeros(d), strong_convexity * unit**2) for a, b in lines]
    center, radius = rng.normal(size=d), float(10.0 ** rng.uniform(-2, 2))
    # The bounds are differences of numbers of this magnitude, and allow for rounding errors of norms in each unit.
    size = 1.0 + max(np.abs(b) @ (np.abs(center) + radius * unit) + np.abs(b) @ np.abs(b) / 0.1 for _, b in lines)
    size += max(np.linalg.norm(b * unit) * np.linalg.norm(center / unit) for _, b in lines)
    here, there = Region(center, radius, unit), Region(center / unit, radius)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.minimum(here) == pytest.approx(other.minimum(there), rel=1e-9, abs=1e-12 * size)
    mixed = ours[0].best_mix(ours[1], here).minimum(here)
    assert mixed == pytest.approx(theirs[0].best_mix(theirs[1], there).minimum(there), rel=1e-6, abs=1e-9 * size)
    assert here.length(unit, strong_convexity) == pytest.approx(np.sqrt((strong_convexity == 0).sum()))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("loss", ["logistic", "squared"])
@pytest.mark.parametrize("seed", range(3))
def test_tables_in_other_units(method, loss, seed):
    rng = np.random.default_rng(seed)
    X, groups = rng.normal(size=(200, 4)), np.arange(200) % 3
    eta = X @ rng.normal(size=4) + groups
    y = eta > rng.logistic(size=200) if loss == "logistic" else eta + rng.normal(size=200)
    units = 10.0 ** rng.uniform(-7, 7, 4)
    plain, other = (
        sb.solve(
            sb.Problem(sb.GroupedLinear(X * u, y, groups, loss=loss, fit_intercept=True)),
            method=method,
            max_iter=20_000,
        )
        for u in (1.0, units)
    )
    assert plain.status is other.status is sb.Status.CONVERGED
    assert other.value == pytest.approx(plain.value, abs=1e-6)
    assert (other.reach[:-1] * units / plain.reach[:-1]).max() <= 10.0


def test_a_column_of_1e_7_is_not_solved_at_the_start():
    """300 rows of one feature near 1e-7 with y = 3e7 x: the start has value 11.2, the optimum is 0."""
    x = 1e-7 * (1.0 + 0.1 * np.random.default_rng(0).normal(size=300))
    losses = sb.GroupedLinear(x[:, None], 3e7 * x, np.zeros(300), loss="squared", fit_intercept=False)
    result = sb.solve(sb.Problem(losses))
    assert result.success
    assert result.value <= 1e-6


@pytest.mark.parametrize("method", ["quasi-newton", "accelerated", "prox-linear"])
@pytest.mark.parametrize("unit", [1e-7, 1e-3, 1e4, 1e7])
def test_one_parameter_in_other_units(method, unit):
    u = np.array([unit, 1.0])

    def fun(w):
        f, G = cb2(w * u)
        return f, G * u

    plain = quietly(cb2, [1.0, -0.1], jac=True, method=method)
    other = quietly(fun, np.array([1.0, -0.1]) / u, jac=True, method=method)
    assert plain.success
    assert other.success
    assert other.value == pytest.approx(plain.value, abs=2e-6)


def test_the_start_is_the_users_to_the_last_bit():
    points = []

    def fun(w):
        points.append(w.copy())
        f, G = cb2(w * 1e6)
        return f, G * 1e6

    w0 = np.array([1.23456789e-6, -0.1e-6])
    result = quietly(fun, w0, jac=True, max_iter=0)
    np.testing.assert_array_equal(points[0], w0)
    np.testing.assert_array_equal(result.w, w0)
    assert sum(np.array_equal(w, w0) for w in points) == 1


def test_a_radius_that_was_asked_is_meant_in_the_parameters():
    def fun(w):
        f, G = cb2(w * 1e6)
        return f, G * 1e6

    result = quietly(fun, [1e-6, -1e-7], jac=True, radius=2e-6, tol=1e-4)
    assert result.radius == 2e-6
    np.testing.assert_array_equal(result.reach, 2e-6)


def bowl(d, *, soft, seed=0, level=0.0, unit=1.0):
    """1/2 |w - c|^2, and softplus(a'w + b), of parameters in the given units: well-conditioned."""
    rng = np.random.default_rng([seed, d])
    c, a, b = rng.normal(size=d) / np.sqrt(d), rng.normal(size=d) / np.sqrt(d), rng.normal()

    def fun(v):
        w = v / unit
        z = a @ w + b
        f, g = 0.5 * ((w - c) ** 2).sum() + level, w - c
        if soft:
            f, g = f + np.logaddexp(0.0, z), g + a / (1.0 + np.exp(-z))
        return [f], [g / unit]

    return fun


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("d", [20, 300, 1000])
def test_a_slope_that_is_small_by_chance_is_no_scale(d, soft):
    """Some of many parameters are nearly optimal at the start: their slopes vanish, but not their scales."""
    result = sb.minimax(bowl(d, soft=soft), np.zeros(d), jac=True)
    assert result.success
    assert result.n_iter <= 20
    assert result.reach.max() <= 100 * result.reach.min()


def test_a_single_small_slope_is_compared_with_curvature():
    def fun(w):
        return [0.5 * (w[0] - 1) ** 2 + 0.5 * (w[1] - 1e-8) ** 2 + np.logaddexp(0, w[0])], [
            [w[0] - 1 + 1 / (1 + np.exp(-w[0])), w[1] - 1e-8]
        ]

    result = sb.minimax(fun, np.zeros(2), jac=True)
    assert result.success
    np.testing.assert_allclose(result.reach, result.radius)


@pytest.mark.parametrize("level", [1e3, 1e6])
def test_a_constant_in_the_losses_is_no_scale(level):
    result = sb.minimax(bowl(5, soft=True, level=level), np.zeros(5), jac=True)
    assert result.success
    assert result.n_iter <= 20


@pytest.mark.parametrize("decades", [2, 5, 7])
@pytest.mark.parametrize("start", [0.0, 1.0])
def test_sizes_that_curvature_confirms_are_kept(decades, start):
    rng = np.random.default_rng(decades)
    unit = 10.0 ** rng.uniform(-decades, decades, 10)
    result = sb.minimax(bowl(10, soft=True, unit=unit), start * unit * rng.normal(size=10), jac=True)
    plain = sb.minimax(bowl(10, soft=True), np.zeros(10), jac=True, tol=1e-10)
    assert result.success
    assert result.n_iter <= 150
    assert result.value == pytest.approx(plain.value, abs=1e-6)


def test_losses_that_are_not_defined_far_away_shorten_the_sizes():
    def fun(w):
        if w[0] > 1e-4:
            raise ValueError("not defined")
        return [(w[0] + 1e-6) ** 2 + 1.0 + w[1] ** 2 + w[1]], [[2 * (w[0] + 1e-6), 2 * w[1] + 1]]

    result = sb.minimax(fun, np.zeros(2), jac=True)
    assert result.success
    assert result.value == pytest.approx(0.75, abs=1e-6)


@pytest.mark.parametrize("loss", ["squared", "huber", "quantile"])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("of_X", "of_y"), [(1e-150, 1.0), (1e-60, 1e90)])
def test_parameters_whose_squares_overflow_are_refused(loss, intercept, of_X, of_y):
    """Their scales were cut off at 2^400, and a bound within that was certified at w = 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -2.0, 3.0]
    losses = sb.GroupedLinear(of_X * X, of_y * y, np.arange(60) % 3, loss, fit_intercept=intercept)
    problem = sb.Problem(losses)
    for call in (lambda: sb.solve(problem), lambda: sb.certify(problem, np.zeros(losses.n_params))):
        with pytest.raises(sb.ProblemError, match=r"parameter 0 has a larger one. Multiply its column"):
            call()
    assert sb.certify(problem, np.zeros(losses.n_params), radius=1.0).radius == 1.0


def test_a_penalty_keeps_the_parameters_of_tiny_columns_small():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) * [1.0, 1.0, 1e-150]
    result = sb.solve(sb.Problem(sb.GroupedLinear(X, np.arange(60) % 2, np.arange(60) % 3, l2=0.1)))
    assert result.success


def test_a_start_that_sees_parameters_whose_squares_overflow():
    def fun(w):
        length = np.hypot(1.0, w[0] - 1e140)
        return [length], [[(w[0] - 1e140) / length]]

    with pytest.raises(sb.ProblemError, match=r"losses of magnitude 1e\+140 .* their slopes are at most 1. Divide"):
        sb.minimax(fun, [0.0], jac=True)


def test_columns_that_are_alike_are_not_rounded_apart():
    """Scales near 2^4.5 are rounded to 16 or to 32: the run works in the parameters themselves."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 40)) / 2**4.5
    losses = sb.GroupedLinear(
        X, X.sum(axis=1) + 0.1 * rng.normal(size=400) > 0, np.arange(400) % 4, fit_intercept=False
    )
    scales = declared_scales(losses)
    assert set(np.log2(scales)) == {4.0, 5.0}
    result = sb.solve(sb.Problem(losses), method="quasi-newton")
    plain = sb.solve(sb.Problem(losses, metric=1.0), method="quasi-newton")
    assert result.history.value.tolist()[:8] == plain.history.value.tolist()[:8]
    np.testing.assert_allclose(result.reach / result.reach.min(), scales / scales.min())


def test_strong_convexity_limits_a_scale_to_where_its_term_matters():
    """m/2 w^2 reaches the magnitude of the losses at about sqrt(magnitude/m); the scale is the harmonic of both."""
    at = evaluation([0.0, 0.0], [4.0], [[1.0, 1.0]])
    for m, expected in ((0.0, 1.0), (4.0 * 2.0**20, 2.0**-10), (4.0 * 2.0**-20, 1.0)):
        scales = reduced_by_strong_convexity(np.ones(2), np.array([m, 0.0]), at)
        np.testing.assert_array_equal(scales, [expected, 1.0])


@pytest.mark.parametrize("method", ["auto", "lbfgsb"])
def test_the_radius_is_the_distance_from_the_start_in_the_scales(method):
    """Columns in units of 1e-2 and 1e2: the region reaches as many scales along every parameter, whether the method
    works in them or, as L-BFGS-B, in the parameters themselves."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(60, 2))
    X, y = Z * np.array([1e-2, 1e2]), Z @ np.array([3.0, -2.0]) + rng.normal(size=60)
    losses = sb.GroupedLinear(X, y, np.arange(60) % 3, loss="squared", fit_intercept=False)
    scales = declared_scales(losses)
    w0 = scales * np.array([3.0, -4.0])
    problem = sb.Problem(losses, regularizer=sb.Quadratic(0.1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        result = sb.solve(problem, w0, method=method, max_iter=20)
    expected = float(np.linalg.norm((result.w - w0) / scales))
    assert expected > 2.0
    np.testing.assert_allclose(result.reach / scales, expected, rtol=1e-12)
