"""The contamination set: its ends, its support function, projection and tilt, against independent solvers and as
properties."""

from __future__ import annotations

from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.special import rel_entr

import saddleback as sb
from saddleback.dual_sets import DualSet, Simplex
from saddleback.dual_sets.contamination import Contamination
from saddleback.errors import ProblemError
from saddleback.subproblem import DualSubproblem, PathFollowing, adversary_of

from .barriers import worst_ratio

EPS = float(np.finfo(np.float64).eps)
PROPERTY = settings(derandomize=True, deadline=None, max_examples=150)
SIMPLEX = Simplex()
SHARES = [1e-12, 1e-9, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-9, 1 - 1e-15, np.nextafter(1.0, 0.0), 1.0]


@st.composite
def instances(draw, magnitude=1e6):
    """A set, losses (with ties, and of any size), and a generator."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(2, 30))
    p = draw(st.sampled_from([*SHARES, 0.0]))
    prior = rng.dirichlet(np.full(n, draw(st.sampled_from([0.3, 5.0])))) + 1e-6 if draw(st.booleans()) else None
    z = rng.normal(size=n) * 10.0 ** draw(st.integers(-3, int(np.log10(magnitude))))
    if draw(st.booleans()):
        z = np.round(rng.normal(size=n)) * draw(st.sampled_from([1.0, 1e5]))
    return Contamination(p, None if prior is None else prior / prior.sum()), z, rng


def prior_of(S, n):
    return np.full(n, 1 / n) if S.prior is None else S.prior


def floor(S, n):
    return (1 - S.worst_weight) * prior_of(S, n)


def members(S, n, rng, count=10):
    """Points of the set, of which many lie on the boundary."""
    return list(floor(S, n) + S.worst_weight * rng.dirichlet(np.full(n, 0.3), count))


def interior(S, n, seed):
    rng = np.random.default_rng(seed)
    return 0.3 * S.center(n) + 0.7 * np.mean(members(S, n, rng, 5), axis=0)


@PROPERTY
@given(instance=instances())
def test_support_is_the_average_and_the_worst(instance):
    S, z, rng = instance
    n, p = z.size, Fraction(S.worst_weight)
    value, lam = S.support(z)
    mean = sum(Fraction(a) * Fraction(b) for a, b in zip(prior_of(S, n), z, strict=True))
    exact = float((1 - p) * mean / sum(map(Fraction, prior_of(S, n))) + p * Fraction(z.max()))
    slack = 4 * n * EPS * np.abs(z).max()
    assert value == pytest.approx(exact, abs=slack)
    assert lam @ z == pytest.approx(exact, abs=slack)
    assert S.support_value(z) == value
    assert S.contains(lam, tol=4 * EPS)
    assert max(mu @ z for mu in members(S, n, rng)) <= value + slack


def test_ties_share_the_weight_equally_as_on_the_simplex():
    _, lam = Contamination(0.5, [0.1, 0.3, 0.6]).support(np.array([2.0, 2.0, 1.0]))
    np.testing.assert_allclose(lam, [0.3, 0.4, 0.3], rtol=4 * EPS)


def test_support_keeps_small_differences_of_large_losses():
    z = 1e8 + np.array([0.0, 0.25, 0.5, 1.0])
    assert Contamination(0.5).support(z)[0] == 1e8 + 0.5 * 1.75 / 4 + 0.5
    assert Contamination(0.5).regret(np.full(4, 0.25), z) == 0.5 * (1.0 - 1.75 / 4)


@PROPERTY
@given(instance=instances())
def test_regret_is_what_the_best_response_gains(instance):
    S, z, rng = instance
    value, best = S.support(z)
    slack = 32 * EPS * np.abs(z).max() * z.size
    for lam in members(S, z.size, rng, 3):
        assert S.regret(lam, z) == pytest.approx(value - lam @ z, abs=slack)
        assert S.regret(lam, z) == pytest.approx(DualSet.regret(S, lam, z), abs=slack)
        assert S.regret(lam, z) >= -EPS * np.ptp(z)
    assert S.regret(best, z) == 0.0, "the best response has nothing above the floor but at the largest losses"


@pytest.mark.parametrize("prior", [None, np.arange(1.0, 9.0) / 36])
@pytest.mark.parametrize("seed", range(20))
def test_with_all_weight_on_the_worst_it_is_the_simplex_to_the_last_bit(seed, prior):
    rng = np.random.default_rng(seed)
    n, S = 8, Contamination(1.0, prior)
    z = np.round(4 * rng.normal(size=n)) / 4 if seed % 2 else rng.normal(size=n) * 10.0 ** rng.integers(-2, 4)
    own = rng.dirichlet(np.ones(n))
    lam, almost = rng.dirichlet(np.full(n, 0.5)), rng.dirichlet(np.ones(n)) + 1e-9 * rng.normal(size=n)
    same = np.testing.assert_array_equal
    assert S.support(z)[0] == SIMPLEX.support(z)[0]
    assert S.support_value(z) == SIMPLEX.support_value(z)
    same(S.support(z)[1], SIMPLEX.support(z)[1])
    assert S.regret(lam, z) == SIMPLEX.regret(lam, z)
    same(S.project(z), SIMPLEX.project(z))
    same(S.tilt(own, z), SIMPLEX.tilt(own, z))
    same(S.restore(almost), SIMPLEX.restore(almost))
    same(S.center(n), SIMPLEX.center(n))
    same(S.bounds(n), SIMPLEX.bounds(n))
    assert S.barrier(lam) == SIMPLEX.barrier(lam)
    assert S.barrier_parameter(n) == SIMPLEX.barrier_parameter(n)
    same(S.barrier_gradient(lam), SIMPLEX.barrier_gradient(lam))
    same(S.barrier_hessian(lam), SIMPLEX.barrier_hessian(lam))
    for mine, theirs in zip(S.affine_hull(n), SIMPLEX.affine_hull(n), strict=True):
        same(mine, theirs)
    mine, theirs = S.linear_constraints(n), SIMPLEX.linear_constraints(n)
    same(mine.lower, theirs.lower)
    same(mine.upper, theirs.upper)
    for shift in (0.0, 1e-13, 1e-11, -1e-11):
        assert S.contains(lam + shift) == SIMPLEX.contains(lam + shift)


@pytest.mark.parametrize(
    ("S", "point"),
    [
        (Contamination(0.0), [0.25] * 4),
        (Contamination(0.0, [0.1, 0.2, 0.7]), [0.1, 0.2, 0.7]),
        (Contamination(1e-300, [0.1, 0.2, 0.7]), [0.1, 0.2, 0.7]),
        (Contamination(4 * EPS), [0.2] * 5),
        (Contamination(0.3), [1.0]),
        (Contamination(0.3, [1.0]), [1.0]),
    ],
)
def test_single_points(S, point):
    n = len(point)
    z = np.arange(n) + 5.0
    E, e = S.affine_hull(n)
    np.testing.assert_array_equal(E, np.eye(n))
    own = prior_of(S, n)
    np.testing.assert_allclose(own, point, rtol=2 * EPS)
    for lam in (e, S.center(n), S.support(z)[1], S.project(z), S.tilt(np.ones(n), z), S.restore(z), *S.bounds(n)):
        np.testing.assert_array_equal(lam, own)
    assert S.support(z)[0] == S.support_value(z) == z @ own
    assert S.contains(S.center(n))
    assert not S.contains(S.center(n) + 1e-6)
    assert S.barrier(S.center(n)) == 0.0
    assert np.isfinite(S.barrier_gradient(S.center(n))).all()
    assert (S.barrier_hessian(S.center(n)) > 0).all()
    assert S.regret(S.center(n), z) == 0.0


@PROPERTY
@given(instance=instances())
def test_projection_satisfies_the_variational_inequality(instance):
    """p is the projection of x exactly when <x - p, v - p> <= 0 for every v of the set."""
    S, x, _ = instance
    p = S.project(x)
    assert S.contains(p, tol=4 * EPS)
    assert (p >= floor(S, x.size) * (1 - 2 * EPS)).all()
    assert S.regret(p, x - p) <= 64 * x.size * EPS * max(1.0, np.abs(x).max())


@PROPERTY
@given(instance=instances(100.0), shift=st.sampled_from([-(2.0**30), 2.0**20, 4.0]))
def test_projection_and_tilt_ignore_a_shift_along_one(instance, shift):
    S, x, _ = instance
    moved = x + shift
    x, prior = moved - shift, np.full(x.size, 1.0 / x.size)
    np.testing.assert_allclose(S.project(moved), S.project(x), atol=64 * EPS * abs(shift))
    np.testing.assert_allclose(S.tilt(prior, moved), S.tilt(prior, x), atol=64 * EPS * (abs(shift) + 100))


@PROPERTY
@given(instance=instances(1.0))
def test_projection_leaves_points_of_the_set_alone(instance):
    S, x, rng = instance
    for lam in members(S, x.size, rng, 3):
        np.testing.assert_allclose(S.project(lam), lam, atol=16 * EPS)


@pytest.mark.parametrize("p", [1e-12, 0.5, 1.0])
def test_projection_of_huge_points_is_a_vertex(p):
    S = Contamination(p, [0.1, 0.2, 0.7])
    with np.errstate(all="raise"):
        lam = S.project(np.array([-1e300, 1e300, 3.0]))
    np.testing.assert_array_equal(lam, S.support(np.array([0.0, 1.0, 0.0]))[1])


def projection_by_faces(x, lower, total):
    """The projection on {lam >= lower, sum lam = total}, by trying every set of free weights."""
    n, best, least = x.size, None, np.inf
    for mask in range(1, 2**n):
        free = np.array([mask >> j & 1 for j in range(n)], dtype=bool)
        lam = lower.copy()
        lam[free] = x[free] + (total - lower[~free].sum() - x[free].sum()) / free.sum()
        distance = np.linalg.norm(lam - x)
        if (lam >= lower - 1e-14).all() and distance < least:
            best, least = lam, distance
    return best


@pytest.mark.parametrize("seed", range(20))
def test_projection_is_the_nearest_point_of_all_faces(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(2, 8)), float(rng.uniform(0.01, 1.0))
    S = Contamination(p, rng.dirichlet(np.ones(n)) if seed % 2 else None)
    x = rng.normal(size=n) * 10.0 ** rng.integers(-2, 2)
    np.testing.assert_allclose(S.project(x), projection_by_faces(x, floor(S, n), 1.0), atol=1e-13 * (1 + abs(x).max()))


@pytest.mark.parametrize("seed", range(6))
def test_projection_and_tilt_agree_with_cvxpy(seed):
    rng = np.random.default_rng(seed)
    n, p = 7, rng.uniform(0.1, 0.9)
    S = Contamination(p, rng.dirichlet(np.ones(n)) if seed % 2 else None)
    prior, x = rng.dirichlet(np.ones(n)), rng.normal(size=n) * 10.0 ** rng.integers(-1, 2)
    q = cp.Variable(n)
    constraints = [q >= 0, cp.sum(q) == 1]
    v = floor(S, n) + p * q
    cp.Problem(cp.Minimize(cp.sum_squares(v - x)), constraints).solve(solver="CLARABEL")
    np.testing.assert_allclose(S.project(x), v.value, atol=2e-6)
    best = cp.Problem(cp.Maximize(x @ v - cp.sum(cp.rel_entr(v, prior))), constraints).solve(solver="CLARABEL")
    lam = S.tilt(prior, x)
    assert lam @ x - rel_entr(lam, prior).sum() == pytest.approx(best, abs=1e-7 * (1 + np.abs(x).max()))
    np.testing.assert_allclose(lam, v.value, atol=1e-4)


@PROPERTY
@given(instance=instances())
def test_tilt_satisfies_the_optimality_conditions(instance):
    """log(lam/prior) - z is constant where lam is above its floor, and no smaller where it is at it."""
    S, z, rng = instance
    n = z.size
    prior, least = rng.dirichlet(np.full(n, 2.0)) + 1e-9, floor(S, n)
    lam = S.tilt(prior, z)
    assert S.contains(lam, tol=4 * EPS)
    assert (lam >= least * (1 - 2 * EPS)).all()
    seen = lam > 1e-250
    slope = np.log(lam[seen] / prior[seen]) - z[seen]
    free = (lam > least * (1 + 1e-9))[seen]
    if free.any():
        slack = 64 * n * EPS * (1 + np.abs(z).max())
        assert np.ptp(slope[free]) <= slack
        assert slope.min() >= slope[free].min() - slack - 1e-8


def test_tilt_of_huge_and_of_excluded_losses():
    S, prior = Contamination(0.5), np.full(4, 0.25)
    np.testing.assert_allclose(S.tilt(prior, np.array([1e6, 2e6, -1e6, 0.0])), [0.125, 0.625, 0.125, 0.125])
    np.testing.assert_allclose(S.tilt(prior, np.array([1e300, 0.0, -1e300, 1.0])), [0.625, 0.125, 0.125, 0.125])
    np.testing.assert_allclose(S.tilt(prior, np.array([-np.inf, 0.0, -np.inf, 0.0])), [0.125, 0.375, 0.125, 0.375])
    np.testing.assert_allclose(S.tilt(prior, np.array([0.0, 0.0, -1e6, np.log(3.0)])), [0.175, 0.175, 0.125, 0.525])


@PROPERTY
@given(instance=instances(), noise=st.floats(0, 1e-6))
def test_restore_gives_a_point_of_the_set_nearby(instance, noise):
    S, z, rng = instance
    n = z.size
    for lam in members(S, n, rng, 3):
        almost = lam + noise * rng.uniform(-1, 1, n)
        restored = S.restore(almost)
        assert S.contains(restored, tol=4 * EPS)
        assert (restored >= floor(S, n) * (1 - 2 * EPS)).all()
        assert np.abs(restored - almost).sum() <= 4 * n * noise + 16 * EPS


def test_restore_of_weights_that_are_all_below_the_floor():
    S = Contamination(1e-12, [0.1, 0.2, 0.7])
    np.testing.assert_array_equal(S.restore(np.array([0.1, 0.2, 0.7]) - 1e-9), S.center(3))


SETS = [
    (Contamination(0.3), 5),
    (Contamination(0.01), 4),
    (Contamination(0.5, [0.1, 0.2, 0.7]), 3),
    (Contamination(0.95, [0.01, 0.09, 0.4, 0.5]), 4),
    (Contamination(0.2, [1e-6, 0.5, 0.5 - 1e-6]), 3),
    (Contamination(1e-9, [0.1, 0.2, 0.7]), 3),
]


@pytest.mark.parametrize(("S", "n"), SETS[:-1])
def test_barrier_derivatives_are_those_of_finite_differences(S, n):
    lam = interior(S, n, n)
    step = 1e-6 * (lam - floor(S, n)).min()
    differences = 0.5 * sum(approx_fprime(lam, S.barrier, sign * step) for sign in (1, -1))
    np.testing.assert_allclose(S.barrier_gradient(lam), differences, rtol=1e-5)
    second = 0.5 * sum(approx_fprime(lam, S.barrier_gradient, sign * step) for sign in (1, -1))
    hessian = S.barrier_hessian(lam)
    np.testing.assert_allclose(np.diag(hessian), second, rtol=1e-5, atol=1e-5 * hessian.max())


@PROPERTY
@given(instance=instances())
def test_barrier_inequality_with_parameter_nu(instance):
    """<B'(x), y - x> <= nu for y in the set, and <B'(x), h>^2 <= nu B''(x)[h, h] (Nesterov, 5.3)."""
    S, z, rng = instance
    n = z.size
    x, nu = interior(S, n, n), S.barrier_parameter(n)
    gradient = S.barrier_gradient(x)
    # The relative rounding error of the distances from the floor.
    slack = 1e-9 + (8 * EPS / (x - floor(S, n)).min() if S.worst_weight > 0 else 0.0)
    for y in members(S, n, rng, 5):
        assert gradient @ (y - x) <= nu * (1 + slack)
    assert worst_ratio(S, x) <= nu * (1 + slack)


@pytest.mark.parametrize("lam", [[0.5, 0.3, 0.2], [0.4, 0.6, 0.0], [0.8, 0.3, -0.1], [np.nan, 0.5, 0.5]])
def test_barrier_is_infinite_on_the_boundary_and_beyond(lam):
    assert Contamination(0.4, [0.3, 0.3, 0.4]).barrier(np.array(lam)) == np.inf


@pytest.mark.parametrize(("S", "n"), SETS)
def test_center_minimizes_the_barrier(S, n):
    center = S.center(n)
    assert S.contains(center, tol=4 * EPS)
    above = center - floor(S, n)
    np.testing.assert_allclose(above, S.worst_weight / n, atol=4 * EPS, err_msg="the gradient is normal to the hull")
    center[:] = 0
    assert S.contains(S.center(n)), "callers get copies"
    S.bounds(n)[0][:] = 0
    assert S.contains(S.center(n)), "of the bounds as well"


@pytest.mark.parametrize("p", [1e-15, 1e-13, 1e-12, 1e-6, 0.5, 1 - 1e-12, 1.0])
def test_center_is_inside_with_a_prior_of_any_kind(p):
    rng = np.random.default_rng(0)
    for n in (2, 50, 1000):
        for concentration in (0.01, 1.0, 50.0):
            prior = rng.dirichlet(np.full(n, concentration)) + 1e-12
            S = Contamination(p, prior / prior.sum())
            assert S.contains(S.center(n), tol=8 * EPS)
            assert np.isfinite(S.barrier(S.center(n)))
            assert np.isfinite(S.barrier_hessian(S.center(n))).all()


@pytest.mark.parametrize(("S", "n"), SETS)
def test_descriptions_agree(S, n):
    lower, upper = S.bounds(n)
    np.testing.assert_allclose((lower, upper), DualSet.bounds(S, n), atol=4 * EPS)
    assert S.weight_range(n) == (1.0, 1.0)
    constraints = S.linear_constraints(n)
    rng = np.random.default_rng(n)
    for lam in [*members(S, n, rng), *rng.dirichlet(np.ones(n), 10), *rng.normal(size=(5, n))]:
        equal = np.abs(constraints.E @ lam - constraints.e).max() < 1e-12
        within = (constraints.lower <= lam + 2 * EPS).all() and (lam <= constraints.upper).all()
        assert (equal and within) == S.contains(lam)


@pytest.mark.parametrize("p", [1e-12, 1e-6, 0.3, 1 - 1e-6, 1 - 1e-15])
@pytest.mark.parametrize("regularizer", [sb.Zero(), sb.Quadratic(0.1), sb.Entropy(0.1)], ids=repr)
@pytest.mark.parametrize("inner", [None, PathFollowing()], ids=["auto", "path-following"])
def test_dual_subproblems_are_solved_to_rounding_on_sets_of_any_size(p, regularizer, inner):
    """What lam gains in a set of size p is about p times the losses; the gap must be far below that or at rounding."""
    rng = np.random.default_rng(3)
    n = 6
    adversary = adversary_of(Contamination(p, rng.dirichlet(np.ones(n))), regularizer, n)
    F, c = rng.normal(size=(n, 4)), rng.normal(size=n)
    D = DualSubproblem(F @ F.T, c, adversary)
    solution = (inner or sb.subproblem.Auto()).solve(D, 0.0)
    assert adversary.dual_set.contains(solution.lam, tol=4 * EPS)
    assert solution.gap <= max(D.rounding_floor, 1e-9 * p)


@pytest.mark.parametrize("p", [0.0, 1e-12, 0.4, 1.0])
@pytest.mark.parametrize("regularizer", [sb.Zero(), sb.Quadratic(0.5), sb.Entropy(0.5)], ids=repr)
def test_runs_are_certified_and_fall_between_the_average_and_the_worst(p, regularizer):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(120, 4)), rng.integers(0, 2, 120)
    losses = sb.GroupedLinear(X, y, np.repeat(["a", "b", "c"], [20, 40, 60]), l2=0.1, fit_intercept=False)
    prior = np.array([1.0, 2.0, 3.0]) / 6
    result = sb.solve(sb.Problem(losses, Contamination(p, prior), regularizer), tol=1e-10)
    assert result.certified
    if p == 0.0:
        pooled = sb.GroupedLinear(X, y, np.zeros(120), l2=0.1, fit_intercept=False)
        np.testing.assert_allclose(result.w, sb.solve(sb.Problem(pooled), tol=1e-10).w, atol=1e-5)
        np.testing.assert_array_equal(result.dual, Contamination(0.0, prior).center(3))
    if p == 1.0:
        worst = sb.solve(sb.Problem(losses, regularizer=regularizer), tol=1e-10)
        assert result.value == pytest.approx(worst.value, abs=2e-10)


@pytest.mark.parametrize("worst_weight", [-0.1, 1.1, 30, np.nan, np.inf, "0.5", None])
def test_the_worst_weight_must_be_a_share(worst_weight):
    with pytest.raises(ProblemError, match="worst_weight of Contamination must be"):
        Contamination(worst_weight)


@pytest.mark.parametrize("prior", [[0.5, 0.6], [1.0, 0.0], [np.nan, 1.0], [], "ab", [[0.5, 0.5]]])
def test_bad_priors_are_refused(prior):
    with pytest.raises(ProblemError, match="prior of Contamination"):
        Contamination(0.5, prior)


def test_wrong_dimension_is_refused_with_both_numbers():
    S = Contamination(0.5, [0.5, 0.5])
    assert S.size == 2
    assert Contamination(0.5).size is None
    with pytest.raises(ProblemError, match=r"2 entries for 3 losses"):
        S.validate(3)
    with pytest.raises(ProblemError, match=r"R\^0 is empty"):
        Contamination(0.5).validate(0)
    S.validate(2)


@pytest.mark.parametrize("p", [0.5, 1.0])
@pytest.mark.parametrize("prior", [None, [0.2, 0.3, 0.5]])
def test_what_is_not_a_number_stays_so(p, prior):
    S, z = Contamination(p, prior), np.array([1.0, np.nan, 0.0])
    assert np.isnan(S.support_value(z))
    assert np.isnan(S.project(np.full(3, np.nan))).any()
    assert np.isnan(S.tilt(np.ones(3), z)).any()
    assert np.isnan(S.restore(z)).any()
    assert not S.contains(z)
