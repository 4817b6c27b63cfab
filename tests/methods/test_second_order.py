"""Quasi-Newton and Newton: trust-region control, correction, accelerated steps in between, and their ends."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from calls import Calls, cb2, quadratics, quietly
from problems import WithHessian, nesterov_split, oracle_of, random_quadratics
from references.published import PUBLISHED
from theory.tolerances import EPS

import saddleback as sb
from saddleback.engine.convexity_sampling import RAY_DISTANCES
from saddleback.methods import Newton, QuasiNewton
from saddleback.methods.guard import CONTROL as GUARD
from saddleback.methods.second_order import CONTROL, hessian_weights
from saddleback.methods.trial import Trial, try_step

# Evaluations with a Jacobian to within 1e-6 of the optimum, as promised to users of plain functions.
WITHIN = {"Goffin": 200, "MAXQ": 40, "Rosen-Suzuki": 15}


@pytest.mark.parametrize(("name", "limit"), WITHIN.items())
def test_few_evaluations_on_published_problems(name: str, limit: int) -> None:
    problem = PUBLISHED[name]
    result = sb.minimax(problem.pair, problem.start, jac=True, tol=1e-9)
    reached = np.flatnonzero(result.history.value <= problem.optimum + 1e-6)
    assert reached.size
    assert result.history.n_evals[reached[0]] <= limit


@pytest.mark.parametrize("name", PUBLISHED)
def test_no_step_is_taken_uphill(name: str) -> None:
    problem = PUBLISHED[name]
    losses = sb.from_functions(problem.pair, problem.start, jac=True)
    oracle = oracle_of(losses, w0=problem.start)
    state = QuasiNewton().init(oracle, problem.start)
    for _ in range(15):
        before, state = state, QuasiNewton().step(oracle, state)
        assert state.point.value <= before.point.value + 1e3 * EPS * np.abs(before.point.f).max()


@pytest.mark.parametrize("d", [5, 200])
def test_both_forms_of_quasi_newton_solve_quadratics(d: int) -> None:
    """A matrix for few parameters, limited memory for many."""
    losses = random_quadratics(0, J=4, d=d, condition=100.0)
    result = sb.solve(sb.Problem(losses), method="quasi-newton", tol=1e-8)
    reference = sb.solve(sb.Problem(losses), method="accelerated", tol=1e-9, max_iter=20_000)
    assert result.success
    assert result.value == pytest.approx(reference.value, abs=2e-8 * (1 + abs(reference.value)))


def test_newton_converges_quadratically() -> None:
    """The distance to the optimum is squared by each of the last steps, up to a constant of the problem."""
    rng = np.random.default_rng(0)
    X, groups = rng.standard_normal((600, 5)), np.arange(600) % 3
    losses = sb.GroupedLinear(X, rng.integers(0, 2, 600), groups, l2=0.1, fit_intercept=False)
    points: list[np.ndarray] = []
    problem = sb.Problem(losses, regularizer=sb.Quadratic(0.5))
    result = sb.solve(problem, np.full(5, 2.0), "newton", tol=1e-14, callback=lambda now: points.append(now.w))
    assert result.n_iter <= 8
    errors = [float(np.linalg.norm(w - result.w)) for w in points[:-1]]
    steps = [(e, after) for e, after in pairwise(errors) if after > 1e-9]
    assert len(steps) >= 2
    assert all(after <= 2 * e**2 for e, after in steps)


@pytest.mark.parametrize("method", ["quasi-newton", "newton"])
def test_accelerated_steps_are_a_fixed_share(method: str) -> None:
    """Theta(T) accelerated steps among T evaluations, so that the rate of Algorithm 1 holds."""
    split = nesterov_split(J=4, d=60)
    losses = WithHessian.of(split.losses)
    oracle = oracle_of(losses)
    method_ = {"quasi-newton": QuasiNewton(memory=1), "newton": Newton()}[method]
    trials = Calls(oracle.trial)
    oracle.trial = trials  # type: ignore[method-assign]
    state = method_.init(oracle, np.zeros(losses.n_params))
    for _ in range(80):
        state = method_.step(oracle, state)
    taken = 0 if state.guard.state is None else state.guard.state.t
    assert taken >= (len(trials.points) - GUARD.first_credit) // (2 * GUARD.credit)
    assert taken > 0


def test_a_guard_step_is_taken_only_when_it_is_lower() -> None:
    losses = random_quadratics(0, J=3, d=4)
    oracle = oracle_of(losses)
    method = QuasiNewton()
    state = method.init(oracle, np.ones(4))
    for _ in range(6):
        state = method.step(oracle, state)
    due = replace(state, guard=replace(state.guard, credit=0))
    after = method.step(oracle, due)
    assert after.guard.state is not None
    assert after.point.value <= due.point.value
    assert after.guard.credit == GUARD.credit


# --- control ----------------------------------------------------------------------------------------------------------


def trial_of(ratio: float, sigma: float = 0.0) -> Trial:
    """A trial with a value at the new point that gives this ratio."""
    oracle = oracle_of(random_quadratics(0, J=2, d=3))
    state = QuasiNewton().init(oracle, np.ones(3))
    at = oracle.evaluate(np.ones(3))
    model = QuasiNewton().hessian_model(oracle, state, at)
    trial = try_step(oracle, at, model.system(at.G, sigma), sigma, 1e-12, at.lam)
    assert trial is not None
    value = at.value - ratio * trial.predicted
    return replace(trial, step=replace(trial.step, point=replace(trial.step.point, value=value)))


@pytest.mark.parametrize("sigma", [0.0, 1.0])
def test_rejections_raise_the_shift_within_bounds(sigma: float) -> None:
    trial = trial_of(-2.0, sigma)
    quotient, needed = trial.rayleigh_quotient, trial.step.error / trial.step.length_squared
    assert not trial.accepted
    assert max(2 * sigma, quotient / 2) <= trial.sigma_after_rejection() <= max(10 * max(sigma, quotient), needed)


def test_good_steps_lower_the_shift_and_poor_ones_raise_it() -> None:
    assert trial_of(0.95, 1.0).sigma_after_acceptance() == pytest.approx(0.1)
    assert trial_of(0.5, 1.0).sigma_after_acceptance() == pytest.approx(0.25)
    assert trial_of(0.1, 1.0).sigma_after_acceptance() >= 4.0
    assert trial_of(1.0, 0.0).sigma_after_acceptance() == 0.0


def test_points_that_are_not_finite_are_rejected() -> None:
    trial = trial_of(1.0)
    lost = replace(trial, step=replace(trial.step, point=replace(trial.step.point, value=np.inf)))
    assert not lost.accepted
    assert lost.sigma_after_rejection() == pytest.approx(10 * trial.rayleigh_quotient)


def test_the_correction_saves_steps_at_a_kink() -> None:
    """The kink of Mifflin 2 is curved: without the correction steps are short (the Maratos effect)."""
    problem = PUBLISHED["Mifflin 2"]
    result = sb.minimax(problem.pair, problem.start, jac=True, tol=1e-8)
    assert result.success
    assert result.n_evals <= 25


# --- shapes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("J", "d"), [(40, 3), (200, 2), (1000, 4)])
def test_many_losses_of_few_parameters(J: int, d: int) -> None:
    """J > d: the smallest enclosing ball, by the primal form of (D)."""
    points = np.random.default_rng(J).standard_normal((J, d))
    result = sb.minimax(lambda w: (((w - points) ** 2).sum(axis=1), 2 * (w - points)), np.zeros(d), jac=True, tol=1e-9)
    assert result.success
    distances = np.sort(((result.w - points) ** 2).sum(axis=1))
    assert distances[-1] == pytest.approx(result.value)
    # The center is a convex combination of the points that are farthest.
    np.testing.assert_allclose(result.dual @ points, result.w, atol=1e-4)


def test_one_loss_is_plain_minimization() -> None:
    result = sb.minimax(
        lambda w: ([100 * (w[0] - 3) ** 2 + w[1] ** 2], [[200 * (w[0] - 3), 2 * w[1]]]), [0, 1], jac=True
    )
    assert result.success
    np.testing.assert_allclose(result.w, [3, 0], atol=1e-3)
    np.testing.assert_array_equal(result.dual, [1.0])


def test_linear_losses_end_after_finitely_many_steps() -> None:
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((30, 5)), rng.standard_normal(30)
    A -= A.mean(axis=0)
    result = sb.minimax(lambda w: (A @ w + b, A), np.zeros(5), jac=True, tol=1e-10)
    assert result.success
    assert result.n_evals <= 15


def test_jacobians_are_taken_only_where_steps_are_taken() -> None:
    jac = Calls(lambda w: cb2(w)[1])
    result = sb.minimax(lambda w: cb2(w)[0], [1.0, -0.1], jac=jac)
    assert result.success
    # One for each step, and those of the inspection before the end.
    around = 2 + 1 + len(RAY_DISTANCES) + 1
    assert len(jac.points) == result.n_evals == result.n_iter + 1 + around


def test_nonconvex_problems_end_as_stationary_with_one_warning() -> None:
    """Crescent (Kiwiel 1985), one of whose losses is concave; optimum 0."""

    def fun(x):
        q, e = x[0] ** 2 + (x[1] - 1) ** 2, np.array([2 * x[0], 2 * (x[1] - 1)])
        return [q + x[1] - 1, -q + x[1] + 1], np.array([e, -e]) + np.array([0, 1])

    with pytest.warns(sb.ConvergenceWarning, match="no certificate") as caught:
        result = sb.minimax(fun, [-1.5, 2.0], jac=True)
    assert len(caught) == 1
    assert result.value == pytest.approx(0.0, abs=1e-6)
    assert result.status is sb.Status.STATIONARY
    assert not result.success


def test_published_nonconvex_problem() -> None:
    """EVD52 (Luksan and Vlcek 2000), with a cubic loss; optimum 3.5997193."""

    def fun(x):
        a, b, c = x
        f = [a**2 + b**2 + c**2 - 1, a**2 + b**2 + (c - 2) ** 2, a + b + c - 1, a + b - c + 1]
        f += [2 * a**3 + 6 * b**2 + 2 * (5 * c - a + 1) ** 2, a**2 - 9 * c]
        r = 4 * (5 * c - a + 1)
        G = [[2 * a, 2 * b, 2 * c], [2 * a, 2 * b, 2 * (c - 2)], [1, 1, 1], [1, 1, -1]]
        return f, [*G, [6 * a**2 - r, 12 * b, 5 * r], [2 * a, 0, -9]]

    assert quietly(fun, [1.0, 1.0, 1.0], jac=True).value == pytest.approx(3.5997193, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-165, 1e-100, 1e100])
def test_squares_that_underflow_are_no_division_by_zero(scale: float) -> None:
    result = quietly(lambda w: ([w @ w], [2 * w]), [scale, 0.0], jac=True, tol=0.0, max_iter=30)
    assert result.value <= scale**2
    assert np.isfinite(result.w).all()


def test_weights_of_hessians_follow_lam_also_after_a_guard_step() -> None:
    oracle = oracle_of(random_quadratics(0, J=3, d=4))
    state = QuasiNewton().init(oracle, np.ones(4))
    center = np.full(3, 1 / 3)
    np.testing.assert_allclose(hessian_weights(oracle, state), center)
    state = QuasiNewton().step(oracle, replace(state, guard=replace(state.guard, credit=0)))
    np.testing.assert_allclose(hessian_weights(oracle, state), state.lam + CONTROL.center_share * (center - state.lam))


def test_curvature_of_inactive_groups_does_not_slow_newton() -> None:
    """Group 0 has all the weight, and along the indicators of the others no curvature but the penalty.

    With weights of Hessians that stay a thousandth from lam convergence is linear: 19 iterations.
    """
    rng = np.random.default_rng(5)
    groups = np.arange(600) % 4
    X = np.column_stack((rng.standard_normal((600, 3)), groups[:, None] == np.arange(1, 4)))
    noise = np.where(groups == 0, 5.0, 1.0) * rng.standard_normal(600)
    y = (X @ [1.0, -1.0, 0.5, 1.0, 2.0, 3.0] + noise > 0).astype(int)
    result = sb.solve(sb.Problem(sb.GroupedLinear(X, y, groups, l2=1e-4)), method="newton", tol=1e-9)
    assert result.certified
    assert result.dual[0] > 0.999
    assert result.n_iter <= 8


def test_separable_data_without_a_penalty_end_sensibly() -> None:
    """The infimum 0 is not attained."""
    X = np.vstack((np.random.default_rng(0).normal(3, 1, (50, 2)), np.random.default_rng(1).normal(-3, 1, (50, 2))))
    y = np.repeat([1, 0], 50)
    for method in ("auto", "newton", "quasi-newton"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sb.ConvergenceWarning)
            losses = sb.GroupedLinear(X, y, np.arange(100) % 3, fit_intercept=False)
            result = sb.solve(sb.Problem(losses), method=method)
        assert result.n_iter < 1000
        assert 0 <= result.value <= 1e-5
        assert result.status in (sb.Status.CONVERGED, sb.Status.STALLED)
        assert np.isfinite(result.w).all()


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_newton_needs_a_hessian() -> None:
    with pytest.raises(sb.IncompatibleError, match=r"hessian\(w, lam\).*Use method='auto', or one of .*'quasi-newton'"):
        sb.minimax(quadratics, np.zeros(2), jac=True, method="newton")


@pytest.mark.parametrize(
    ("H", "error", "match"),
    [(np.eye(3), sb.ProblemError, r"shape \(2, 2\); got \(3, 3\)"), ("text", sb.ProblemError, "numbers")],
)
def test_a_hessian_of_the_wrong_kind_is_refused(H, error, match: str) -> None:
    losses = type("L", (), {"n_losses": 3, "n_params": 2, "evaluate": lambda self, w: quadratics(w)})()
    losses.hessian = lambda w, lam: H
    with pytest.raises(error, match=match):
        sb.solve(sb.Problem(losses), method="newton")


def test_a_hessian_that_is_not_finite_ends_the_run() -> None:
    losses = type("L", (), {"n_losses": 3, "n_params": 2, "evaluate": lambda self, w: quadratics(w)})()
    losses.hessian = lambda w, lam: np.full((2, 2), np.nan)
    with pytest.warns(sb.ConvergenceWarning, match="Hessian is not finite"):
        assert sb.solve(sb.Problem(losses), method="newton").status is sb.Status.NUMERICAL_ERROR


@pytest.mark.parametrize("H", [np.zeros((2, 2)), -np.eye(2), np.array([[1.0, 2.0], [2.0, 1.0]])])
def test_a_hessian_that_is_not_positive_definite_is_shifted(H: np.ndarray) -> None:
    """Singular or indefinite matrices are shifted until they are positive definite; g accepts or rejects steps."""
    losses = type("L", (), {"n_losses": 3, "n_params": 2, "evaluate": lambda self, w: quadratics(w)})()
    losses.hessian = lambda w, lam: H
    result = sb.solve(sb.Problem(losses), method="newton", tol=1e-6)
    assert result.success
    assert result.value == pytest.approx(1.25, abs=1e-6)


@pytest.mark.parametrize("memory", [0, -1, 1.5, "ten"])
def test_memory_must_be_a_count(memory) -> None:
    with pytest.raises(sb.ProblemError, match="memory must be a whole number >= 1"):
        QuasiNewton(memory=memory)
