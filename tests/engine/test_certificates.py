"""Minorants and regions: bounds hold, and the best average of two minorants is found."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import saddleback as sb
from saddleback.engine.certificates import Minorant, Region
from saddleback.engine.oracle import Oracle
from saddleback.subproblem import resolve_inner

EPS = float(np.finfo(np.float64).eps)
PROPERTY = settings(derandomize=True, deadline=None, max_examples=100)
seeds = st.integers(0, 10**6)
# No strong convexity; the same along every coordinate; a few flat coordinates.
profiles = st.sampled_from(["flat", "strong", "mixed"])


class Random:
    """J random convex quadratics plus log-sum-exps of d parameters, with an exact strong convexity m_i."""

    def __init__(self, seed: int, profile: str) -> None:
        rng = np.random.default_rng(seed)
        self.n_losses, self.n_params = int(rng.integers(1, 6)), int(rng.integers(1, 6))
        d, J = self.n_params, self.n_losses
        self.A = rng.normal(size=(J, 2, d)) * 10.0 ** rng.integers(-2, 2)
        self.b = rng.normal(size=(J, d))
        self.c = rng.normal(size=J)
        self.strong_convexity = {
            "flat": np.zeros(d),
            "strong": np.full(d, 10.0 ** rng.uniform(-3, 1)),
            "mixed": np.where(np.arange(d) % 2 == 0, 0.0, rng.uniform(0.1, 2.0, d)),
        }[profile]

    def evaluate(self, w):
        u = self.A @ w
        top = np.logaddexp(u[:, 0], u[:, 1])
        p = np.exp(u - top[:, None])
        f = top + self.b @ w + self.c + 0.5 * self.strong_convexity @ w**2
        return f, np.einsum("jk,jkd->jd", p, self.A) + self.b + self.strong_convexity * w


def line(constant, slope, lam=(1.0,), strong_convexity=None):
    """A minorant around zero; by default of one loss and without strong convexity."""
    slope = np.asarray(slope, dtype=float)
    strong_convexity = np.zeros(slope.size) if strong_convexity is None else strong_convexity
    return Minorant(constant, slope, np.asarray(lam), np.zeros(slope.size), strong_convexity)


def value(minorant, v):
    """l(v)."""
    step = v - minorant.origin
    return minorant.constant + minorant.slope @ step + 0.5 * minorant.strong_convexity @ step**2


def random_pair(seed, profile, d=4):
    rng = np.random.default_rng(seed)
    strong_convexity = {
        "flat": np.zeros(d),
        "strong": rng.uniform(0.1, 3.0, d),
        "mixed": np.where(np.arange(d) % 2 == 0, 0.0, rng.uniform(0.1, 3.0, d)),
    }[profile]
    radius = np.inf if profile == "strong" else 10.0 ** rng.uniform(-2, 2)
    region = Region(rng.normal(size=d), radius)
    slopes = rng.normal(size=(2, d)) * 10.0 ** rng.integers(-3, 2, (2, 1))
    return [line(rng.normal(), slope, strong_convexity=strong_convexity) for slope in slopes], region


@PROPERTY
@given(seed=seeds, profile=profiles, R=st.sampled_from([sb.Zero(), sb.Quadratic(0.5), sb.Entropy(0.3)]))
def test_cuts_and_their_averages_lie_below_g(seed, profile, R):
    losses = Random(seed, profile)
    problem = sb.Problem(losses, regularizer=R)
    rng = np.random.default_rng(seed)
    w0 = rng.normal(size=losses.n_params)
    oracle = Oracle(problem, resolve_inner("auto", problem.adversary), w0, 1e-6)
    cuts = [
        oracle.cut(oracle.evaluate(w0 + rng.normal(size=w0.size)), rng.dirichlet(np.ones(losses.n_losses)))
        for _ in range(3)
    ]
    region = Region(w0 + rng.normal(size=w0.size), np.inf if profile == "strong" else 2.0)
    average = cuts[0].mix(cuts[1], 0.3).best_mix(cuts[2], region)
    for minorant in (*cuts, average):
        for v in rng.normal(size=(10, w0.size)) * 10.0 ** rng.integers(-3, 3, (10, 1)):
            g = problem.value(w0 + v)
            below = value(minorant, w0 + v)
            assert below <= g + 1e-10 * (1 + abs(g) + abs(below)), f"minorant {below} above g {g}"
    bound = average.minimum(region)
    flat = oracle.strong_convexity == 0
    for _ in range(10):
        v = rng.normal(size=w0.size)
        step = v[flat]
        v[flat] = step / max(1.0, np.linalg.norm(step) / 2.0)
        v[~flat] *= 10.0
        assert problem.value(region.center + v) >= bound - 1e-9 * (1 + abs(bound))


@PROPERTY
@given(seed=seeds, profile=profiles)
def test_a_cut_touches_g_where_it_was_made_with_the_best_response(seed, profile):
    losses = Random(seed, profile)
    problem = sb.Problem(losses, regularizer=sb.Quadratic(0.5))
    w0 = np.random.default_rng(seed).normal(size=losses.n_params)
    oracle = Oracle(problem, resolve_inner("auto", problem.adversary), w0, 1e-6)
    at = oracle.evaluate(w0 + 1.0)
    cut = oracle.cut(at, at.lam)
    assert value(cut, at.w) == pytest.approx(at.value, rel=1e-10, abs=1e-10)
    again = oracle.cut(at, at.lam, at.lam @ at.G)
    assert again.constant == cut.constant
    np.testing.assert_array_equal(again.slope, cut.slope)


@PROPERTY
@given(seed=seeds, theta=st.floats(0, 1), profile=profiles)
def test_mix_is_the_convex_combination(seed, theta, profile):
    (first, second), _ = random_pair(seed, profile)
    mixed = first.mix(second, theta)
    for v in np.random.default_rng(seed).normal(size=(5, 4)):
        expected = (1 - theta) * value(first, v) + theta * value(second, v)
        size = 1 + abs(expected) + np.abs(first.slope).max() + np.abs(second.slope).max()
        assert value(mixed, v) == pytest.approx(expected, abs=64 * EPS * size * 10)


@PROPERTY
@given(seed=seeds, profile=profiles)
def test_minimum_is_attained_and_never_undercut(seed, profile):
    """Below every sampled value of the region, and equal to l at the minimizer that calculus gives."""
    (minorant, _), region = random_pair(seed, profile)
    rng = np.random.default_rng(seed)
    flat, m = minorant.strong_convexity == 0, minorant.strong_convexity
    best = np.zeros(4)
    best[~flat] = -minorant.slope[~flat] / m[~flat]
    slope = minorant.slope[flat]
    if flat.any():
        best[flat] = region.center[flat] - region.radius * slope / np.linalg.norm(slope)
    bound = minorant.minimum(region)
    size = 1 + abs(bound) + np.abs(minorant.slope).max() * (1 + np.abs(best).max())
    assert value(minorant, best) == pytest.approx(bound, abs=1e-12 * size)
    for _ in range(20):
        v = best + rng.normal(size=4)
        direction = v[flat] - region.center[flat]
        if flat.any():
            v[flat] = region.center[flat] + direction * min(1.0, region.radius / np.linalg.norm(direction))
        assert value(minorant, v) >= bound - 1e-12 * size


@pytest.mark.parametrize("profile", ["flat", "strong", "mixed"])
@pytest.mark.parametrize("seed", [0, 1])
def test_minimum_agrees_with_cvxpy(profile, seed):
    (minorant, _), region = random_pair(seed, profile)
    v = cp.Variable(4)
    flat = np.flatnonzero(minorant.strong_convexity == 0)
    inside = [cp.norm(v[flat] - region.center[flat]) <= region.radius] if flat.size else []
    objective = minorant.slope @ v + 0.5 * minorant.strong_convexity @ cp.square(v) + minorant.constant
    reference = cp.Problem(cp.Minimize(objective), inside).solve(solver="CLARABEL")
    assert minorant.minimum(region) == pytest.approx(reference, rel=1e-6, abs=1e-6)


@PROPERTY
@given(seed=seeds, profile=profiles)
def test_best_mix_is_at_least_as_good_as_both_and_as_every_average(seed, profile):
    (first, second), region = random_pair(seed, profile)
    bound = first.best_mix(second, region).minimum(region)
    bounds = [first.mix(second, theta).minimum(region) for theta in np.linspace(0, 1, 101)]
    size = abs(bound) + max(map(abs, bounds[:: len(bounds) - 1]))
    assert bound >= max(bounds) - 1e-9 * size
    assert bound >= max(first.minimum(region), second.minimum(region)) - 1e-12 * size


@PROPERTY
@given(seed=seeds, profile=profiles)
def test_best_mix_with_itself_or_something_useless_changes_nothing(seed, profile):
    (first, second), region = random_pair(seed, profile)
    low = line(first.constant - 1e9, second.slope * 0.0, strong_convexity=first.strong_convexity)
    assert first.best_mix(first, region).minimum(region) == pytest.approx(first.minimum(region), rel=1e-12)
    if first.minimum(region) > low.minimum(region) + 1e6:
        assert first.best_mix(low, region).minimum(region) >= first.minimum(region) - 1e-9 * abs(first.minimum(region))


def test_opposite_slopes_cancel():
    """|v| from v and -v: the average of two bad bounds is exact."""
    up, down = line(0.0, np.array([1.0])), line(0.0, np.array([-1.0]))
    region = Region(np.array([0.3]), 5.0)
    assert up.minimum(region) == pytest.approx(-4.7)
    assert up.best_mix(down, region).minimum(region) == pytest.approx(0.0, abs=1e-11)


def test_a_flat_first_minorant_still_takes_a_better_second():
    """The bound has a kink at the weight where the slope vanishes; the best weight may lie elsewhere."""
    zero, better = line(0.0, np.zeros(2)), line(10.0, np.array([1.0, 0.0]))
    region = Region(np.zeros(2), 1.0)
    assert zero.best_mix(better, region).minimum(region) == pytest.approx(9.0)
    assert better.best_mix(zero, region).minimum(region) == pytest.approx(9.0)
    worse = line(0.5, np.array([1.0, 0.0]))
    assert zero.best_mix(worse, region).minimum(region) == 0.0


@pytest.mark.parametrize("rise", [-2.0, -1.0, 0.0, 1.0, 2.0])
@pytest.mark.parametrize("across", [0.0, 1e-300, 1e-9, 1.0])
def test_best_weight_at_the_edges_of_its_closed_form(rise, across):
    """Slopes that cancel up to a part across, and constants for which k is -1, 0, 1 or beyond."""
    first, second = line(0.0, [-1.0, across]), line(rise, [1.0, across])
    region = Region(np.zeros(2), 0.5)
    bounds = [first.mix(second, theta).minimum(region) for theta in np.linspace(0, 1, 1001)]
    assert first.best_mix(second, region).minimum(region) >= max(bounds) - 1e-15


def test_minorant_that_is_not_a_number_is_not_taken():
    good, bad = line(1.0, np.ones(2)), line(np.nan, np.full(2, np.nan))
    region = Region(np.zeros(2), 1.0)
    assert good.best_mix(bad, region).minimum(region) == good.minimum(region)
    steep = line(2.0, np.array([np.nan, 0.0]))
    assert good.best_mix(steep, region).minimum(region) == good.minimum(region)


def test_the_weights_are_averaged_along():
    first, second = line(0.0, [1.0], [1.0, 0.0]), line(0.0, [-1.0], [0.0, 1.0])
    np.testing.assert_allclose(first.mix(second, 0.25).lam, [0.75, 0.25])
    best = first.best_mix(second, Region(np.zeros(1), 1.0))
    np.testing.assert_allclose(best.lam, [0.5, 0.5], atol=1e-11)


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1e170, 1e300])
def test_slopes_whose_squares_leave_the_range_of_floats(size):
    """The square of a slope of 1e-170 underflows, but over a ball of 1e170 the slope counts."""
    region = Region(np.zeros(2), 1 / size)
    with np.errstate(over="raise", invalid="raise"):
        assert line(0.0, [3 * size, 4 * size]).minimum(region) == pytest.approx(-5.0)


def test_minorants_far_from_where_they_were_made_are_lowered_by_their_rounding():
    """Moved by 1e8, a curvature of 2 makes constants of 1e16, whose last digit is 1: no bound may gain from it."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        far = 1e8 * rng.normal(size=3)
        exact = Minorant(rng.normal(), rng.normal(size=3), np.ones(1), far, np.full(3, 2.0))
        there_and_back = exact.moved(np.zeros(3)).moved(far)
        assert there_and_back.constant <= exact.constant
        region = Region(far, np.inf)
        assert there_and_back.minimum(region) <= exact.minimum(region)
