"""Boxes: bounds of all kinds, fixed coordinates, clipping, and entropies where weights cannot be negative."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.special import rel_entr

from saddleback.dual_sets import DualSet
from saddleback.dual_sets.box import Box
from saddleback.errors import IncompatibleError, ProblemError

from .barriers import worst_ratio

EPS = float(np.finfo(np.float64).eps)
PROPERTY = settings(derandomize=True, deadline=None, max_examples=150)


@st.composite
def instances(draw):
    """A box, of which some coordinates may be fixed, a vector, and a generator."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, scale = draw(st.integers(1, 12)), 10.0 ** draw(st.integers(-6, 6))
    kind = draw(st.sampled_from(["numbers", "vectors", "fixed", "mixed"]))
    z = rng.normal(size=n) * (rng.random(n) < 0.8)
    if kind == "numbers":
        return Box(-scale, 2 * scale), z, rng
    if kind == "mixed":
        return Box(-scale, scale * rng.uniform(0, 1, n)), z, rng
    lower = scale * rng.normal(size=n)
    width = scale * rng.uniform(0.1, 2, n) * (1 if kind == "vectors" else rng.random(n) < 0.6)
    return Box(lower, lower + width), z, rng


def members(box, n, rng, count=5):
    lower, upper = box.bounds(n)
    return [np.clip(lower + rng.uniform(-0.3, 1.3, n) * (upper - lower), lower, upper) for _ in range(count)]


def interior(box, n, rng):
    lower, upper = box.bounds(n)
    return np.clip(lower + rng.uniform(0.1, 0.9, n) * (upper - lower), lower, upper)


@PROPERTY
@given(instance=instances())
def test_support_is_the_largest_linear_value(instance):
    box, z, rng = instance
    n = z.size
    lower, upper = box.bounds(n)
    value, lam = box.support(z)
    slack = 4 * n * EPS * max(np.abs(lower).max(), np.abs(upper).max()) * max(np.abs(z).max(), 1.0)
    assert value == pytest.approx(np.maximum(lower * z, upper * z).sum(), abs=slack)
    assert box.support_value(z) == value
    assert box.contains(lam, tol=0.0)
    assert max(mu @ z for mu in members(box, n, rng)) <= value + slack
    assert all(box.regret(mu, z) == pytest.approx(value - mu @ z, abs=2 * slack) for mu in members(box, n, rng))
    np.testing.assert_allclose(DualSet.bounds(box, n), (lower, upper), rtol=4 * EPS)


def test_losses_of_zero_get_the_middle():
    value, lam = Box([-1.0, 0.0, 2.0], [1.0, 3.0, 4.0]).support(np.array([0.0, -1.0, 0.5]))
    assert value == 2.0
    np.testing.assert_array_equal(lam, [0.0, 0.0, 4.0])


@PROPERTY
@given(instance=instances())
def test_projection_satisfies_the_variational_inequality(instance):
    """p is the projection of x exactly when <x - p, v - p> <= 0 for every v of the set."""
    box, z, rng = instance
    lower, upper = box.bounds(z.size)
    x = 3 * z * max(np.abs(lower).max(), np.abs(upper).max())
    p = box.project(x)
    assert box.contains(p, tol=0.0)
    assert all((x - p) @ (v - p) <= 0 for v in members(box, z.size, rng))
    np.testing.assert_array_equal(box.restore(p), p)


@pytest.mark.parametrize("seed", range(5))
def test_projection_and_tilt_agree_with_cvxpy(seed):
    rng = np.random.default_rng(seed)
    n = 6
    lower = rng.uniform(0, 1, n)
    upper = lower + rng.uniform(0, 2, n) * (rng.random(n) < 0.8)
    box, x, prior = Box(lower, upper), 2 * rng.normal(size=n), rng.uniform(0.1, 2, n)
    v = cp.Variable(n)
    constraints = [v >= lower, v <= upper]
    cp.Problem(cp.Minimize(cp.sum_squares(v - x)), constraints).solve(solver="CLARABEL")
    np.testing.assert_allclose(box.project(x), v.value, atol=1e-6)
    best = cp.Problem(cp.Maximize(x @ v - cp.sum(cp.rel_entr(v, prior))), constraints).solve(solver="CLARABEL")
    lam = box.tilt(prior, x)
    assert lam @ x - rel_entr(lam, prior).sum() == pytest.approx(best, abs=1e-6)
    np.testing.assert_allclose(lam, v.value, atol=1e-4)


def test_tilt_survives_huge_losses():
    lam = Box(0.0, [1.0, 2.0, 3.0, 4.0]).tilt(np.array([1e-300, 1.0, 2.0, 1.0]), np.array([1e6, -1e6, 1.0, -np.inf]))
    np.testing.assert_allclose(lam, [1.0, 0.0, 2.0, 0.0])


@pytest.mark.parametrize(("box", "position"), [(Box(-1, 1), 0), (Box([0.0, -2.0, 0.0], 1.0), 1)])
def test_entropies_need_weights_that_are_not_negative(box, position):
    with pytest.raises(IncompatibleError, match=rf"at position {position}.*>= 0"):
        box.tilt(np.ones(3), np.ones(3))


