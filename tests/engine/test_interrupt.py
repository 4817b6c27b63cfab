"""Ctrl-C at any moment: INTERRUPTED with the best point so far, and a complete checkpoint."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from calls import ALL_METHODS, Later, cb2, quadratics, raising, regularizer_for

import saddleback as sb
from saddleback.engine.bound_tracker import BoundTracker
from saddleback.engine.history import HistoryBuilder
from saddleback.engine.run import Run
from saddleback.engine.stop_decision import StopDecision

W0 = np.array([1.0, -0.1])


class Losses:
    """CB2 whose nth evaluation is interrupted; ``strong_convexity`` and ``values`` may be, too."""

    n_losses, n_params = 3, 2

    def __init__(self, nth):
        self.evaluate = Later(cb2, nth, raising(KeyboardInterrupt()))


def assert_unstarted(result, w0, J=3):
    assert result.status is sb.Status.INTERRUPTED
    assert not result.success
    assert "before the losses at the start were known" in result.message
    np.testing.assert_array_equal(result.w, w0)
    assert np.isnan(result.value)
    assert np.isnan(result.losses).all()
    assert (result.lower_bound, result.gap) == (-np.inf, np.inf)
    assert (result.n_iter, result.n_evals, len(result.history)) == (0, 0, 1)
    np.testing.assert_allclose(result.dual, 1 / J)


@pytest.mark.parametrize("method", ALL_METHODS)
def test_in_the_first_evaluation(method):
    problem = sb.Problem(Losses(1), regularizer=regularizer_for(method))
    result = sb.solve(problem, W0, method)
    assert_unstarted(result, W0)
    assert result.method == method


def test_in_the_first_evaluation_with_a_metric():
    result = sb.solve(sb.Problem(Losses(1), metric=[4.0, 0.25]), W0)
    assert_unstarted(result, W0)


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("nth", range(2, 8))
def test_in_the_nth_evaluation(method, nth):
    losses = Losses(nth)
    result = sb.solve(sb.Problem(losses, regularizer=regularizer_for(method)), W0, method, tol=0.0)
    assert result.status is sb.Status.INTERRUPTED
    assert result.n_evals == nth - 1
    assert result.value <= result.history.value[0]
    assert np.isfinite(result.gap)
    assert len(result.history) == result.n_iter + 1


def test_in_a_first_evaluation_that_tells_the_number_of_losses():
    """`from_functions` has no result yet, and raises."""
    with pytest.raises(KeyboardInterrupt):
        sb.from_functions(raising(KeyboardInterrupt()), W0, jac=True)


def test_in_the_jacobian_of_the_first_evaluation():
    result = sb.minimax(lambda w: cb2(w)[0], W0, jac=raising(KeyboardInterrupt()))
    assert_unstarted(result, W0)


def test_in_what_the_losses_say_of_themselves():
    class Slow(Losses):
        @property
        def strong_convexity(self):
            raise KeyboardInterrupt

    assert_unstarted(sb.solve(sb.Problem(Slow(99)), W0), W0)


def test_in_a_best_response(monkeypatch):
    problem = sb.Problem(Losses(99))
    monkeypatch.setattr(sb.Simplex, "support", raising_at_any(KeyboardInterrupt()))
    assert_unstarted(sb.solve(problem, W0), W0)


def raising_at_any(error):
    def fun(*arguments):
        raise error

    return fun


# Checkpoints.


def test_a_checkpoint_is_untouched_when_its_resumption_is_interrupted(tmp_path):
    path = tmp_path / "state"
    problem = sb.Problem(Losses(99))
    with pytest.warns(sb.ConvergenceWarning):
        sb.solve(problem, W0, max_iter=2, checkpoint=path)
    before = path.read_bytes()
    assert_unstarted(sb.solve(sb.Problem(Losses(1)), W0, checkpoint=path, resume=True), W0)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["state"]
    resumed = sb.solve(problem, W0, checkpoint=path, resume=True)
    assert resumed.success


def test_no_checkpoint_is_written_of_a_run_that_has_not_begun(tmp_path):
    assert_unstarted(sb.solve(sb.Problem(Losses(1)), W0, checkpoint=tmp_path / "state"), W0)
    assert list(tmp_path.iterdir()) == []


def test_while_a_checkpoint_is_read(tmp_path, monkeypatch):
    path = tmp_path / "state"
    with pytest.warns(sb.ConvergenceWarning):
        sb.solve(sb.Problem(Losses(99)), W0, max_iter=2, checkpoint=path)
    before = path.read_bytes()
    monkeypatch.setattr(sys.modules["saddleback.solve"], "Checkpointer", raising_at_any(KeyboardInterrupt()))
    assert_unstarted(sb.solve(sb.Problem(Losses(99)), W0, checkpoint=path, resume=True), W0)
    assert path.read_bytes() == before


# An interrupt within our own code.


def test_a_history_that_is_half_written_is_trimmed():
    history = HistoryBuilder()
    history.append(time=1.0, value=2.0, gap=1.0, n_evals=1, inner_gap=0.0, inner_iter=0)
    history.time.append(2.0)
    history.value.append(1.0)
    history.trim()
    assert (history.time, history.value, history.n_iter) == ([1.0], [2.0], 0)


@pytest.mark.parametrize(("part", "where"), [(BoundTracker, "update"), (Run, "_append"), (StopDecision, "verdict")])
@pytest.mark.parametrize("nth", [1, 2, 4])
def test_between_the_instructions_of_the_run(part, where, nth, monkeypatch):
    """The result is consistent: a bound that holds at its point, a history of equal lengths."""
    original, calls = getattr(part, where), []

    def interrupted(self, *arguments, **options):
        calls.append(where)
        if len(calls) == nth:
            raise KeyboardInterrupt
        return original(self, *arguments, **options)

    monkeypatch.setattr(part, where, interrupted)
    result = sb.minimax(quadratics, [2.0, 1.0], jac=True, tol=0.0, max_iter=50)
    assert result.status is sb.Status.INTERRUPTED
    assert len(result.history) == result.n_iter + 1
    assert result.value == quadratics(result.w)[0].max()
    rng = np.random.default_rng(0)
    for direction in rng.normal(size=(20, 2)):
        v = result.w + result.radius * direction / np.linalg.norm(direction)
        assert quadratics(v)[0].max() >= result.lower_bound


# Signals.

PROGRAM = """
import os, signal, sys, threading, time
import numpy as np, saddleback as sb

# A background shell lets its children ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
calls, nth, sleeping = 0, int(sys.argv[1]), threading.Event()

def strike():
    sleeping.wait()
    time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=strike, daemon=True).start()
points = np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -2.0]])

class Losses:
    n_losses, n_params = 3, 2
    def evaluate(self, w):
        global calls
        calls += 1
        if calls == nth:
            sleeping.set()
            time.sleep(60)
        return 0.5 * ((w - points) ** 2).sum(axis=1), w - points

result = sb.solve(sb.Problem(Losses()), [2.0, 1.0], method="accelerated", tol=0.0)
print(result.status.name, result.n_evals, np.isnan(result.value))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are sent to a process of our own")
@pytest.mark.parametrize("nth", [1, 2, 5])
def test_a_real_signal(nth):
    ran = subprocess.run([sys.executable, "-c", PROGRAM, str(nth)], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["INTERRUPTED", str(nth - 1), str(nth == 1)]
    assert "Traceback" not in ran.stderr
    assert signal.SIGINT.name not in ran.stderr
