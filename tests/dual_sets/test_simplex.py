"""The simplex: projection, tilt, support, barrier, against independent solvers and as properties."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import approx_fprime

import saddleback as sb
from saddleback.dual_sets import DUAL_SETS, DualSet, Simplex
from saddleback.dual_sets.simplex import _threshold, _threshold_of_few

from .barriers import worst_ratio

EPS = float(np.finfo(np.float64).eps)
PROPERTY = settings(derandomize=True, deadline=None, max_examples=150)
SIMPLEX = Simplex()


def vectors(magnitude=1e6):
    return st.integers(1, 12).flatmap(
        lambda n: arrays(np.float64, n, elements=st.floats(-magnitude, magnitude, allow_subnormal=False))
    )


def mixtures(seed, n, count, concentration=0.5):
    return np.random.default_rng(seed).dirichlet(np.full(n, concentration), count)


@PROPERTY
@given(x=vectors())
def test_projection_is_in_the_set_and_satisfies_the_variational_inequality(x):
    """p is the projection of x exactly when <x - p, v - p> <= 0 for every v; on a polytope, for every vertex."""
    p = SIMPLEX.project(x)
    assert SIMPLEX.contains(p)
    assert p.min() >= 0
    slack = 32 * x.size * EPS * max(1.0, np.ptp(x)) * x.size
    # What all entries share would cost this check the digits that it is about.
    x = x - x.max()
    assert ((x - p) - (x - p) @ p).max() <= slack


@PROPERTY
@given(x=vectors(100.0), shift=st.floats(-1e6, 1e6))
def test_projection_ignores_a_shift_along_one(x, shift):
    """The projection ignores a shift by a multiple of the vector of ones."""
    moved = x + shift
    np.testing.assert_allclose(
        SIMPLEX.project(moved), SIMPLEX.project(moved - shift), atol=32 * EPS * (1 + abs(shift) + 100)
    )


@PROPERTY
@given(seed=st.integers(0, 10**6), n=st.integers(1, 12))
def test_projection_leaves_points_of_the_set_alone(seed, n):
    lam = mixtures(seed, n, 1)[0]
    np.testing.assert_allclose(SIMPLEX.project(lam), lam, atol=8 * EPS)


@pytest.mark.parametrize("seed", range(5))
def test_projection_agrees_with_cvxpy(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=6) * 10.0 ** rng.integers(-1, 2)
    v = cp.Variable(6)
    cp.Problem(cp.Minimize(cp.sum_squares(v - x)), [v >= 0, cp.sum(v) == 1]).solve(solver="CLARABEL")
    np.testing.assert_allclose(SIMPLEX.project(x), v.value, atol=1e-6)


@PROPERTY
@given(x=vectors())
def test_thresholds_of_few_and_of_many_numbers_are_the_same(x):
    x = x - x.max()
    assert _threshold_of_few(x) == _threshold(x)


@pytest.mark.parametrize("threshold", [_threshold, _threshold_of_few])
def test_what_is_not_a_number_has_no_threshold(threshold):
    assert np.isnan(threshold(np.full(3, np.nan)))


@PROPERTY
@given(z=vectors(), seed=st.integers(0, 10**6))
def test_regret_is_what_the_best_response_gains(z, seed):
    lam = mixtures(seed, z.size, 1)[0]
    value, best = SIMPLEX.support(z)
    assert SIMPLEX.support_value(z) == value
    slack = 16 * EPS * np.abs(z).max() * z.size
    assert SIMPLEX.regret(lam, z) == pytest.approx((best - lam) @ z, abs=slack)
    assert SIMPLEX.regret(lam, z) == pytest.approx(DualSet.regret(SIMPLEX, lam, z), abs=slack)
    assert SIMPLEX.regret(best, z) == 0.0


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([7.0], [1.0]),
        ([1.0, 1.0], [0.5, 0.5]),
        ([5.0, 0.0], [1.0, 0.0]),
        ([-3.0, -3.0, -10.0], [0.5, 0.5, 0.0]),
        ([0.6, 0.5, -1.0], [0.55, 0.45, 0.0]),
        ([1e308, -1e308], [1.0, 0.0]),
    ],
)
def test_projection_by_hand(x, expected):
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(SIMPLEX.project(np.array(x)), expected, atol=4 * EPS)


@PROPERTY
@given(z=vectors(), seed=st.integers(0, 10**6))
def test_support_is_the_largest_linear_value(z, seed):
    value, lam = SIMPLEX.support(z)
    assert value == z.max()
    assert SIMPLEX.contains(lam)
    assert lam @ z == pytest.approx(value, rel=8 * EPS, abs=1e-300)
    assert (mixtures(seed, z.size, 20) @ z).max() <= value + 8 * EPS * np.abs(z).max()


def test_support_shares_the_weight_of_ties():
    value, lam = SIMPLEX.support(np.array([2.0, 1.0, 2.0, 2.0]))
    assert value == 2.0
    np.testing.assert_array_equal(lam, [1 / 3, 0, 1 / 3, 1 / 3])


@PROPERTY
@given(seed=st.integers(0, 10**6), n=st.integers(1, 10), scale=st.floats(1e-3, 1e3))
def test_tilt_maximizes_the_linear_term_less_the_divergence(seed, n, scale):
    """<lam, z> - KL(lam, prior) at the tilt is log sum prior exp(z), and no mixture does better."""
    rng = np.random.default_rng(seed)
    prior, z = rng.dirichlet(np.ones(n)), rng.normal(size=n) * scale
    R = sb.Entropy(1.0, prior=prior)
    lam = SIMPLEX.tilt(prior, z)
    assert SIMPLEX.contains(lam)
    best = lam @ z - R.value(lam)
    slack = 64 * n * EPS * (1 + np.abs(z).max())
    assert best == pytest.approx(z.max() + np.log(prior @ np.exp(z - z.max())), abs=slack)
    assert max(mu @ z - R.value(mu) for mu in mixtures(seed, n, 20)) <= best + slack


def test_tilt_survives_huge_losses():
    np.testing.assert_allclose(SIMPLEX.tilt(np.array([0.5, 0.5]), np.array([1e300, -1e300])), [1.0, 0.0])


@PROPERTY
@given(seed=st.integers(0, 10**6), n=st.integers(1, 10), noise=st.floats(0, 1e-6))
def test_restore_gives_a_point_of_the_set_nearby(seed, n, noise):
    rng = np.random.default_rng(seed)
    lam = rng.dirichlet(np.full(n, 0.3))
    almost = lam + noise * rng.uniform(-1, 1, n)
    restored = SIMPLEX.restore(almost)
    assert SIMPLEX.contains(restored, tol=4 * EPS)
    assert restored.min() >= 0
    assert np.abs(restored - almost).max() <= 2 * (n + 1) * noise + 8 * EPS


@pytest.mark.parametrize(
    ("lam", "inside"),
    [
        ([1.0], True),
        ([0.5, 0.5], True),
        ([1.0, 0.0], True),
        ([0.5, 0.5 + 1e-6], False),
        ([1.0 + 1e-6, -1e-6], False),
        ([2.0, -1.0], False),
        ([0.0, 0.0], False),
        ([np.nan, 1.0], False),
        ([np.nan, np.nan], False),
        ([np.inf, -np.inf], False),
    ],
)
def test_contains(lam, inside):
    with np.errstate(invalid="ignore"):
        assert SIMPLEX.contains(np.array(lam)) is inside


def test_contains_has_the_tolerance_that_is_asked():
    assert SIMPLEX.contains(np.array([0.5, 0.51]), tol=0.1)
    assert not SIMPLEX.contains(np.array([0.5, 0.51]), tol=1e-3)


@PROPERTY
@given(z=vectors(1e3), seed=st.integers(0, 10**6))
def test_strip_changes_linear_functions_by_a_constant(z, seed):
    tangent = SIMPLEX.tangent_part(z)
    lam, mu = mixtures(seed, z.size, 2)
    assert (lam - mu) @ tangent == pytest.approx((lam - mu) @ z, abs=1e-9)
    assert np.abs(tangent).max() <= np.ptp(z) * (1 + EPS)


def interior(seed, n):
    return np.random.default_rng(seed).dirichlet(np.full(n, 2.0)) * 0.9 + 0.1 / n


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_barrier_derivatives_are_those_of_finite_differences(n):
    lam = interior(n, n)
    step = 1e-6 * lam.min()
    gradient, hessian = SIMPLEX.barrier_gradient(lam), SIMPLEX.barrier_hessian(lam)
    differences = 0.5 * sum(approx_fprime(lam, SIMPLEX.barrier, sign * step) for sign in (1, -1))
    np.testing.assert_allclose(gradient, differences, rtol=1e-6)
    second = 0.5 * sum(np.atleast_2d(approx_fprime(lam, SIMPLEX.barrier_gradient, s * step)) for s in (1, -1))
    np.testing.assert_allclose(np.diag(hessian), second, rtol=1e-6, atol=1e-6 * hessian.max())


@PROPERTY
@given(seed=st.integers(0, 10**6), n=st.integers(2, 12))
def test_barrier_inequality_with_parameter_nu(seed, n):
    """<B'(x), y - x> <= nu for x, y in the interior; Newton's decrement of B on the hull is n - 1/sum x^2 <= nu."""
    x, y = interior(seed, n), mixtures(seed + 1, n, 1)[0]
    nu = SIMPLEX.barrier_parameter(n)
    gradient = SIMPLEX.barrier_gradient(x)
    assert gradient @ (y - x) <= nu * (1 + 1e-12)
    squared = worst_ratio(SIMPLEX, x)
    assert squared == pytest.approx(n - 1 / (x @ x), abs=1e-12 * n / (x @ x))
    assert squared <= nu * (1 + 1e-12)


@PROPERTY
@given(seed=st.integers(0, 10**6), n=st.integers(2, 8))
def test_barrier_is_self_concordant(seed, n):
    """|B'''[h, h, h]| <= 2 (B''[h, h])^(3/2) along every direction."""
    x, h = interior(seed, n), np.random.default_rng(seed).normal(size=n)
    third = -2 * (h / x) ** 3
    assert abs(third.sum()) <= 2 * (SIMPLEX.barrier_hessian(x) @ h**2) ** 1.5 * (1 + 1e-12)
    step = 1e-6 * x.min() / np.abs(h).max()
    measured = (SIMPLEX.barrier_hessian(x + step * h) - SIMPLEX.barrier_hessian(x - step * h)) @ h**2 / (2 * step)
    assert measured == pytest.approx(third.sum(), rel=1e-4, abs=1e-4 * np.abs(third).sum())


@pytest.mark.parametrize("lam", [[1.0, 0.0], [1.5, -0.5]])
def test_barrier_is_infinite_on_the_boundary_and_beyond(lam):
    assert SIMPLEX.barrier(np.array(lam)) == np.inf


@pytest.mark.parametrize("n", [1, 2, 7])
def test_center_minimizes_the_barrier(n):
    center = SIMPLEX.center(n)
    assert SIMPLEX.contains(center)
    for seed in range(20):
        assert SIMPLEX.barrier(interior(seed, n)) >= SIMPLEX.barrier(center) - 1e-12
    E, e = SIMPLEX.affine_hull(n)
    assert np.linalg.matrix_rank(np.vstack([E, SIMPLEX.barrier_gradient(center)])) == 1, "B' is normal to the hull"
    np.testing.assert_allclose(E @ center, e)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_polyhedral_description_is_the_set(n):
    constraints = SIMPLEX.linear_constraints(n)
    assert np.linalg.matrix_rank(constraints.E) == len(constraints.E)
    rng = np.random.default_rng(n)
    for lam in [*rng.dirichlet(np.full(n, 0.3), 20), *rng.normal(size=(20, n)), *(rng.dirichlet(np.ones(n), 5) + 0.1)]:
        equal = np.abs(constraints.E @ lam - constraints.e).max() < 1e-12
        within = (constraints.lower <= lam).all() and (lam <= constraints.upper).all()
        assert (equal and within) == SIMPLEX.contains(lam)


@pytest.mark.parametrize("n", [0, -1])
def test_empty_simplex_is_refused(n):
    with pytest.raises(sb.ProblemError, match=rf"simplex in R\^{n} is empty"):
        SIMPLEX.validate(n)


def test_registry_holds_sets():
    assert Simplex in DUAL_SETS
    assert all(issubclass(kind, DualSet) for kind in DUAL_SETS)
    assert Simplex() == Simplex()
    assert hash(Simplex()) == hash(Simplex())
