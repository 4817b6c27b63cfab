"""Resuming L-BFGS-B, whose state SciPy does not show: its evaluations are replayed from a tape."""

import numpy as np
import pytest
from checkpoints import Bowls, assert_same_bits, bowls, problem, quiet_solve, run

from saddleback.methods import tape

OPTIONS = {"method": "lbfgsb", "tol": 1e-12, "max_iter": 20}


def counting(calls):
    def evaluate(w):
        calls.append(w)
        return bowls(w)

    return type("Counting", (Bowls,), {"evaluate": staticmethod(evaluate)})()


def test_what_was_evaluated_once_is_not_evaluated_again(tmp_path):
    path, calls = tmp_path / "run.ckpt", []
    whole = run(**OPTIONS, callback=lambda now: now.n_iter == 20)

    def stop(now):
        return now.n_iter == 12

    quiet_solve(problem(losses=counting(calls)), np.ones(6), **OPTIONS, checkpoint=path, callback=stop)
    options = {**OPTIONS, "callback": lambda now: now.n_iter == 20}
    resumed = quiet_solve(problem(losses=counting(calls)), np.ones(6), **options, checkpoint=path, resume=True)
    assert_same_bits(resumed, whole)
    # One beside w0 in the first run; at most three to compare the problems in the second.
    assert whole.n_evals + 1 < len(calls) <= whole.n_evals + 4


@pytest.mark.parametrize("kept", [1, 3, 7])
def test_full_tape_costs_evaluations_and_not_the_answer(tmp_path, monkeypatch, kept):
    monkeypatch.setattr(tape, "LARGEST_TAPE_BYTES", kept * 8 * 6)
    path = tmp_path / "run.ckpt"
    whole = run(**OPTIONS)
    run(**{**OPTIONS, "max_iter": 12}, checkpoint=path)
    resumed = run(**OPTIONS, checkpoint=path, resume=True)
    assert_same_bits(resumed, whole)
    assert resumed.n_evals > whole.n_evals + 4


def test_tape_grows_and_earlier_states_keep_theirs():
    recorder = tape.Recorder(tape.Tape.empty(2))
    before = None
    for k in range(200):
        recorder.answer(np.array([k, 0.0]), lambda w: (float(w[0]), w))
        if k == 99:
            before = recorder.tape
    assert before.n_calls == 100
    np.testing.assert_array_equal(before.values, np.arange(100.0))
    np.testing.assert_array_equal(recorder.tape.gradients[:, 0], np.arange(200.0))


def test_other_questions_get_true_answers():
    """Another release of SciPy may take other steps: the rest of the tape is then not used."""
    first = tape.Recorder(tape.Tape.empty(1))
    for x in (1.0, 2.0, 3.0):
        first.answer(np.array([x]), lambda w: (10 * float(w[0]), w))
    second = tape.Recorder(first.tape)

    def ask(w):
        return -1.0, w

    assert second.answer(np.array([1.0]), ask)[0] == 10.0
    assert second.answer(np.array([2.5]), ask)[0] == -1.0
    assert second.answer(np.array([3.0]), ask)[0] == -1.0
    assert second.tape.n_calls == 3


def test_run_that_scipy_ended_ends_again(tmp_path):
    path = tmp_path / "run.ckpt"
    options = {"method": "lbfgsb", "tol": 0.0, "max_iter": 1000}
    first = run(**options, checkpoint=path)
    assert "ended by itself" in first.message
    assert_same_bits(run(**options, checkpoint=path, resume=True), first)
