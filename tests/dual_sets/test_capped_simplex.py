"""The capped simplex: value at risk by sorting, projection, tilt, against independent solvers and as properties."""

from __future__ import annotations

from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.special import rel_entr

from saddleback.dual_sets import DualSet, Simplex
from saddleback.dual_sets.capped_simplex import CappedSimplex
from saddleback.errors import ProblemError

from .barriers import worst_ratio

EPS = float(np.finfo(np.float64).eps)
PROPERTY = settings(derandomize=True, deadline=None, max_examples=150)


@st.composite
def instances(draw, magnitude=1e6):
    """A set, losses (with ties, and of any size), and a generator."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(2, 30))
    alpha = draw(st.sampled_from([1e-9, 0.05, 0.1, 0.25, 1 / 3, 0.5, 0.9, 0.999, 1 / n, (n - 1) / n]))
    prior = rng.dirichlet(np.full(n, draw(st.sampled_from([0.3, 5.0])))) + 1e-6 if draw(st.booleans()) else None
    z = rng.normal(size=n) * 10.0 ** draw(st.integers(-3, int(np.log10(magnitude))))
    if draw(st.booleans()):
        z = np.round(rng.normal(size=n)) * draw(st.sampled_from([1.0, 1e5]))
    return CappedSimplex(alpha, None if prior is None else prior / prior.sum()), z, rng


def caps(S, n):
    return S.linear_constraints(n).upper


def members(S, n, rng, count=10):
    """Points of the set: restored mixtures, of which many lie on the boundary."""
    return [S.restore(mixture) for mixture in rng.dirichlet(np.full(n, 0.3), count)]


def interior(S, n, seed):
    rng = np.random.default_rng(seed)
    return 0.3 * S.center(n) + 0.7 * np.mean(members(S, n, rng, 5), axis=0)


def cvar_by_exact_arithmetic(z, prior, alpha):
    """The mean of the worst alpha-share, in fractions."""
    left = Fraction(alpha) * sum(map(Fraction, prior))
    share, total = left, Fraction(0)
    for j in np.argsort(-z):
        taken = min(left, Fraction(prior[j]))
        total, left = total + taken * Fraction(z[j]), left - taken
    return float(total / share)


@PROPERTY
@given(instance=instances())
def test_support_is_the_conditional_value_at_risk(instance):
    S, z, rng = instance
    n = z.size
    value, lam = S.support(z)
    prior = np.full(n, 1 / n) if S.prior is None else S.prior
    exact = cvar_by_exact_arithmetic(z, prior, S.alpha)
    assert value == pytest.approx(exact, abs=8 * n * EPS * max(np.abs(z).max(), 1e-300))
    assert value == pytest.approx(exact, rel=1e-12, abs=1e-12 * np.abs(z).max())
    assert S.contains(lam, tol=8 * EPS)
    assert lam @ z == pytest.approx(value, abs=8 * n * EPS * np.abs(z).max())
    assert S.support_value(z) == pytest.approx(value, abs=4 * n * EPS * np.abs(z).max())
    assert max(mu @ z for mu in members(S, n, rng)) <= value + 8 * n * EPS * np.abs(z).max()


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
    assert S.regret(best, z) == pytest.approx(0.0, abs=2 * z.size * EPS * np.ptp(z))


def test_ties_share_the_weight_in_proportion_to_their_caps():
    _, lam = CappedSimplex(0.5).support(np.array([3.0, 1.0, 1.0, 1.0]))
    np.testing.assert_allclose(lam, [0.5, 1 / 6, 1 / 6, 1 / 6], rtol=4 * EPS)
    _, lam = CappedSimplex(0.5, [0.1, 0.3, 0.6]).support(np.array([2.0, 1.0, 1.0]))
    np.testing.assert_allclose(lam, [0.2, 0.8 / 3, 1.6 / 3], rtol=4 * EPS)
    _, lam = CappedSimplex(0.3, [0.1, 0.3, 0.6]).support(np.zeros(3))
    np.testing.assert_allclose(lam, [0.1, 0.3, 0.6], rtol=4 * EPS)


def test_support_keeps_small_differences_of_large_losses():
    z = 1e8 + np.array([0.0, 0.25, 0.5, 1.0])
    assert CappedSimplex(0.5).support(z)[0] == 1e8 + 0.75
    assert CappedSimplex(0.5).regret(np.full(4, 0.25), z) == 0.75 - 1.75 / 4


@PROPERTY
@given(instance=instances())
def test_projection_satisfies_the_variational_inequality(instance):
    """p is the projection of x exactly when <x - p, v - p> <= 0 for every v of the set."""
    S, x, _ = instance
    p = S.project(x)
    assert S.contains(p, tol=8 * EPS)
    assert p.min() >= 0
    assert S.regret(p, x - p) <= 64 * x.size * EPS * max(1.0, caps(S, x.size).max(), np.abs(x).max())


@PROPERTY
@given(instance=instances(100.0), shift=st.sampled_from([-(2.0**30), 2.0**20, 4.0]))
def test_projection_and_tilt_ignore_a_shift_along_one(instance, shift):
    S, x, _ = instance
    moved = x + shift
    x, prior = moved - shift, np.full(x.size, 1.0 / x.size)
    np.testing.assert_allclose(S.project(moved), S.project(x), atol=64 * EPS)
    np.testing.assert_allclose(S.tilt(prior, moved), S.tilt(prior, x), atol=64 * EPS * (abs(shift) + 100))


def test_projection_keeps_the_digits_of_small_entries_next_to_large_ones():
    """Of two losses, 1e6 away from a third that is capped, the split is decided by the small difference."""
    p = CappedSimplex(0.5, [0.25, 0.25, 0.5]).project(np.array([1e6, 0.1, 0.0]))
    np.testing.assert_allclose(p, [0.5, 0.3, 0.2], rtol=8 * EPS)
    p = CappedSimplex(0.5, [0.25, 0.25, 0.5]).project(np.array([0.1, 0.0, -1e6]))
    np.testing.assert_allclose(p, [0.5, 0.5, 0.0], rtol=8 * EPS)


@PROPERTY
@given(instance=instances(1.0))
def test_projection_leaves_points_of_the_set_alone(instance):
    S, x, rng = instance
    for lam in members(S, x.size, rng, 3):
        np.testing.assert_allclose(S.project(lam), lam, atol=16 * EPS)


@pytest.mark.parametrize("seed", range(6))
def test_projection_and_tilt_agree_with_cvxpy(seed):
    rng = np.random.default_rng(seed)
    n, alpha = 7, rng.uniform(0.2, 0.9)
    S = CappedSimplex(alpha, rng.dirichlet(np.ones(n)) if seed % 2 else None)
    prior, x = rng.dirichlet(np.ones(n)), rng.normal(size=n) * 10.0 ** rng.integers(-1, 2)
    v = cp.Variable(n)
    constraints = [v >= 0, v <= caps(S, n), cp.sum(v) == 1]
    cp.Problem(cp.Minimize(cp.sum_squares(v - x)), constraints).solve(solver="CLARABEL")
    np.testing.assert_allclose(S.project(x), v.value, atol=2e-6)
    best = cp.Problem(cp.Maximize(x @ v - cp.sum(cp.rel_entr(v, prior))), constraints).solve(solver="CLARABEL")
    lam = S.tilt(prior, x)
    assert lam @ x - rel_entr(lam, prior).sum() == pytest.approx(best, abs=1e-7 * (1 + np.abs(x).max()))
    np.testing.assert_allclose(lam, v.value, atol=1e-4)


@PROPERTY
@given(instance=instances())
def test_tilt_satisfies_the_optimality_conditions(instance):
    """log(lam/prior) - z is constant where lam is below its cap, and no larger where it is at it."""
    S, z, rng = instance
    n = z.size
    prior, cap = rng.dirichlet(np.full(n, 2.0)) + 1e-9, caps(S, n)
    lam = S.tilt(prior, z)
    assert S.contains(lam, tol=8 * EPS)
    assert lam.min() >= 0
    seen = lam > 1e-250
    slope = np.log(lam[seen] / prior[seen]) - z[seen]
    free = (lam < cap * (1 - 1e-9))[seen]
    if free.any():
        # lam is exact to rounding of the total; what that is of its own size shows in the logarithm.
        slack = 64 * n * EPS * (1 + np.abs(z).max()) + 4 * n * EPS / lam[seen][free].max()
        assert np.ptp(slope[free]) <= slack
        assert slope.max() <= slope[free].max() + slack + 1e-8


def test_tilt_of_huge_and_of_excluded_losses():
    S, prior = CappedSimplex(0.5), np.full(4, 0.25)
    np.testing.assert_allclose(S.tilt(prior, np.array([1e6, 2e6, -1e6, 0.0])), [0.5, 0.5, 0, 0])
    np.testing.assert_allclose(S.tilt(prior, np.array([1e300, 0.0, -1e300, np.log(3.0)])), [0.5, 0.125, 0, 0.375])
    np.testing.assert_allclose(S.tilt(prior, np.array([-np.inf, 0.0, -np.inf, 0.0])), [0, 0.5, 0, 0.5])


@PROPERTY
@given(instance=instances(), noise=st.floats(0, 1e-6))
def test_restore_gives_a_point_of_the_set_nearby(instance, noise):
    S, z, rng = instance
    n = z.size
    for lam in members(S, n, rng, 3):
        almost = lam + noise * rng.uniform(-1, 1, n)
        restored = S.restore(almost)
        assert S.contains(restored, tol=4 * EPS)
        assert restored.min() >= 0
        assert (restored <= caps(S, n)).all()
        assert np.abs(restored - almost).sum() <= 4 * n * noise + 16 * EPS


def test_a_small_alpha_is_the_simplex():
    rng = np.random.default_rng(0)
    z, S = rng.normal(size=9), CappedSimplex(1e-320)
    assert S.support(z)[0] == z.max()
    np.testing.assert_allclose(S.project(z), Simplex().project(z), atol=8 * EPS)
    np.testing.assert_allclose(S.tilt(np.ones(9), z), Simplex().tilt(np.ones(9), z), atol=8 * EPS)
    assert np.isfinite(S.barrier(S.center(9)))


@pytest.mark.parametrize(
    ("S", "point"),
    [
        (CappedSimplex(1.0), [0.25] * 4),
        (CappedSimplex(1.0, [0.1, 0.2, 0.7]), [0.1, 0.2, 0.7]),
        (CappedSimplex(np.nextafter(1.0, 0.0), [0.1, 0.2, 0.7]), [0.1, 0.2, 0.7]),
        (CappedSimplex(0.3), [1.0]),
    ],
)
def test_single_points(S, point):
    n = len(point)
    z = np.arange(n) + 5.0
    E, e = S.affine_hull(n)
    np.testing.assert_array_equal(E, np.eye(n))
    for lam in (e, S.center(n), S.support(z)[1], S.project(z), S.tilt(np.ones(n), z), S.restore(z), *S.bounds(n)):
        np.testing.assert_allclose(lam, point, rtol=2 * EPS)
    assert S.support(z)[0] == S.support_value(z) == pytest.approx(z @ point)
    assert S.contains(S.center(n))
    assert not S.contains(S.center(n) + 1e-6)
    assert np.isfinite(S.barrier(S.center(n)))
    assert np.isfinite(S.barrier_gradient(S.center(n))).all()
    assert (S.barrier_hessian(S.center(n)) > 0).all()
    assert S.regret(S.center(n), z) == 0.0


SETS = [
    (CappedSimplex(0.3), 5),
    (CappedSimplex(0.9), 4),
    (CappedSimplex(0.5, [0.1, 0.2, 0.7]), 3),
    (CappedSimplex(0.95, [0.01, 0.09, 0.4, 0.5]), 4),
    (CappedSimplex(0.01, [1e-6, 0.5, 0.5 - 1e-6]), 3),
]


@pytest.mark.parametrize(("S", "n"), SETS)
def test_barrier_derivatives_are_those_of_finite_differences(S, n):
    lam = interior(S, n, n)
    step = 1e-6 * min(lam.min(), (caps(S, n) - lam).min())
    differences = 0.5 * sum(approx_fprime(lam, S.barrier, sign * step) for sign in (1, -1))
    np.testing.assert_allclose(S.barrier_gradient(lam), differences, rtol=1e-5, atol=1e-6 / step * EPS * 1e9)
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
    for y in members(S, n, rng, 5):
        assert gradient @ (y - x) <= nu * (1 + 1e-9)
    assert worst_ratio(S, x) <= nu * (1 + 1e-9)


@pytest.mark.parametrize("lam", [[0.5, 0.3, 0.2], [0.4, 0.6, 0.0], [0.6, 0.5, -0.1], [np.nan, 0.5, 0.5]])
def test_barrier_is_infinite_on_the_boundary_and_beyond(lam):
    assert CappedSimplex(2 / 3).barrier(np.array(lam)) == np.inf


@pytest.mark.parametrize(("S", "n"), SETS)
def test_center_minimizes_the_barrier(S, n):
    center = S.center(n)
    assert S.contains(center, tol=4 * EPS)
    gradient = S.barrier_gradient(center)
    decrement = (gradient - gradient @ (1 / S.barrier_hessian(center)) / (1 / S.barrier_hessian(center)).sum()) ** 2
    assert decrement @ (1 / S.barrier_hessian(center)) <= 1e-18
    center[:] = 0
    assert S.contains(S.center(n)), "callers get copies"


def test_center_with_a_prior_of_any_kind():
    rng = np.random.default_rng(0)
    for alpha in (1e-6, 0.1, 0.5, 0.9, 1 - 1e-6, 1 - 1e-12):
        for concentration in (0.05, 1.0, 50.0):
            prior = rng.dirichlet(np.full(50, concentration)) + 1e-12
            S = CappedSimplex(alpha, prior / prior.sum())
            assert S.contains(S.center(50), tol=8 * EPS)
            assert np.isfinite(S.barrier(S.center(50)))


@pytest.mark.parametrize(("S", "n"), SETS)
def test_descriptions_agree(S, n):
    lower, upper = S.bounds(n)
    expected = DualSet.bounds(S, n)
    np.testing.assert_allclose((lower, upper), expected, atol=4 * EPS)
    low, high = S.weight_range(n)
    assert low == pytest.approx(1.0)
    assert high == pytest.approx(1.0)
    constraints = S.linear_constraints(n)
    rng = np.random.default_rng(n)
    for lam in [*members(S, n, rng), *rng.dirichlet(np.ones(n), 10), *rng.normal(size=(5, n))]:
        equal = np.abs(constraints.E @ lam - constraints.e).max() < 1e-12
        within = (constraints.lower <= lam).all() and (lam <= constraints.upper).all()
        assert (equal and within) == S.contains(lam)


@pytest.mark.parametrize("alpha", [0.0, -0.1, 1.1, np.nan, np.inf, "0.5", None])
def test_alpha_must_be_a_share(alpha):
    with pytest.raises(ProblemError, match="alpha of CappedSimplex must be"):
        CappedSimplex(alpha)


@pytest.mark.parametrize("prior", [[0.5, 0.6], [1.0, 0.0], [np.nan, 1.0], [], "ab", [[0.5, 0.5]]])
def test_bad_priors_are_refused(prior):
    with pytest.raises(ProblemError, match="prior of CappedSimplex"):
        CappedSimplex(0.5, prior)


def test_wrong_dimension_is_refused_with_both_numbers():
    S = CappedSimplex(0.5, [0.5, 0.5])
    assert S.size == 2
    assert CappedSimplex(0.5).size is None
    with pytest.raises(ProblemError, match=r"2 entries for 3 losses"):
        S.validate(3)
    with pytest.raises(ProblemError, match=r"R\^0 is empty"):
        CappedSimplex(0.5).validate(0)
    S.validate(2)


@pytest.mark.parametrize("prior", [None, [0.2, 0.3, 0.5]])
def test_what_is_not_a_number_stays_so(prior):
    S, z = CappedSimplex(0.5, prior), np.array([1.0, np.nan, 0.0])
    assert np.isnan(S.support_value(z))
    assert np.isnan(S.project(np.full(3, np.nan))).any()
    assert not S.contains(z)


@pytest.mark.parametrize("alpha", [*(1 - 10.0**-k for k in range(1, 13)), 1e-9, 1e-15, 1e-100, 1e-280])
def test_center_near_a_point_and_far_from_one(alpha):
    """The center is in the set for every alpha; up to 1 - alpha = 1e-9 Newton's decrement of B is zero there."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = int(rng.integers(2, 12))
        prior = rng.dirichlet(np.full(n, rng.choice([0.3, 1.0, 5.0]))) + 1e-9
        S = CappedSimplex(alpha, prior / prior.sum())
        center = S.center(n)
        assert S.contains(center)
        if min(alpha, 1 - alpha) >= 1e-9:
            gradient, weights = S.barrier_gradient(center), 1 / S.barrier_hessian(center)
            assert gradient**2 @ weights - (gradient @ weights) ** 2 / weights.sum() <= 1e-8
