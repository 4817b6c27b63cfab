"""Components from outside that are wrong are named; no certificate comes out of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import saddleback as sb
from saddleback.capabilities import Needs
from saddleback.methods import Method, State
from saddleback.subproblem import DualSolution

POINTS = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [1.0, 1.0], [9.0, 9.0]])


def losses():
    return sb.from_functions(lambda w: (((w - POINTS) ** 2).sum(axis=1), 2 * (w - POINTS)), np.zeros(2), jac=True)


@dataclass(frozen=True)
class Logarithms(sb.Regularizer):
    """R(lam) = -3 sum log(lam + 0.01), with a gradient that is wrong for a shift other than 0.01."""

    shift: float
    strong_convexity = 3 / 1.01**2

    def value(self, lam):
        return -3.0 * float(np.log(lam + 0.01).sum())

    def gradient(self, lam):
        return -3.0 / (lam + self.shift)

    def hessian(self, lam):
        return 3.0 / (lam + 0.01) ** 2


def test_a_wrong_gradient_of_a_regularizer():
    right = sb.solve(sb.Problem(losses(), regularizer=Logarithms(0.01)))
    assert right.certified
    with pytest.raises(sb.ProblemError, match=r"the gradient of Logarithms\(shift=0\.2\) does not belong to its value"):
        sb.solve(sb.Problem(losses(), regularizer=Logarithms(0.2)))


class Doubled(Method):
    """Gradient descent whose minorants use twice the best response."""

    name = "doubled"

    def init(self, oracle, w0):
        at = oracle.evaluate(w0)
        return State(point=at.point, lam=at.lam, minorants=(oracle.cut(at, 2 * at.lam),))

    def step(self, oracle, state):
        at = oracle.evaluate(state.point.w)
        point, lam = oracle.point(at.w - 0.1 * (at.lam @ at.G)), 2 * at.lam
        return replace(state, point=point, lam=lam, minorants=(oracle.cut(at, lam),))


@pytest.mark.parametrize("regularizer", [sb.Zero(), sb.Quadratic(200.0)])
def test_weights_of_a_method_outside_of_the_set(regularizer):
    problem = sb.Problem(losses(), regularizer=regularizer)
    with pytest.raises(
        sb.ProblemError, match=r"method 'doubled' gives oracle\.cut a lam outside of Simplex\(\)"
    ) as caught:
        sb.solve(problem, [3.0, 3.0], Doubled(), radius=0.01, max_iter=300)
    assert caught.value.result.lower_bound == -np.inf


class Inner:
    name = "own"

    def __init__(self, make):
        self.make = make

    def solve(self, subproblem, tol, start=None):
        lam = subproblem.adversary.dual_set.center(subproblem.c.size)
        return self.make(lam)


def solution(lam):
    return DualSolution(lam, 0.0, 1, True, "own")


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda lam: lam, "inner solver 'own' must return a DualSolution; got ndarray"),
        (lambda lam: solution(1.5 * lam), r"must return a lam in Simplex\(\); got one that is outside by 0\."),
        (lambda lam: solution(np.nan * lam), "must return a lam of 5 finite weights; got nan or inf"),
        (lambda lam: solution(lam[:2]), r"must return a lam of 5 finite weights; got shape \(2,\)"),
    ],
)
def test_a_wrong_answer_of_an_inner_solver(make, match):
    with pytest.raises(sb.ProblemError, match=match):
        sb.solve(sb.Problem(losses()), inner=Inner(make))


def test_the_gap_of_an_inner_solver_is_measured():
    """The center is no solution, whatever gap is claimed for it; the run does not end as certified."""
    with pytest.warns(sb.ConvergenceWarning):
        result = sb.solve(sb.Problem(losses()), inner=Inner(solution), max_iter=20)
    assert not result.certified
    assert result.history.inner_gap.max() > 1.0


def test_needs_that_are_none():
    solver = Inner(solution)
    solver.needs = (Needs(),)
    with pytest.raises(sb.ProblemError, match=r"needs of inner solver 'own' must be a Needs"):
        sb.solve(sb.Problem(losses()), inner=solver)


@pytest.mark.parametrize("schedule", [3, object()])
def test_a_step_rule_that_is_none(schedule):
    with pytest.raises(
        sb.ProblemError, match="schedule of PathFollowing must be one of 'long', 'paper', or a step rule"
    ):
        sb.PathFollowing(schedule)


class Descent(Method):
    """A plain class with an option."""

    name = "descent"

    def __init__(self, rate=0.1):
        self.rate = rate

    def init(self, oracle, w0):
        at = oracle.evaluate(w0)
        return State(point=at.point, lam=at.lam, minorants=(oracle.cut(at, at.lam),))

    def step(self, oracle, state):
        at = oracle.evaluate(state.point.w)
        return replace(state, point=oracle.point(at.w - self.rate * (at.lam @ at.G)), lam=at.lam)


def test_options_of_a_plain_class_are_compared(tmp_path):
    path = tmp_path / "run.ckpt"
    problem = sb.Problem(losses(), regularizer=sb.Quadratic(200.0))
    with pytest.warns(sb.ConvergenceWarning):
        sb.solve(problem, method=Descent(), max_iter=2, checkpoint=path)
    with pytest.raises(sb.ProblemError, match="is of another run: the method was"):
        sb.solve(problem, method=Descent(0.3), max_iter=4, checkpoint=path, resume=True)


@dataclass(frozen=True, eq=False)
class Monotone(sb.DualSet):
    """lam_1 >= ... >= lam_n >= 0 with sum one, by its support function; `contains` and the rest are the defaults."""

    def support(self, z):
        means = np.cumsum(z) / np.arange(1, z.size + 1)
        k = int(means.argmax()) + 1
        lam = np.zeros(z.size)
        lam[:k] = 1.0 / k
        return float(lam @ z), lam


@pytest.mark.parametrize("n", [3, 20, 30])
def test_a_right_set_with_thin_corners_passes(n):
    sb.testing.check_dual_set(Monotone(), n)
