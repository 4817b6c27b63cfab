"""Problems that cannot be right, and losses whose answers cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from calls import Calls, parabola, quadratics

import saddleback as sb

MASKED = np.ma.masked_array([1.0, 2.0], mask=[False, True])


class Losses:
    """The losses of ``quadratics`` as an object, with whatever else the test gives it."""

    n_losses = 3
    n_params = 2

    def __init__(self, **attributes):
        self.evaluate = Calls(quadratics)
        vars(self).update(attributes)


@pytest.mark.parametrize("w0", [np.zeros(3), np.zeros(1), [np.nan, 0.0], np.zeros((2, 1)), "zero"])
def test_bad_w0_of_a_problem(w0):
    losses = Losses()
    with pytest.raises(sb.ProblemError, match="w0 must"):
        sb.solve(sb.Problem(losses), w0)
    assert losses.evaluate.n == 0


@pytest.mark.parametrize("problem", [quadratics, Losses(), None, "problem"])
def test_solve_wants_a_problem(problem):
    with pytest.raises(sb.ProblemError, match="problem must be a Problem; got"):
        sb.solve(problem)


@pytest.mark.parametrize("losses", [quadratics, None, np.zeros(3), object()])
def test_problem_wants_losses(losses):
    with pytest.raises(sb.ProblemError, match="losses must offer 'n_losses'"):
        sb.Problem(losses)


@pytest.mark.parametrize("name", ["n_losses", "n_params"])
@pytest.mark.parametrize("number", [0, -1])
def test_problem_without_losses_or_parameters(name, number):
    with pytest.raises(sb.ProblemError, match=f"losses.{name} must be at least 1; got {number}"):
        sb.Problem(Losses(**{name: number}))


@pytest.mark.parametrize(
    ("attributes", "match"),
    [
        ({"strong_convexity": -1.0}, "losses.strong_convexity must be >= 0; got -1"),
        ({"strong_convexity": np.nan}, "losses.strong_convexity must be finite"),
        ({"strong_convexity": [1.0, 1.0, 1.0]}, "losses.strong_convexity must have length 2; got length 3"),
        ({"strong_convexity": "some"}, "losses.strong_convexity must be a vector of numbers"),
        ({"strong_convexity": [[1.0], [1.0, 2.0]]}, "losses.strong_convexity must be a vector of numbers"),
    ],
)
def test_bad_capability_of_the_losses(attributes, match):
    losses = Losses(**attributes)
    with pytest.raises(sb.ProblemError, match=match):
        sb.solve(sb.Problem(losses))
    assert losses.evaluate.n == 0


@pytest.mark.parametrize(
    "name", ["evaluate", "values", "hessian", "loss_hessians", "sampled_hessian", "jacobian_error"]
)
@pytest.mark.parametrize("value", [5, "evaluate", np.ones(2)])
def test_functions_of_the_losses_are_functions(name, value):
    with pytest.raises(sb.ProblemError, match=rf"losses\.{name} must be a function; got .*Write a method"):
        sb.Problem(Losses(**{name: value}))


def test_none_is_no_function():
    for name in ("evaluate", "hessian"):
        with pytest.raises(sb.ProblemError, match=f"losses.{name} must be a function; got None"):
            sb.Problem(Losses(**{name: None}))
    assert sb.solve(sb.Problem(Losses(values=None))).success


@pytest.mark.parametrize("L", [-1.0, np.nan])
def test_bad_smoothness_of_the_losses(L):
    with pytest.raises(sb.ProblemError, match=r"losses\.smoothness\(\) must be a finite number"):
        sb.solve(sb.Problem(Losses(smoothness=lambda: L)), method="accelerated")


def test_losses_that_return_the_wrong_shapes():
    losses = Losses(evaluate=lambda w: (np.zeros(2), np.zeros((2, 2))))
    with pytest.raises(sb.ProblemError, match=r"must return arrays of shapes \(3,\) and \(3, 2\); got \(2,\)"):
        sb.solve(sb.Problem(losses))


@pytest.mark.parametrize(
    "call",
    [
        lambda problem: problem.value([1.0, 2.0]),
        lambda problem: problem.value([np.nan]),
        lambda problem: problem.best_response([1.0]),
        lambda problem: problem.best_response([1.0, np.inf]),
        lambda problem: problem.best_response("losses"),
    ],
)
def test_bad_arguments_of_a_problem(call):
    problem = sb.Problem(sb.from_functions(parabola, np.zeros(1), jac=True))
    with pytest.raises(sb.ProblemError, match="must"):
        call(problem)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.ones(2), "the pair"),
        ("no", "the pair"),
        ((["a", "b"], np.ones((2, 1))), "must return numbers"),
        ((np.array([1j, 2.0]), np.ones((2, 1))), "must return numbers"),
        ((MASKED, np.ones((2, 1))), "must return numbers; got MaskedArray .it holds masked entries"),
        ((np.ones(2), MASKED[:, None]), "must return numbers; got MaskedArray"),
        ((np.ones(2), [np.ones(1), MASKED[1:]]), "must return numbers; got list .it holds masked entries"),
        ((np.array(["1", "2"], dtype=object), np.ones((2, 1))), "must return numbers; got ndarray .it holds '1'"),
    ],
)
@pytest.mark.parametrize("metric", [None, 2.0])
def test_losses_that_answer_nonsense(answer, message, metric):
    losses = type("Odd", (), {"n_losses": 2, "n_params": 1, "evaluate": lambda self, w: answer})()
    with pytest.raises(sb.ProblemError, match=message):
        sb.solve(sb.Problem(losses, metric=metric))


def test_masked_losses_are_refused_wherever_they_are_asked_for():
    masked = type("Odd", (), {"n_losses": 2, "n_params": 1, "evaluate": lambda self, w: (MASKED, MASKED[:, None])})()
    with pytest.raises(sb.ProblemError, match="masked entries"):
        sb.Problem(masked).value([0.0])
    with pytest.raises(sb.ProblemError, match="masked entries"):
        sb.losses.check_jacobian(masked, np.zeros(1))


def test_values_that_are_masked_where_the_jacobian_was_not_asked_for():
    """The losses at w0 are fine; those of a trial, without its Jacobian, are masked."""
    losses = Losses(values=lambda w: np.ma.masked_array(np.ones(3), mask=[True, False, False]), values_first=True)
    with pytest.raises(sb.ProblemError, match=r"the losses must return numbers.*masked entries"):
        sb.solve(sb.Problem(losses))


@pytest.mark.parametrize("count", [None, 2.5, "3"])
def test_counts_that_are_no_numbers(count):
    losses = type("Odd", (), {"n_losses": count, "n_params": 1, "evaluate": lambda self, w: None})()
    with pytest.raises(sb.ProblemError, match="whole number"):
        sb.Problem(losses)


def test_a_class_for_losses_is_refused():
    with pytest.raises(sb.ProblemError, match="Make an instance"):
        sb.Problem(Losses)
