"""Losses from plain functions: accepted return values, writes to the argument, number of calls."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from calls import CENTERS, CIRCLE, Calls, Later, parabola, quadratics, quietly

import saddleback as sb
from saddleback.losses import FunctionLosses, PairLosses, from_functions

W0 = np.array([0.3, -0.2])


def values(w):
    return quadratics(w)[0]


def jacobian(w):
    return quadratics(w)[1]


@pytest.mark.parametrize("jac", [True, jacobian])
def test_evaluate_gives_float64_of_the_right_shapes(jac):
    losses = from_functions(quadratics if jac is True else values, W0, jac)
    f, G = losses.evaluate(W0 + 1.0)
    assert (losses.n_losses, losses.n_params) == (3, 2)
    assert f.dtype == G.dtype == np.float64
    np.testing.assert_array_equal(f, values(W0 + 1.0))
    np.testing.assert_array_equal(G, jacobian(W0 + 1.0))


@pytest.mark.parametrize(
    "convert",
    [
        pytest.param(lambda f, G: (f.tolist(), G.tolist()), id="lists"),
        pytest.param(lambda f, G: (tuple(f), tuple(map(tuple, G))), id="tuples"),
        pytest.param(lambda f, G: [f, G], id="a list of the two"),
        pytest.param(lambda f, G: (list(f), list(G)), id="lists of arrays"),
        pytest.param(lambda f, G: (f, np.asfortranarray(G)), id="Fortran order"),
        pytest.param(lambda f, G: (f[::-1][::-1], G[:, ::-1][:, ::-1]), id="views"),
        pytest.param(lambda f, G: (f.astype(">f8"), G.astype(">f8")), id="big-endian"),
        pytest.param(lambda f, G: (f.astype(np.longdouble), G.astype(np.longdouble)), id="long double"),
        pytest.param(lambda f, G: ([Fraction(x) for x in f], G.astype(object)), id="Python objects"),
    ],
)
def test_what_fun_may_return(convert):
    result = sb.minimax(lambda w: convert(*quadratics(w)), [2.0, 1.0], jac=True)
    assert result.success
    assert result.value == pytest.approx(CIRCLE, abs=1e-6)


def test_read_only_answers():
    def fun(w):
        f, G = quadratics(w)
        f.flags.writeable = G.flags.writeable = False
        return f, G

    assert sb.minimax(fun, W0, jac=True).value == pytest.approx(CIRCLE, abs=1e-6)


def test_integers():
    """At integer points integer losses; elsewhere they would not be smooth, so one step must suffice."""
    result = sb.minimax(lambda w: (np.array([3, 3]), np.array([[0, 0], [0, 0]])), [0, 0], jac=True)
    assert result.value == 3.0
    assert result.success
    assert result.w.dtype == np.float64


def test_single_precision_reaches_single_precision():
    def fun(w):
        f, G = quadratics(w)
        return f.astype(np.float32), G.astype(np.float32)

    result = sb.minimax(fun, [2.0, 1.0], jac=True, tol=1e-4)
    assert result.success
    assert result.value == pytest.approx(CIRCLE, abs=1e-4)


@pytest.mark.parametrize("jac", [True, jacobian])
def test_a_function_that_writes_into_its_argument_does_no_harm(jac):
    def spoil(fun):
        def spoiled(w):
            answer = fun(w.copy())
            w[:] = np.nan
            return answer

        return spoiled

    w0 = np.array([2.0, 1.0])
    fun = spoil(quadratics if jac is True else values)
    result = sb.minimax(fun, w0, jac=True if jac is True else spoil(jac))
    clean = sb.minimax(quadratics, w0, jac=True)
    np.testing.assert_array_equal(w0, [2.0, 1.0])
    np.testing.assert_array_equal(result.w, clean.w)


def test_a_function_that_answers_in_the_same_arrays_every_time():
    f, G = np.empty(3), np.empty((3, 2))

    def fun(w):
        f[:], G[:] = quadratics(w)
        return f, G

    np.testing.assert_array_equal(sb.minimax(fun, W0, jac=True).w, sb.minimax(quadratics, W0, jac=True).w)


def test_losses_that_answer_in_the_same_arrays_every_time():
    """As an object: a large Jacobian is often kept and written over."""

    class Losses:
        n_losses, n_params = 3, 2
        f, G = np.empty(3), np.empty((3, 2))

        def evaluate(self, w):
            self.f[:], self.G[:] = quadratics(w)
            return self.f, self.G

    result = sb.solve(sb.Problem(Losses()), W0)
    assert result.success
    np.testing.assert_array_equal(result.w, sb.minimax(quadratics, W0, jac=True).w)
    np.testing.assert_array_equal(result.losses, values(result.w))


@pytest.mark.parametrize("then", [lambda w: values(w)[:2], lambda w: np.append(values(w), 0.0), lambda w: []])
def test_number_of_losses_that_changes_later(then):
    fun = Later(values, 3, then)
    with pytest.raises(sb.ProblemError, match="fun must return 3 losses at every w, as at w0; got shape") as caught:
        sb.minimax(fun, W0, jac=jacobian)
    assert np.isfinite(caught.value.result.value)


def test_jacobian_whose_shape_changes_later():
    jac = Later(jacobian, 3, lambda w: jacobian(w).T)
    with pytest.raises(sb.ProblemError, match=r"got \(2, 3\)\. It looks transposed"):
        sb.minimax(values, W0, jac=jac)


def test_scalar_losses():
    """J = 1: a number and its gradient."""
    result = sb.minimax(lambda w: ((w - 1) @ (w - 1), 2 * w - 2), np.zeros(3), jac=True)
    np.testing.assert_allclose(result.w, np.ones(3), atol=1e-3)
    assert result.losses.shape == result.dual.shape == (1,)


@pytest.mark.parametrize("gradient", [lambda w: 2 * w, lambda w: [2 * w], lambda w: (2 * w)[None, :]])
def test_gradient_of_one_loss_may_be_a_vector_or_a_row(gradient):
    losses = from_functions(lambda w: w @ w, np.ones(3), gradient)
    assert losses.evaluate(np.ones(3))[1].shape == (1, 3)


def test_gradient_of_one_loss_as_a_column_is_refused_with_a_hint():
    with pytest.raises(sb.ProblemError, match=r"\(J, d\) = \(1, 3\); got \(3, 1\)\. It looks transposed"):
        sb.minimax(lambda w: w @ w, np.ones(3), jac=lambda w: (2 * w)[:, None])


def test_derivatives_of_many_losses_of_one_parameter_may_be_a_vector():
    losses = from_functions(lambda w: [w[0], -w[0], w[0] ** 2], [1.0], lambda w: [1.0, -1.0, 2 * w[0]])
    np.testing.assert_array_equal(losses.evaluate(np.array([3.0]))[1], [[1.0], [-1.0], [6.0]])


def test_one_loss_of_one_parameter_in_plain_numbers():
    result = sb.minimax(lambda w: (float(w[0] - 2) ** 2, float(2 * w[0] - 4)), 0.0, jac=True)
    assert result.w.shape == (1,)
    assert result.w[0] == pytest.approx(2.0, abs=1e-3)


def test_the_call_that_tells_the_number_of_losses_is_not_repeated():
    fun, jac = Calls(values), Calls(jacobian)
    losses = from_functions(fun, W0, jac)
    assert (fun.n, jac.n) == (1, 0)
    losses.evaluate(W0)
    assert (fun.n, jac.n) == (1, 1)
    losses.values(W0)
    assert fun.n == 1
    losses.values(W0 + 1)
    assert fun.n == 2


def test_capabilities():
    pair, separate = from_functions(quadratics, W0, True), from_functions(values, W0, jacobian)
    assert isinstance(pair, PairLosses)
    assert not hasattr(pair, "values"), "values alone are no cheaper, so they must not be offered"
    assert isinstance(separate, FunctionLosses)
    assert separate.exact_jacobian


@pytest.mark.parametrize("jac", [None, False])
def test_no_jacobian_warns_once_and_works(jac):
    fun = Calls(values)
    with pytest.warns(UserWarning, match=r"no jac: taking central differences, 4 extra calls") as caught:
        result = sb.minimax(fun, [2.0, 1.0], jac=jac, tol=1e-5)
    assert len(caught) == 1
    assert caught[0].filename == __file__, "the warning must point at the caller's line"
    assert result.success
    assert result.value == pytest.approx(CIRCLE, abs=1e-4)
    assert fun.n >= 4 * result.n_evals


def test_the_convergence_warning_points_at_the_callers_line():
    with pytest.warns(sb.ConvergenceWarning) as caught:
        sb.solve(sb.Problem(from_functions(quadratics, W0, True)), max_iter=1)
    assert caught[0].filename == __file__


def test_duck_typed_functions():
    """Bound methods, partials and callable objects."""

    class Model:
        def losses(self, w):
            return values(w)

        def __call__(self, w):
            return jacobian(w)

    model = Model()
    assert sb.minimax(model.losses, W0, jac=model).success


def test_one_parameter():
    result = sb.minimax(parabola, 3.0, jac=True)
    assert result.value == pytest.approx(0.25, abs=1e-6)


def test_more_losses_than_parameters_and_many_duplicates():
    A = np.repeat(CENTERS, 40, axis=0)
    result = quietly(lambda w: (0.5 * ((w - A) ** 2).sum(1), w - A), W0, jac=True, max_iter=300)
    assert result.value == pytest.approx(CIRCLE, abs=1e-4)


def test_from_functions_needs_no_solve_to_be_used():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        losses = from_functions(quadratics, list(W0), True)
    assert sb.Problem(losses).value(W0) == pytest.approx(values(W0).max())
