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


@dataclass(frozen=True, eq=False)
class Answers(sb.DualSet):
    """A set whose support function returns what is given."""

    answer: object

    def support(self, z):
        return self.answer


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        (None, r"must return \(value, lam\); got NoneType"),
        (1.0, r"must return \(value, lam\); got float"),
        ((1.0, [0.2] * 5), "5 finite weights as an array of floats; got list"),
        ((np.ones(1), np.full(5, 0.2)), "a finite number first"),
        ((1.0, np.full((1, 5), 0.2)), r"got float64 of shape \(1, 5\)"),
        ((1.0, np.full(5, np.nan)), "5 finite weights"),
        ((np.nan, np.full(5, 0.2)), "a finite number first; got nan"),
        ((1.0, np.full(5, 0.2 + 1j)), "got complex128"),
    ],
)
def test_a_support_function_that_returns_something_else(answer, match):
    with pytest.raises(sb.ProblemError, match=match):
        sb.solve(sb.Problem(losses(), Answers(answer)))
    with pytest.raises(sb.testing.ContractError, match=match):
        sb.testing.check_dual_set(Answers(answer), 5)


@dataclass(frozen=True, eq=False)
class Ellipsoid(sb.DualSet):
    center_: np.ndarray
    L: np.ndarray

    def support(self, z):
        u = self.L.T @ z
        lam = self.center_ + (self.L @ u / np.linalg.norm(u) if u.any() else 0.0)
        return float(lam @ z), lam


def test_boundary_points_of_curved_sets_are_contained():
    rng = np.random.default_rng(0)
    dual_set = Ellipsoid(rng.standard_normal(20), rng.standard_normal((20, 20)))
    for _ in range(3):
        lam = dual_set.support(rng.standard_normal(20))[1]
        assert dual_set.contains(lam, 1e-7)
        np.testing.assert_allclose(dual_set.restore(lam), lam, atol=1e-6)


@pytest.mark.parametrize("state", [None, {}, np.zeros(2)])
def test_a_method_that_returns_no_state(state):
    class Stateless(Descent):
        def step(self, oracle, old):
            return state

    with pytest.raises(sb.ProblemError, match="init and step of method 'descent' must return a State"):
        sb.solve(sb.Problem(losses()), method=Stateless())


def test_a_method_without_a_name():
    class Nameless(Method):
        init = Descent.init
        step = Descent.step

    with pytest.raises(sb.ProblemError, match="method Nameless must have a name"):
        sb.solve(sb.Problem(losses()), method=Nameless())


@dataclass(frozen=True, eq=False, kw_only=True)
class Long(State):
    n: int = 10**20


def test_states_that_a_checkpoint_cannot_hold(tmp_path):
    class Counting(Descent):
        def init(self, oracle, w0):
            return Long(**vars(super().init(oracle, w0)))

    with pytest.raises(sb.ProblemError, match="has too many digits"):
        sb.solve(sb.Problem(losses()), method=Counting(), checkpoint=tmp_path / "a.ckpt")

    class Changing(Descent):
        def step(self, oracle, state):
            return Long(**vars(super().step(oracle, state)) | {"n": 1})

    with pytest.raises(sb.ProblemError, match="must be of one type for a checkpoint; got State and Long"):
        sb.solve(sb.Problem(losses()), method=Changing(), checkpoint=tmp_path / "b.ckpt")


class Raising:
    """A compiled function that raises at one row."""

    def value_and_slope(self, eta, y):
        return 0.5 * (eta - y) ** 2, eta - y

    @staticmethod
    def compiled(eta, y):
        if y == -5.0:
            raise ValueError("bad row")
        return 0.5 * (eta - y) ** 2, eta - y


# Numba reports the exception where nobody can catch it, and the loop ends.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_compiled_loss_that_raises_returns_nan(capfd):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((64, 2))
    y = X @ [1.0, -1.0]
    y[32] = -5.0
    table = sb.GroupedLinear(X, y, np.arange(64) % 2, loss=Raising(), n_threads=1)
    for _ in range(2):
        assert np.isnan(table.evaluate(np.ones(3))[0]).any()
    with pytest.raises(sb.ProblemError, match="the losses must be finite at w0"):
        sb.solve(sb.Problem(table))
    capfd.readouterr()
