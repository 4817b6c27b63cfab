"""Time limits: the clock starts at the call, every loop checks it, and the best point so far is returned."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from calls import ALL_METHODS, cb2, quadratics, regularizer_for
from scipy.optimize import linprog
from ticks import Ticks

import saddleback as sb
from saddleback.engine.oracle import Oracle
from saddleback.machine.clock import UNLIMITED, Clock, OutOfTime
from saddleback.subproblem import resolve_inner

W0 = np.array([1.0, -0.1])
TRIANGLE = sb.Polytope(-np.eye(3), np.zeros(3), np.ones((1, 3)), [1.0])


def quiet(solve, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        return solve(*arguments, **options)


class Losses:
    """CB2 without ``values``, whose evaluations take time on the fake clock."""

    n_losses, n_params = 3, 2

    def __init__(self, ticks, seconds):
        self.evaluate = ticks.costly(cb2, seconds)


# The clock itself.


def test_a_clock_without_a_limit_never_ends(monkeypatch):
    ticks, clock = Ticks(monkeypatch), Clock()
    ticks.spend(1e9)
    clock.check(1e30)
    assert clock.elapsed == 1e9
    assert clock.left == UNLIMITED.left == np.inf


def test_a_clock_ends_at_its_limit(monkeypatch):
    ticks, clock = Ticks(monkeypatch), Clock()
    clock.limit(2.0)
    ticks.spend(1.5)
    clock.check()
    assert clock.left == 0.5
    ticks.spend(0.5)
    with pytest.raises(OutOfTime):
        clock.check()
    with clock.at_least(1.0):
        clock.check()
        ticks.spend(1.0)
        with pytest.raises(OutOfTime):
            clock.check()
    with pytest.raises(OutOfTime):
        clock.check()


def test_a_clock_that_is_taken_up_counts_what_was_before(monkeypatch):
    ticks, clock = Ticks(monkeypatch), Clock()
    clock.limit(2.0)
    clock.take_up(1.5)
    assert clock.elapsed == 1.5
    ticks.spend(0.6)
    with pytest.raises(OutOfTime):
        clock.check()


def test_work_that_would_take_too_long_is_not_begun(monkeypatch):
    monkeypatch.setattr("saddleback.machine.clock.flops_per_second", lambda: 1e9)
    Ticks(monkeypatch)
    clock = Clock()
    clock.limit(2.0)
    clock.check(1e9)
    with pytest.raises(OutOfTime):
        clock.check(1e11)


def test_the_rate_of_this_machine_is_a_rate():
    from saddleback.machine.resources import flops_per_second

    assert 1e6 < flops_per_second() < 1e13


# When it starts.


def test_the_first_evaluation_counts(monkeypatch):
    ticks = Ticks(monkeypatch)
    result = sb.solve(sb.Problem(Losses(ticks, 5.0)), W0)
    assert result.success
    assert result.history.time[0] == 5.0
    assert result.history.time[-1] == 5.0 * result.n_evals == ticks.now


def test_minimax_counts_the_call_that_tells_the_number_of_losses(monkeypatch):
    ticks = Ticks(monkeypatch)
    result = sb.minimax(ticks.costly(cb2, 5.0), W0, jac=True)
    assert result.history.time[0] == 5.0
    assert result.history.time[-1] == ticks.now


def test_minimax_counts_the_check_of_the_jacobian(monkeypatch):
    ticks = Ticks(monkeypatch)
    fun = ticks.costly(cb2, 1.0)
    result = quiet(sb.minimax, fun, W0, jac=True, check_jac=True, time_limit=2.0)
    assert result.status is sb.Status.TIME_LIMIT
    assert result.n_iter == 0
    assert result.history.time[0] == ticks.now > 2.0


@pytest.mark.parametrize("solve", ["solve", "minimax"])
def test_a_limit_that_the_first_evaluation_exceeds(solve, monkeypatch):
    """As compilation does: the start is returned, with what it proves."""
    ticks = Ticks(monkeypatch)
    if solve == "solve":
        result = quiet(sb.solve, sb.Problem(Losses(ticks, 9.8)), W0, time_limit=1.0)
    else:
        result = quiet(sb.minimax, ticks.costly(cb2, 9.8), W0, jac=True, time_limit=1.0)
    assert result.status is sb.Status.TIME_LIMIT
    assert "stopped after 9.8 s, the limit was 1 s" in result.message
    np.testing.assert_array_equal(result.w, W0)
    assert result.value == cb2(W0)[0].max()
    assert np.isfinite(result.gap)
    assert ticks.now == 9.8


def test_a_resumed_run_goes_on_counting(monkeypatch, tmp_path):
    ticks = Ticks(monkeypatch)
    problem, path = sb.Problem(Losses(ticks, 1.0)), tmp_path / "state"
    first = quiet(sb.solve, problem, W0, max_iter=2, checkpoint=path)
    spent = first.history.time[-1]
    assert spent == first.history.n_evals[-1]
    ticks.spend(100.0)
    second = quiet(sb.solve, problem, W0, max_iter=100, time_limit=spent + 6.5, checkpoint=path, resume=True)
    assert second.status is sb.Status.TIME_LIMIT
    assert second.n_iter > first.n_iter
    assert (np.diff(second.history.time) >= 0).all()
    # Three evaluations compare the losses with those of the checkpoint.
    assert spent < second.history.time[-1] <= spent + 7.5


# Which loops check it.


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("limit", [0.0, 1.0, 4.0])
def test_one_evaluation_past_the_limit_at_most(method, limit, monkeypatch):
    """Trials, calibration and line searches included; a Jacobian may complete the point whose losses are known."""
    ticks = Ticks(monkeypatch)
    fun, jac = ticks.costly(lambda w: cb2(w)[0], 0.4), ticks.costly(lambda w: cb2(w)[1], 0.1)
    result = quiet(
        sb.minimax, fun, W0, jac=jac, method=method, regularizer=regularizer_for(method), tol=0.0, time_limit=limit
    )
    assert result.status is sb.Status.TIME_LIMIT
    assert limit <= ticks.now <= limit + 0.5 + 1e-9
    assert result.value <= result.history.value[0]
    assert np.isfinite(result.gap)


@pytest.mark.parametrize("method", ["quasi-newton", "accelerated", "extragradient", "lbfgsb"])
@pytest.mark.parametrize(
    "dual_set", [sb.Simplex(), sb.CappedSimplex(0.5), sb.Contamination(0.5), sb.Chi2Ball(0.5), TRIANGLE], ids=repr
)
@pytest.mark.parametrize("regularizer", [sb.Quadratic(0.1), sb.Entropy(0.1)], ids=repr)
def test_a_limit_at_any_moment_leaves_a_whole_result(method, dual_set, regularizer, monkeypatch):
    if method == "extragradient" and dual_set is TRIANGLE:
        pytest.skip("no projection")
    losses = sb.from_functions(quadratics, np.zeros(2), jac=True)
    problem = sb.Problem(losses, dual_set, regularizer)
    w0 = np.array([2.0, 1.0])
    value = problem.value(w0)
    for limit in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89):
        Ticks(monkeypatch, per_look=1.0)
        result = quiet(sb.solve, problem, w0, method, time_limit=limit + 0.5, tol=1e-10)
        if np.isnan(result.value):
            # Only a best response that takes its time, and only the first.
            assert dual_set is TRIANGLE
            assert result.n_iter == result.n_evals == 0
            continue
        assert result.value <= value
        assert result.value == pytest.approx(problem.value(result.w), rel=1e-12)
        assert result.lower_bound <= result.value
        assert len(result.history) == result.n_iter + 1
        # L-BFGS-B ends by itself where its line search sees nothing but rounding.
        assert result.status in (sb.Status.TIME_LIMIT, sb.Status.CONVERGED, sb.Status.STALLED)


def test_the_jacobian_of_a_point_whose_losses_are_known_is_not_refused(monkeypatch):
    ticks, clock = Ticks(monkeypatch), Clock()
    losses = sb.from_functions(lambda w: cb2(w)[0], W0, lambda w: cb2(w)[1])
    problem = sb.Problem(losses)
    oracle = Oracle(problem, resolve_inner("auto", problem.adversary), W0, 1e-6, clock)
    clock.limit(1.0)
    oracle.evaluate(W0)
    oracle.point(2 * W0)
    ticks.spend(1.0)
    oracle.evaluate(2 * W0)
    for ask in (oracle.evaluate, oracle.point, oracle.trial):
        with pytest.raises(OutOfTime):
            ask(3 * W0)
    with pytest.raises(OutOfTime):
        oracle.dual_step(np.eye(3), np.ones(3), 1e-9)


def test_linear_programs_end_with_the_clock(monkeypatch):
    ticks, clock = Ticks(monkeypatch), Clock()
    polytope, z = TRIANGLE.timed(clock), np.array([1.0, 2.0, 3.0])
    assert polytope.support(z)[0] == pytest.approx(3.0)
    clock.limit(1.0)
    given = []

    def program(*arguments, options, **more):
        given.append(options["time_limit"])
        return linprog(*arguments, options=options, **more)

    monkeypatch.setattr("scipy.optimize.linprog", program)
    ticks.spend(0.25)
    polytope.support(z)
    assert given == [0.75]
    # The clock stands still, so that it is HiGHS that sees its limit.
    clock.limit(0.25 + 1e-12)
    with pytest.raises(OutOfTime):
        polytope.support(z)
    assert len(given) == 2
    ticks.spend(1.0)
    with pytest.raises(OutOfTime):
        sb.Product([polytope]).timed(clock).support(z)
    assert TRIANGLE.support(z)[0] == pytest.approx(3.0)


def test_what_a_polytope_knows_of_itself_stays_known_under_another_clock(monkeypatch):
    """Weights of either sign are bounded by two linear programs per loss: once, and not in every run."""
    signed = sb.Polytope([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]], np.ones(4))
    first = signed.timed(Clock()).bounds(2)
    np.testing.assert_allclose(first, [[-1.0, -1.0], [1.0, 1.0]])
    monkeypatch.setattr("scipy.optimize.linprog", lambda *a, **k: pytest.fail("a linear program"))
    np.testing.assert_array_equal(signed.bounds(2), first)
    np.testing.assert_array_equal(signed.timed(Clock()).bounds(2), first)


# Results of runs without time.


def test_the_start_of_a_set_without_formulas_gets_its_value_although_time_is_up():
    losses = sb.from_functions(quadratics, np.zeros(2), jac=True)
    problem = sb.Problem(losses, TRIANGLE, sb.Entropy(0.1))
    result = quiet(sb.solve, problem, [2.0, 1.0], time_limit=0)
    assert result.status is sb.Status.TIME_LIMIT
    assert result.value == pytest.approx(problem.value([2.0, 1.0]))
    assert np.isfinite(result.gap)


def test_a_start_whose_best_response_takes_too_long_has_no_value(monkeypatch):
    losses = sb.from_functions(quadratics, np.zeros(2), jac=True)
    problem = sb.Problem(losses, TRIANGLE, sb.Entropy(0.1), metric=4.0)
    Ticks(monkeypatch, per_look=1.0)
    with pytest.warns(sb.ConvergenceWarning, match="TIME_LIMIT: the time limit passed before the losses at the start"):
        result = sb.solve(problem, [2.0, 1.0], time_limit=2.5)
    assert result.status is sb.Status.TIME_LIMIT
    assert not result.success
    np.testing.assert_array_equal(result.w, [2.0, 1.0])
    assert np.isnan(result.value)
    assert np.isnan(result.losses).all()
    assert (result.lower_bound, result.gap, result.n_iter, result.n_evals) == (-np.inf, np.inf, 0, 0)
    assert len(result.history) == 1
    assert "TIME_LIMIT" in str(result)
    assert result.to_dict()["status"] == "TIME_LIMIT"


def test_a_certificate_that_comes_late_is_not_given_away(monkeypatch):
    """A start at the optimum without time for checks: the result has the bound at w0."""
    ticks = Ticks(monkeypatch)
    fun = ticks.costly(lambda w: ([w @ w, w @ w], [2 * w, 2 * w]), 1.0)
    result = quiet(sb.minimax, fun, np.zeros(2), jac=True, time_limit=0.5)
    assert result.value == 0.0
    assert result.gap == 0.0
