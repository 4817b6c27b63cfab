"""Balls: support, projection and barrier in closed form, near the boundary above all."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from saddleback.dual_sets import DualSet
from saddleback.dual_sets.ball import Ball
from saddleback.errors import ProblemError
from saddleback.linalg.hessians import as_hessian

from .barriers import worst_ratio

EPS = float(np.finfo(np.float64).eps)
PROPERTY = settings(derandomize=True, deadline=None, max_examples=150)


@st.composite
def instances(draw):
    """A ball, a vector, and a generator."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, radius = draw(st.integers(1, 12)), 10.0 ** draw(st.integers(-3, 3))
    center = rng.normal() if draw(st.booleans()) else rng.normal(size=n)
    return Ball(center=center, radius=radius), rng.normal(size=n) * 10.0 ** draw(st.integers(-9, 9)), rng


def members(ball, n, rng, count=5, share=1.0):
    directions = rng.normal(size=(count, n))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return ball.center(n) + share * ball.radius * rng.uniform(0, 1, (count, 1)) * directions


@PROPERTY
@given(instance=instances())
def test_support_is_the_largest_linear_value(instance):
    ball, z, rng = instance
    n = z.size
    value, lam = ball.support(z)
    scale = 16 * n * EPS * (ball.radius + np.abs(ball.center(n)).max()) * np.linalg.norm(z)
    assert value == pytest.approx(ball.center(n) @ z + ball.radius * np.linalg.norm(z), abs=scale)
    assert lam @ z == pytest.approx(value, abs=scale)
    assert ball.contains(lam, tol=8 * EPS)
    assert (members(ball, n, rng) @ z).max() <= value + scale
    for mu in members(ball, n, rng):
        assert ball.regret(mu, z) == pytest.approx(value - mu @ z, abs=4 * scale)
    np.testing.assert_allclose(ball.bounds(n), DualSet.bounds(ball, n), atol=16 * EPS * (ball.radius + 4))


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e200, 1e307])
def test_support_of_tiny_and_huge_losses(size):
    _, lam = Ball(1.0, 2.0).support(np.array([size, size]))
    np.testing.assert_allclose(lam, 1 + np.sqrt(2), rtol=8 * EPS)


def test_support_of_nothing_is_the_center():
    value, lam = Ball([1.0, 2.0], 3.0).support(np.zeros(2))
    assert value == 0.0
    np.testing.assert_array_equal(lam, [1.0, 2.0])


@PROPERTY
@given(instance=instances())
def test_projection_satisfies_the_variational_inequality(instance):
    """p is the projection of x exactly when <x - p, v - p> <= 0 for every v of the set."""
    ball, x, _ = instance
    p = ball.project(x)
    assert ball.contains(p, tol=8 * EPS)
    scale = max(1.0, ball.radius, np.abs(x).max())
    assert ball.regret(p, x - p) <= 64 * x.size * EPS * scale * max(1.0, ball.radius)
    np.testing.assert_allclose(ball.project(p), p, atol=4 * EPS * max(1.0, ball.radius, np.abs(p).max()))
    np.testing.assert_array_equal(ball.restore(x), p)


@pytest.mark.parametrize("seed", range(4))
def test_projection_and_support_agree_with_cvxpy(seed):
    rng = np.random.default_rng(seed)
    center, radius, x = rng.normal(size=5), rng.uniform(0.1, 3), 3 * rng.normal(size=5)
    ball, v = Ball(center, radius), cp.Variable(5)
    constraints = [cp.norm(v - center) <= radius]
    cp.Problem(cp.Minimize(cp.sum_squares(v - x)), constraints).solve(solver="CLARABEL")
    np.testing.assert_allclose(ball.project(x), v.value, atol=1e-5)
    assert ball.support(x)[0] == pytest.approx(cp.Problem(cp.Maximize(x @ v), constraints).solve(solver="CLARABEL"))


@PROPERTY
@given(instance=instances())
def test_barrier_derivatives_are_those_of_finite_differences(instance):
    ball, z, rng = instance
    n = z.size
    lam = members(ball, n, rng, 1, share=0.9)[0]
    gradient, hessian = ball.barrier_gradient(lam), as_hessian(ball.barrier_hessian(lam)).dense()
    step = 1e-5 * ball.radius
    differences = 0.5 * sum(approx_fprime(lam, ball.barrier, sign * step) for sign in (1, -1))
    np.testing.assert_allclose(gradient, differences, rtol=1e-5, atol=1e-6 / ball.radius)
    second = 0.5 * sum(np.atleast_2d(approx_fprime(lam, ball.barrier_gradient, s * step)) for s in (1, -1))
    np.testing.assert_allclose(hessian, second, rtol=1e-5, atol=1e-6 * hessian.max())


