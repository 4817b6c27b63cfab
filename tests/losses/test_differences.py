"""Finite differences, and the check of a Jacobian by them."""

from __future__ import annotations

import numpy as np
import pytest
from calls import Calls, cb2, quadratics
from hypothesis import given, settings
from hypothesis import strategies as st

import saddleback as sb
from saddleback.losses import check_jacobian, from_functions
from saddleback.losses.differences import Differences, central_differences

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


UNITS = 10.0 ** np.arange(-9, 10, 3)


@pytest.mark.parametrize(
    "start", [[0.3, -0.2, 0.7], [0.0, 0.0, 0.0], [1e-3, 1e-6, -1e-2]], ids=["near one", "zero", "small"]
)
@pytest.mark.parametrize("unit", UNITS)
def test_steps_suit_parameters_in_any_unit(unit, start):
    w0 = unit * np.array(start)
    jac = Differences(lambda w: smooth(w / unit)[0], w0)
    for w in (w0, w0 + unit * np.array([0.5, 0.9, -0.4])):
        G, exact = jac(w) * unit, smooth(w / unit)[1]
        np.testing.assert_allclose(G, exact, atol=1e-7)
        assert (np.abs(G - exact) <= unit * jac.error(w) + 1e-15).all(), "the error is not underestimated"


@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_steps_are_short_beside_parameters_that_are_far_from_zero(offset):
    w = offset + np.array([0.3, -0.2, 0.7])
    G = Differences(lambda v: smooth(v - offset)[0], w)(w)
    np.testing.assert_allclose(G, smooth(w - offset)[1], atol=1e-12 * offset + 1e-8)


def test_steps_are_longer_where_rounding_hides_the_change():
    jac = Differences(lambda w: 1e6 + smooth(w)[0], np.array([0.3, -0.2, 0.7]))
    np.testing.assert_allclose(jac(jac.w0), smooth(jac.w0)[1], atol=1e-5)
    np.testing.assert_allclose(jac(jac.w0 + 0.1), smooth(jac.w0 + 0.1)[1], atol=1e-5)


def test_steps_suit_losses_in_single_precision():
    jac = Differences(lambda w: smooth(w)[0].astype(np.float32), np.array([0.3, -0.2, 0.7]))
    np.testing.assert_allclose(jac(jac.w0), smooth(jac.w0)[1], atol=1e-3)


def test_steps_stay_inside_of_a_domain():
    def root(w):
        if (w < 0).any():
            raise ValueError("not defined")
        return np.sqrt(w)

    jac = Differences(root, np.array([1e-9]))
    assert jac(jac.w0)[0, 0] == pytest.approx(0.5 / np.sqrt(1e-9), rel=1e-6)


@pytest.mark.parametrize("w", [np.zeros(2), np.ones(2)])
def test_a_parameter_that_changes_nothing_costs_little(w):
    fun = Calls(lambda w: np.array([w[0] ** 2 + 1.0]))
    G = Differences(fun, w)(w)
    np.testing.assert_allclose(G, [[2 * w[0], 0.0]], atol=1e-9)
    assert fun.n <= 1 + 3 + 3 * 4


@pytest.mark.parametrize("unit", UNITS)
def test_runs_without_a_jacobian_do_not_depend_on_units(unit):
    """CB2 (Charalambous and Conn 1978) with its second parameter in other units."""

    def cb2(x):
        y = x[1] / unit
        with np.errstate(over="ignore"):
            return [x[0] ** 2 + y**4, (2 - x[0]) ** 2 + (2 - y) ** 2, 2 * np.exp(y - x[0])]

    with pytest.warns(UserWarning, match="no jac"):
        result = sb.minimax(cb2, [1.0, -0.1 * unit])
    assert result.certified
    assert result.value == pytest.approx(1.95222449387066, abs=1e-6)
    assert result.lower_bound <= 1.95222449387066 + 1e-9


def noisy(level):
    """CB2 as a simulation computes it, to so many digits."""
    return lambda w: np.round(np.asarray(cb2(w)[0]) / level) * level


@pytest.mark.parametrize("level", [1e-12, 1e-10, 1e-8, 1e-6])
def test_steps_are_longer_where_losses_carry_noise(level):
    w = np.array([0.31, 0.42])
    G = Differences(noisy(level), w)(w)
    np.testing.assert_allclose(G, cb2(w)[1], atol=20 * level ** (2 / 3))


@pytest.mark.parametrize("level", [1e-8, 1e-6])
def test_differences_that_cannot_tell_the_gap_end_no_run_as_converged(level):
    with pytest.warns(UserWarning, match="no jac"), pytest.warns(sb.ConvergenceWarning):
        result = sb.minimax(noisy(level), [0.31, 0.42], tol=1e-8)
    assert not result.success
    assert result.value == pytest.approx(1.95222449387066, abs=2 * level)
    if level == 1e-8:
        assert "finite differences for a Jacobian may be wrong by" in result.message


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
def test_the_check_does_not_depend_on_the_units_of_the_parameters(factor):
    def scaled(fun):
        return lambda w: (fun(w / factor)[0], fun(w / factor)[1] / factor)

    w0 = factor * np.array([0.3, 0.4])
    sb.from_functions(scaled(quadratics), w0, True, check_jac=True)
    with pytest.raises(sb.ProblemError, match="row 1 is not the gradient"):
        sb.from_functions(scaled(wrong(quadratics, 1, change=lambda x: -x)), w0, True, check_jac=True)


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
