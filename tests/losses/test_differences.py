"""Finite differences, and the check of a Jacobian by them."""

from __future__ import annotations

import numpy as np
import pytest
from calls import Calls, quadratics
from hypothesis import given, settings
from hypothesis import strategies as st

import saddleback as sb
from saddleback.losses import check_jacobian, from_functions
from saddleback.losses.differences import central_differences

PROPERTY = settings(derandomize=True, deadline=None, max_examples=60)


def smooth(w):
    """Three losses of three parameters with every kind of term."""
    x, y, z = w
    f = np.array([np.exp(x) + y * z, np.sin(y) + x**3, 5.0])
    return f, np.array([[np.exp(x), z, y], [3 * x**2, np.cos(y), 0.0], [0.0, 0.0, 0.0]])


@PROPERTY
@given(seed=st.integers(0, 10**6))
def test_central_differences_have_the_accuracy_of_their_order(seed):
    w = np.random.default_rng(seed).normal(size=3)
    G = central_differences(lambda v: smooth(v)[0], w)
    assert G.shape == (3, 3)
    np.testing.assert_allclose(G, smooth(w)[1], atol=1e-8 * (1 + np.abs(smooth(w)[0]).max()))


@pytest.mark.parametrize(("J", "d"), [(1, 1), (1, 3), (3, 1)])
def test_shapes_of_differences(J, d):
    B = np.arange(1.0, J * d + 1).reshape(J, d)
    np.testing.assert_allclose(central_differences(lambda w: B @ w, np.ones(d)), B, rtol=1e-8)


def test_differences_at_large_parameters_use_steps_of_their_size():
    G = central_differences(lambda w: w**2, np.array([1e8]))
    assert G[0, 0] == pytest.approx(2e8, rel=1e-6)


def wrong(fun, row, coordinate=0, change=lambda x: x + 1.0):
    def spoiled(w):
        f, G = fun(w)
        G = G.copy()
        G[row, coordinate] = change(G[row, coordinate])
        return f, G

    return spoiled


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("coordinate", [0, 1])
def test_the_wrong_row_and_coordinate_are_named(row, coordinate):
    fun = wrong(quadratics, row, coordinate)
    match = rf"row {row} is not the gradient of loss {row}: coordinate {coordinate} is .*disagree: \[{row}\]"
    with pytest.raises(sb.ProblemError, match=match):
        sb.minimax(fun, [0.3, 0.4], jac=True, check_jac=True)


def test_all_wrong_rows_are_listed():
    with pytest.raises(sb.ProblemError, match=r"rows that disagree: \[0, 2\]"):
        sb.minimax(lambda w: wrong(wrong(quadratics, 0), 2)(w), [0.3, 0.4], jac=True, check_jac=True)


@pytest.mark.parametrize("factor", [1e-12, 1e-8, 1.0, 1e8])
def test_the_check_does_not_depend_on_the_units_of_the_losses(factor):
    def scaled(fun):
        return lambda w: tuple(factor * x for x in fun(w))

    w0 = np.array([0.3, 0.4])
    sb.from_functions(scaled(quadratics), w0, True, check_jac=True)
    with pytest.raises(sb.ProblemError, match="row 1 is not the gradient"):
        sb.from_functions(scaled(wrong(quadratics, 1, change=lambda x: -x)), w0, True, check_jac=True)


def test_one_small_wrong_loss_among_large_ones():
    scale = np.array([1e6, 1e-6, 1.0])

    def fun(w):
        f, G = wrong(quadratics, 1, change=lambda x: -x)(w)
        return scale * f, scale[:, None] * G

    with pytest.raises(sb.ProblemError, match=r"disagree: \[1\]"):
        sb.from_functions(fun, [0.3, 0.4], True, check_jac=True)


@PROPERTY
@given(
    seed=st.integers(0, 10**6),
    factor=st.sampled_from([1e-10, 1e-5, 1.0, 1e5, 1e10]),
    size=st.sampled_from([1e-3, 1, 100]),
)
def test_correct_jacobians_pass(seed, factor, size):
    rng = np.random.default_rng(seed)
    B, a, offset = rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), rng.normal(size=3) * 100

    def fun(w):
        u = B @ w
        s = np.logaddexp(0, u)
        return factor * (s + a @ w + 0.5 * w @ w + offset), factor * (B / (1 + np.exp(-u))[:, None] + a + w)

    sb.from_functions(fun, size * rng.normal(size=4), True, check_jac=True)


@pytest.mark.parametrize(
    "fun",
    [
        pytest.param(lambda w: (w**3, np.diag(3 * w**2)), id="a cubic at its saddle"),
        pytest.param(lambda w: (w**4, np.diag(4 * w**3)), id="a quartic at its minimum"),
        pytest.param(lambda w: (np.full(2, 7.0), np.zeros((2, 2))), id="constants"),
        pytest.param(lambda w: (1e9 + w**2, np.diag(2 * w)), id="a large offset at the minimum"),
        pytest.param(lambda w: (np.cos(w), np.diag(-np.sin(w))), id="a maximum"),
    ],
)
def test_correct_jacobians_pass_where_gradients_vanish(fun):
    check_jacobian(from_functions(fun, np.zeros(2), True), np.zeros(2))


def test_nan_in_the_jacobian_is_wrong():
    fun = wrong(quadratics, 1, change=lambda x: np.nan)
    with pytest.raises(sb.ProblemError, match="row 1"):
        sb.from_functions(fun, [0.3, 0.4], True, check_jac=True)


def test_the_check_costs_nothing_unless_asked():
    fun = Calls(quadratics)
    from_functions(fun, [0.3, 0.4], True)
    assert fun.n == 1


def test_check_of_a_separate_jacobian_names_the_row():
    with pytest.raises(sb.ProblemError, match="row 2"):
        sb.minimax(lambda w: quadratics(w)[0], [0.3, 0.4], jac=lambda w: wrong(quadratics, 2)(w)[1], check_jac=True)
