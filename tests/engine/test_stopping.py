"""Stopping rules and their verdicts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from calls import CIRCLE, cb2, quadratics, quietly

import saddleback as sb
from saddleback.engine.history import SLOWEST_RATE, HistoryBuilder
from saddleback.engine.stopping import STALL_ITERATIONS, UNBOUNDED_FACTOR, Stopping


def trace(values, gaps=None, times=None):
    t = HistoryBuilder()
    for k, value in enumerate(values):
        t.append(
            time=float(k) if times is None else times[k],
            value=value,
            gap=np.inf if gaps is None else gaps[k],
            n_evals=k,
            inner_gap=0.0,
            inner_iter=0,
        )
    return t


def verdict(stopping, t, scale=1.0):
    if t.gap[-1] <= stopping.threshold(t.value[-1]):
        return sb.Status.CONVERGED
    answer = stopping.exhausted(t, scale)
    return None if answer is None else answer[0]


@pytest.mark.parametrize(
    ("tol", "value", "expected"),
    [
        (1e-6, 0.0, 1e-6),
        (1e-6, 1.0, 1e-6),
        (1e-6, -50.0, 1e-6),
        (1e-6, 1e6, 1e-4),
        (1e-6, -1e6, 1e-4),
        (1e-12, 1e4, 1e-8),
        (0.0, 1e9, 0.0),
    ],
)
def test_threshold(tol, value, expected):
    threshold = Stopping(tol, 10).threshold(value)
    assert threshold == pytest.approx(expected, rel=1e-12)
    assert threshold <= tol * max(1.0, abs(value)) * (1 + 1e-12), "never looser than tol max(1, |value|)"


def test_threshold_is_in_the_units_of_the_losses():
    """Multiplying f and tol by a constant multiplies it, as long as tol is at least 1e-8 |value|."""
    for factor in (1e-6, 1e6):
        assert Stopping(1e-7 * factor, 1).threshold(3.0 * factor) == pytest.approx(
            factor * Stopping(1e-7, 1).threshold(3.0), rel=1e-12
        )


@pytest.mark.parametrize(
    ("gap", "expected"),
    [(0.0, sb.Status.CONVERGED), (1e-6, sb.Status.CONVERGED), (1.1e-6, None), (np.inf, None), (np.nan, None)],
)
def test_converged_exactly_at_the_tolerance(gap, expected):
    assert verdict(Stopping(1e-6, 10), trace([1.0], [gap])) is expected


def test_converged_comes_before_every_limit():
    assert verdict(Stopping(1e-6, 0, 0.0), trace([1.0], [0.0])) is sb.Status.CONVERGED


def test_limits():
    assert verdict(Stopping(1e-6, 2), trace([3.0, 2.0])) is None
    assert verdict(Stopping(1e-6, 2), trace([3.0, 2.0, 1.0])) is sb.Status.MAX_ITER
    assert verdict(Stopping(1e-6, 0), trace([3.0])) is sb.Status.MAX_ITER
    assert verdict(Stopping(1e-6, 10, 1.5), trace([3.0, 2.0])) is None
    assert verdict(Stopping(1e-6, 10, 1.0), trace([3.0, 2.0])) is sb.Status.TIME_LIMIT


def test_unbounded_is_relative_to_the_scale():
    assert verdict(Stopping(1e-6, 10), trace([-2 * UNBOUNDED_FACTOR])) is sb.Status.UNBOUNDED
    assert verdict(Stopping(1e-6, 10), trace([-2 * UNBOUNDED_FACTOR]), scale=4.0) is None
    assert verdict(Stopping(1e-6, 10), trace([-2e-20 * UNBOUNDED_FACTOR]), scale=1e-20) is sb.Status.UNBOUNDED


def test_stalled_needs_patience_no_decrease_and_no_better_gap():
    flat = [1.0] * (STALL_ITERATIONS + 1)
    assert verdict(Stopping(1e-6, 10**6), trace(flat)) is sb.Status.STALLED
    assert verdict(Stopping(1e-6, 10**6), trace(flat[:-1])) is None
    assert verdict(Stopping(1e-6, 10**6), trace([1.0 + 1e-12, *flat[1:]])) is None
    assert verdict(Stopping(1e-6, 10**6), trace([1.0 + 1e-16, *flat[1:]])) is sb.Status.STALLED
    assert verdict(Stopping(1e-6, 10**6), trace(flat, [1.0] * STALL_ITERATIONS + [0.9])) is None
    assert verdict(Stopping(1e-6, 10**6), trace(flat, [1.0] * STALL_ITERATIONS + [0.9999])) is sb.Status.STALLED


def test_stalled_with_a_gap_that_vanished():
    """The certificate may be withdrawn during the run: a gap of inf is no improvement."""
    n = STALL_ITERATIONS + 1
    assert verdict(Stopping(1e-6, 10**6), trace([1.0] * n, [1.0] + [np.inf] * (n - 1))) is sb.Status.STALLED


@pytest.mark.parametrize("max_iter", [0, 1, 5])
def test_iterations_are_counted_exactly(max_iter):
    with pytest.warns(sb.ConvergenceWarning, match="MAX_ITER: stopped after"):
        result = sb.minimax(cb2, [1.0, -0.1], jac=True, max_iter=max_iter)
    assert result.status is sb.Status.MAX_ITER
    assert result.n_iter == max_iter
    assert len(result.history) == max_iter + 1
    assert "raise max_iter" in result.message


def test_no_iteration_returns_the_start():
    result = quietly(quadratics, [2.0, 1.0], jac=True, max_iter=0)
    np.testing.assert_array_equal(result.w, [2.0, 1.0])
    assert result.value == quadratics(np.array([2.0, 1.0]))[0].max()
    assert np.isfinite(result.gap)


def test_numpy_integers_are_whole_numbers():
    assert quietly(quadratics, [2.0, 1.0], jac=True, max_iter=np.int64(2)).n_iter == 2


def test_tolerance_zero_ends_by_itself():
    result = quietly(quadratics, [2.0, 1.0], jac=True, tol=0.0, max_iter=5000)
    assert result.status in (sb.Status.STALLED, sb.Status.CONVERGED)
    assert result.n_iter < 5000
    assert result.value == pytest.approx(CIRCLE, abs=1e-12)


class TestAdviceWhereStalled:
    """A Jacobian of the wrong sign leaves a run where it started; the message tells how to find out."""

    ADVICE = "; check_jac=True tells whether jac is right"

    @staticmethod
    def fun(w):
        return quadratics(w)[0]

    @staticmethod
    def wrong(w):
        return -quadratics(w)[1]

    def test_where_a_jacobian_was_given_and_not_checked(self):
        with pytest.warns(sb.ConvergenceWarning, match="STALLED: no progress .*check_jac=True"):
            result = sb.minimax(self.fun, [2.0, 1.0], jac=self.wrong)
        assert result.status is sb.Status.STALLED
        assert self.ADVICE in result.message
        pair = quietly(lambda w: (self.fun(w), self.wrong(w)), [2.0, 1.0], jac=True)
        assert self.ADVICE in pair.message
        with pytest.raises(sb.ProblemError, match="differences"):
            sb.minimax(self.fun, [2.0, 1.0], jac=self.wrong, check_jac=True)

    def test_not_where_it_was_checked(self):
        """Right at w0, and wrong elsewhere."""

        def jac(w):
            return quadratics(w)[1] * (1.0 if w[0] == 2.0 else -1.0)

        unchecked = quietly(self.fun, [2.0, 1.0], jac=jac)
        checked = quietly(self.fun, [2.0, 1.0], jac=jac, check_jac=True)
        assert checked.status is unchecked.status is sb.Status.STALLED
        assert self.ADVICE in unchecked.message
        assert "check_jac" not in checked.message

    def test_not_where_no_user_could_have_erred(self):
        """Losses without jac, and a tolerance that rounding does not allow.

        w is known to 1e-11 only, so that the slope of the bound is not zero: near w = 0 some runs prove a gap of 0.
        """
        far = 1e5
        for jac in (None, lambda w: cb2(w - far)[1]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = sb.minimax(
                    lambda w: cb2(w - far)[0],
                    [far + 1.0, far - 0.1],
                    jac=jac,
                    method="accelerated",
                    tol=0.0,
                    max_iter=5000,
                )
            assert result.status is sb.Status.STALLED
            assert "check_jac" not in result.message


def test_stalled_names_the_tolerance():
    """Without a certificate a first-order run cannot converge, however good its point."""
    with pytest.warns(sb.ConvergenceWarning, match="STALLED: no progress beyond rounding"):
        result = sb.minimax(
            lambda w: (np.cos(w[0]), -np.sin(w[0])), [0.2], jac=True, max_iter=5000, method="accelerated"
        )
    assert result.value == pytest.approx(-1.0, abs=1e-12)
    assert result.status is sb.Status.STALLED


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([4.0, 2.0, 1.0], 0.99),
        ([8.0, 4.0, 2.0, 1.0], 0.5),
        ([10.0, 4.0, 2.0, 1.5], np.sqrt(0.5 / 6.0)),
        ([1.0, 1.0, 1.0, 1.0], 0.99),
        ([4.0, 3.0, 2.0, 2.0], 0.99),
        ([4.0, 3.0, 2.0, 0.0], 0.99),
    ],
)
def test_contraction(values, expected):
    assert trace(values).contraction() == pytest.approx(expected)


def test_the_estimate_is_the_sum_of_the_decreases_to_come():
    """Decreases 4, 2, 1 shrink by a half: what is left after a predicted 0.5 is 0.5 + 0.25 + ... = 1."""
    history = HistoryBuilder()
    for value, predicted in ((8.0, 4.0), (4.0, 2.0), (2.0, 1.0), (1.0, 0.5)):
        history.append(time=0.0, value=value, gap=np.inf, n_evals=1, inner_gap=0.0, inner_iter=0, predicted=predicted)
    assert history.estimate[-1] == pytest.approx(1.0)
    # With fewer values the slowest rate is assumed.
    assert history.estimate[0] == pytest.approx(4.0 / (1.0 - SLOWEST_RATE))