@PROPERTY
@given(instance=instances())
def test_barrier_derivatives_are_those_of_finite_differences(instance):
    """On the affine hull; across it the Hessian only has to be positive."""
    box, z, rng = instance
    n = z.size
    lam, (lower, upper) = interior(box, n, rng), box.bounds(n)
    free = upper > lower
    gradient, hessian = box.barrier_gradient(lam), box.barrier_hessian(lam)
    assert (hessian > 0).all()
    assert box.barrier_parameter(n) == free.sum()
    np.testing.assert_array_equal(gradient[~free], 0)
    if not free.any():
        assert box.barrier(lam) == 0
        return
    step = 1e-5 * (upper - lower)[free].min()
    differences = 0.5 * sum(approx_fprime(lam, box.barrier, sign * step) for sign in (1, -1))
    np.testing.assert_allclose(gradient, differences, rtol=1e-5, atol=1e-5 * np.sqrt(hessian[free].max()))
    second = 0.5 * sum(np.atleast_2d(approx_fprime(lam, box.barrier_gradient, s * step)) for s in (1, -1))
    np.testing.assert_allclose(
        np.diag(hessian)[free][:, free], second[free][:, free], rtol=1e-5, atol=1e-6 * hessian[free].max()
    )


@PROPERTY
@given(instance=instances())
def test_barrier_inequality_with_parameter_nu(instance):
    """<B'(x), y - x> <= nu and <B'(x), h>^2 <= nu B''(x)[h, h] for h within the hull (Nesterov, 5.3)."""
    box, z, rng = instance
    x = interior(box, z.size, rng)
    nu, gradient = box.barrier_parameter(z.size), box.barrier_gradient(x)
    for y in members(box, z.size, rng):
        assert gradient @ (y - x) <= nu * (1 + 1e-9)
    assert worst_ratio(box, x) <= nu * (1 + 1e-9)


@PROPERTY
@given(instance=instances())
def test_center_hull_and_constraints_describe_the_set(instance):
    box, z, rng = instance
    n = z.size
    center, (E, e), (lower, upper) = box.center(n), box.affine_hull(n), box.bounds(n)
    fixed = lower == upper
    assert len(E) == fixed.sum()
    np.testing.assert_allclose(E @ center, e)
    np.testing.assert_allclose(box.barrier_gradient(center) * (upper - lower), 0, atol=1e-9)
    assert np.isfinite(box.barrier(center))
    tangent = box.tangent_part(z)
    for a, b in zip(members(box, n, rng), members(box, n, rng), strict=True):
        scale = max(np.abs(lower).max(), np.abs(upper).max())
        assert (a - b) @ tangent == pytest.approx((a - b) @ z, abs=1e-12 * scale)
    constraints = box.linear_constraints(n)
    assert not np.isfinite(constraints.lower[fixed]).any()
    np.testing.assert_array_equal(constraints.lower[~fixed], lower[~fixed])
    np.testing.assert_array_equal(constraints.upper[~fixed], upper[~fixed])
    np.testing.assert_array_equal(constraints.E, E)


@pytest.mark.parametrize("lam", [[0.0, 0.5], [1.0, 0.5], [2.0, 0.5], [np.nan, 0.5]])
def test_barrier_is_infinite_on_the_boundary_and_beyond(lam):
    assert Box(0, 1).barrier(np.array(lam)) == np.inf


def test_bounds_that_rounding_cannot_tell_apart_are_one():
    box = Box([1.0, 0.0], [np.nextafter(1.0, 2.0), 1.0])
    assert len(box.affine_hull(2)[0]) == 1
    assert np.isfinite(box.barrier(box.center(2)))


@pytest.mark.parametrize(
    ("lam", "inside"),
    [
        ([0.0, 1.0], True),
        ([-1e-6, 0.0], False),
        ([0.5, 1.0 + 1e-6], False),
        ([np.nan, 0.0], False),
        ([np.inf, 0], False),
    ],
)
def test_contains(lam, inside):
    assert Box(0, 1).contains(np.array(lam)) is inside


def test_weight_range():
    assert Box([0.0, 1.0], 2.0).weight_range(2) == (1.0, 4.0)
    assert Box([-3.0, 1.0], 2.0).weight_range(2) == (0.0, 5.0)


def test_size():
    assert Box(0, 1).size is None
    assert Box(0, [1, 2, 3]).size == Box([0, 0, 0], 1).size == 3
    for n in (1, 5):
        Box(0, 1).validate(n)
    with pytest.raises(ProblemError, match="3 entries for 4 losses"):
        Box(0, [1, 2, 3]).validate(4)
    with pytest.raises(ProblemError, match=r"R\^0 is empty"):
        Box(0, 1).validate(0)


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        (1, 0, "lower bound 1 is above its upper bound 0"),
        ([0.0, 3.0], [1.0, 2.0], "lower bound 3 is above its upper bound 2 at position 1"),
        (5.0, [6.0, 2.0], "at position 1"),
        ([0, 0], [1, 1, 1], "got 2 lower and 3 upper"),
        (0, np.inf, "upper bound of Box must be a finite number"),
        (-np.inf, 1, "lower bound of Box must be a finite number"),
        ([0, np.nan], 1, "lower bound of Box must be finite; got nan at position 1"),
        (None, 1, "lower bound of Box must be a number"),
        (0, "one", "upper bound of Box must be a number"),
        ([], [], "non-empty vector"),
        ([[0.0]], 1, "non-empty vector"),
    ],
)
def test_bad_bounds_are_refused(lower, upper, message):
    with pytest.raises(ProblemError, match=message):
        Box(lower, upper)


def test_no_matrix_of_the_size_of_all_losses_is_formed():
    """Fifty thousand losses squared are 20 GB."""
    lower = np.zeros(50_000)
    upper = np.full(50_000, 0.5)
    upper[[3, 49_999]] = 0.0
    E, e = Box(lower, upper).affine_hull(50_000)
    assert E.shape == (2, 50_000)
    np.testing.assert_array_equal(np.argmax(E, axis=1), [3, 49_999])
    np.testing.assert_array_equal(E.sum(axis=1), 1.0)
    np.testing.assert_array_equal(e, 0.0)