@PROPERTY
@given(instance=instances())
def test_barrier_inequality_with_parameter_nu(instance):
    """<B'(x), y - x> <= nu, and B'(x)' B''(x)^-1 B'(x) <= nu (Nesterov, 5.3)."""
    ball, z, rng = instance
    for share in (0.1, 1 - 1e-3, 1 - 1e-9):
        x = members(ball, z.size, rng, 1, share)[0]
        gradient = ball.barrier_gradient(x)
        assert worst_ratio(ball, x) <= ball.barrier_parameter(z.size) * (1 + 1e-6)
        assert (gradient @ (members(ball, z.size, rng) - x).T).max() <= ball.barrier_parameter(z.size) * (1 + 1e-6)


def test_slack_near_the_boundary_keeps_its_digits():
    """At the distance 2^-40 from a boundary point that is exact: the slack is 2^-39 - 2^-80."""
    ball, delta = Ball(np.zeros(2), 1.0), 2.0**-40
    lam = np.array([1.0 - delta, 0.0])
    assert ball.barrier(lam) == pytest.approx(-np.log(2 * delta - delta**2), rel=4 * EPS)
    assert ball.barrier_gradient(lam)[0] == pytest.approx(2 * lam[0] / (2 * delta - delta**2), rel=8 * EPS)


@pytest.mark.parametrize("lam", [[3.0, 2.0], [5.0, 2.0], [np.nan, 2.0]])
def test_barrier_is_infinite_on_the_boundary_and_beyond(lam):
    assert Ball([1.0, 2.0], 2.0).barrier(np.array(lam)) == np.inf


def test_center_is_the_argument_and_minimizes_the_barrier():
    ball = Ball(center=[1.0, -2.0], radius=3.0)
    center = ball.center(2)
    np.testing.assert_array_equal(center, [1.0, -2.0])
    np.testing.assert_array_equal(ball.barrier_gradient(center), 0.0)
    np.testing.assert_array_equal(Ball(0.5, 1.0).center(3), [0.5] * 3)
    assert ball.affine_hull(2)[0].shape == (0, 2)
    z = np.array([3.0, 4.0])
    assert ball.tangent_part(z) is z
    center[:] = 0
    assert ball.center(2)[0] == 1.0, "callers get copies"


def test_single_point():
    ball, z = Ball([1.0, 2.0], 0), np.array([3.0, -1.0])
    E, e = ball.affine_hull(2)
    np.testing.assert_array_equal(E, np.eye(2))
    for lam in (e, ball.center(2), ball.support(z)[1], ball.project(z), ball.restore(z), *ball.bounds(2)):
        np.testing.assert_array_equal(lam, [1.0, 2.0])
    assert ball.support(z)[0] == 1.0
    assert ball.barrier(e) == 0.0
    np.testing.assert_array_equal(ball.barrier_gradient(e), 0.0)
    np.testing.assert_array_equal(ball.barrier_hessian(e), 1.0)
    np.testing.assert_array_equal(ball.tangent_part(z), 0.0)
    assert ball.contains(e)
    assert not ball.contains(z)


@pytest.mark.parametrize(
    ("lam", "inside"), [([1.0, 0.0], True), ([0.8, 0.6], True), ([1.0, 1e-4], False), ([np.nan, 0.0], False)]
)
def test_contains(lam, inside):
    assert Ball(0.0, 1.0).contains(np.array(lam)) is inside


def test_weight_range():
    low, high = Ball(2.0, 1.0).weight_range(4)
    assert (low, high) == (pytest.approx(6.0), pytest.approx(10.0))
    assert Ball(0.0, 1.0).weight_range(2) == (0.0, 2.0)


def test_size_and_repr():
    assert Ball(0, 1).size is None
    assert Ball([0, 1, 2], 1).size == 3
    assert repr(Ball(center=[0, 1], radius=2)) == "Ball(center=[0.0, 1.0], radius=2.0)"
    assert repr(Ball(0, 1)) == "Ball(center=0.0, radius=1.0)"
    assert "length 100" in repr(Ball(np.zeros(100), 1))
    Ball(0, 1).validate(7)
    with pytest.raises(ProblemError, match="3 entries for 2 losses"):
        Ball([0, 1, 2], 1).validate(2)
    with pytest.raises(ProblemError, match=r"R\^0 is empty"):
        Ball(0, 1).validate(0)


@pytest.mark.parametrize(
    ("center", "radius", "message"),
    [
        (0, -1, "radius of Ball must be a finite number >= 0; got -1"),
        (0, np.nan, "radius of Ball"),
        (0, np.inf, "radius of Ball"),
        (0, None, "radius of Ball"),
        (np.nan, 1, "center of Ball"),
        ([0, np.inf], 1, "center of Ball must be finite; got inf at position 1"),
        ([], 1, "center of Ball must be a non-empty vector"),
        ("a", 1, "center of Ball"),
        (None, 1, "center of Ball"),
    ],
)
def test_bad_input_is_refused(center, radius, message):
    with pytest.raises(ProblemError, match=message):
        Ball(center=center, radius=radius)
