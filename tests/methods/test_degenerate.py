"""Problems at the edge: one loss, one parameter, duplicates, constants, solved at the start, extreme units."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from calls import ALL_METHODS, CIRCLE, Calls, cb2, parabola, quadratics, quietly, regularizer_for

import saddleback as sb

FAST = ("accelerated", "prox-linear", "fixed-point")


def solved(fun, w0, method="accelerated", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return sb.minimax(fun, w0, jac=True, method=method, **options)


@pytest.mark.parametrize("method", ALL_METHODS)
def test_one_loss(method):
    """g = f whatever R, up to R at the only mixture, which is 0."""
    result = solved(lambda w: ((w - 1) @ (w - 1), 2 * w - 2), np.zeros(4), method, regularizer=regularizer_for(method))
    assert result.value == pytest.approx(0.0, abs=1e-6)
    np.testing.assert_array_equal(result.dual, [1.0])


@pytest.mark.parametrize("method", ALL_METHODS)
def test_one_loss_of_one_parameter(method):
    result = solved(lambda w: ((w[0] - 3) ** 2, 2 * w[0] - 6), 0.0, method, regularizer=regularizer_for(method))
    assert result.value == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("method", FAST)
def test_one_parameter(method):
    assert solved(parabola, [7.0], method).value == pytest.approx(0.25, abs=1e-6)


@pytest.mark.parametrize("method", FAST)
@pytest.mark.parametrize("copies", [2, 7, 60])
def test_duplicate_losses(method, copies):
    def fun(w):
        f, G = quadratics(w)
        return np.tile(f, copies), np.tile(G, (copies, 1))

    result = solved(fun, [2.0, 1.0], method)
    assert result.value == pytest.approx(CIRCLE, abs=1e-6)
    assert sb.Simplex().contains(result.dual, tol=1e-9)


@pytest.mark.parametrize("method", ALL_METHODS)
def test_all_losses_equal(method):
    R = regularizer_for(method)
    result = solved(lambda w: (np.full(5, w @ w), np.tile(2 * w, (5, 1))), [1.0, 2.0], method, regularizer=R)
    assert result.value == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("method", FAST)
def test_equal_gradients_and_different_heights(method):
    """f_j = |w|^2/2 + c_j: the highest decides, everywhere."""
    c = np.array([1.0, 3.0, 2.0])
    result = solved(lambda w: (0.5 * w @ w + c, np.tile(w, (3, 1))), [1.0, -2.0], method)
    assert result.value == pytest.approx(3.0, abs=1e-6)
    np.testing.assert_allclose(result.dual, [0, 1, 0], atol=1e-9)


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("heights", [[2.0], [0.0], [1.0, -3.0, 1.0], [0.0, 0.0], [-1e9, 1e9]])
def test_constant_losses_are_solved_at_once(method, heights):
    fun = Calls(lambda w: (heights, np.zeros((len(heights), 2))))
    R = regularizer_for(method)
    result = solved(fun, [1.0, 1.0], method, regularizer=R)
    assert result.value == pytest.approx(
        sb.Problem(sb.from_functions(fun, [1.0, 1.0], True), regularizer=R).value([0, 0])
    )
    assert result.gap == 0
    assert result.n_iter == 0
    np.testing.assert_array_equal(result.w, [1.0, 1.0])


@pytest.mark.parametrize("method", FAST)
def test_one_constant_loss_among_others(method):
    """max(|w|^2, 1): flat around the optimum."""
    result = solved(lambda w: ([w @ w, 1.0], [2 * w, 0 * w]), [3.0, 4.0], method)
    assert result.value == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("method", ALL_METHODS)
def test_a_parameter_that_no_loss_depends_on_stays(method):
    def fun(w):
        f, G = quadratics(w[:2])
        return f, np.hstack([G, np.zeros((3, 1))])

    result = solved(fun, [2.0, 1.0, 7.0], method, regularizer=regularizer_for(method), tol=1e-2, max_iter=5000)
    # Averages of 7 and 7 are 7 up to rounding.
    assert result.w[2] == pytest.approx(7.0, rel=1e-14)


@pytest.mark.parametrize("method", FAST)
def test_the_start_is_the_optimum(method):
    far = solved(quadratics, [2.0, 1.0], method, tol=1e-10)
    result = solved(quadratics, far.w, method)
    assert result.n_iter <= 5
    assert result.value <= far.value


@pytest.mark.parametrize("method", ALL_METHODS)
def test_the_start_is_the_optimum_of_a_smooth_loss(method):
    fun = Calls(lambda w: (0.5 * w @ w, w))
    result = solved(fun, np.zeros(3), method, regularizer=regularizer_for(method))
    assert (result.n_iter, result.gap) == (0, 0.0)
    np.testing.assert_array_equal(result.w, np.zeros(3))


@pytest.mark.parametrize("method", FAST)
@pytest.mark.parametrize("factor", [1e-100, 1e-30, 1e-8, 1e8, 1e30, 1e100])
def test_units_of_the_losses(method, factor):
    """Multiplying f and tol: the same answer, relative to the factor."""

    def fun(w):
        f, G = cb2(w)
        return factor * f, factor * G

    result = solved(fun, [1.0, -0.1], method, tol=1e-6 * factor)
    assert result.value / factor == pytest.approx(1.9522245, abs=2e-6)


@pytest.mark.parametrize("method", FAST)
@pytest.mark.parametrize("s", [1e-30, 1e-8, 1e8, 1e30])
def test_units_of_the_parameters(method, s):
    """Centers s a_j, with the metric 1/s^2 that such parameters have."""

    def fun(w):
        f, G = quadratics(w / s)
        return f, G / s

    result = solved(fun, [2.0 * s, 1.0 * s], method, metric=s**-2.0)
    assert result.value == pytest.approx(CIRCLE, abs=1e-6)


@pytest.mark.parametrize("factor", [1e-150, 1e150])
def test_extreme_units_whose_squares_are_still_floats(factor):
    def fun(w):
        f, G = quadratics(w)
        return factor * f, factor * G

    result = solved(fun, [2.0, 1.0], tol=1e-6 * factor)
    assert result.success
    assert result.value / factor == pytest.approx(CIRCLE, abs=1e-6)


@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9, -1e9])
def test_a_large_offset_costs_digits_and_nothing_else(offset):
    result = quietly(lambda w: (quadratics(w)[0] + offset, quadratics(w)[1]), [2.0, 1.0], jac=True, max_iter=500)
    assert result.value - offset == pytest.approx(CIRCLE, abs=max(1e-6, 2e-8 * abs(offset)))
    assert result.success


@pytest.mark.parametrize("method", FAST)
def test_losses_of_very_different_sizes(method):
    """max(1e6 (x - 1)^2, 1e-6 (x + 1)^2): a kink between a wall and a plain."""
    scale = np.array([1e6, 1e-6])

    def fun(w):
        r = np.array([w[0] - 1, w[0] + 1])
        return scale * r**2, (2 * scale * r)[:, None]

    result = quietly(fun, [3.0], jac=True, method=method, tol=1e-9)
    x = (1e6 - 1) / (1e6 + 1)
    assert result.value == pytest.approx(1e-6 * (x + 1) ** 2, abs=1e-8)


@pytest.mark.parametrize("J", [50, 400])
def test_many_more_losses_than_parameters(J):
    """The smallest circle around J points on the unit circle is the unit circle."""
    angle = np.linspace(0, 2 * np.pi, J, endpoint=False)
    A = np.column_stack([np.cos(angle), np.sin(angle)])
    result = solved(lambda w: (0.5 * ((w - A) ** 2).sum(1), w - A), [2.0, 1.0])
    assert result.value == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("R", [sb.Quadratic(1e-9), sb.Quadratic(1e9), sb.Entropy(1e-6), sb.Entropy(1e9)])
def test_extreme_regularizers(R):
    result = quietly(quadratics, [2.0, 1.0], jac=True, regularizer=R, max_iter=500)
    problem = sb.Problem(sb.from_functions(quadratics, [0, 0], True), regularizer=R)
    assert result.value == pytest.approx(problem.value(result.w), rel=1e-12)
    expected = CIRCLE if R.gamma < 1 else quadratics(np.array([0.0, -1 / 3]))[0].mean()
    assert result.value == pytest.approx(expected, abs=1e-5)
