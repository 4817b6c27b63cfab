"""A run that is killed at any moment and resumed gives the same bits."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from checkpoints import Bowls, SmoothBowls, assert_same_bits, bowls, problem_for, quiet_solve

from saddleback.methods import METHODS

pytestmark = pytest.mark.slow

PAUSE = 0.004
OPTIONS = {"w0": np.ones(6), "tol": 1e-12, "max_iter": 15}


class Slow(Bowls):
    """The same losses, slow enough to be killed in the middle of."""

    def evaluate(self, w):
        time.sleep(PAUSE)
        return bowls(w)


class SlowAndSmooth(Slow, SmoothBowls):
    """The same with an L, for the method that needs one."""


def slow_run(method, path=None, resume=False):
    problem = problem_for(method, losses=(SlowAndSmooth if method == "algorithm-1" else Slow)())
    return quiet_solve(problem, **OPTIONS, method=method, checkpoint=path, resume=resume, checkpoint_every=0)


CHILD = """
import sys
from engine.checkpointing.test_kills import slow_run
print("ready", flush=True)
slow_run(sys.argv[1], sys.argv[2], resume=True)
print("done", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("method", METHODS)
def test_killed_runs_are_resumed_to_the_same_bits(method, tmp_path, request):
    rng = np.random.default_rng([7, list(METHODS).index(method)])
    path = tmp_path / "run.ckpt"
    started = time.perf_counter()
    whole = slow_run(method)
    length = time.perf_counter() - started
    for _ in range(2):
        command = [sys.executable, "-c", CHILD, method, str(path)]
        with subprocess.Popen(command, cwd=request.path.parents[2], stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout.readline() == "ready\n"
            time.sleep(rng.uniform(0.0, length))
            child.send_signal(signal.SIGKILL)
    resumed = slow_run(method, path, resume=True)
    assert_same_bits(resumed, whole)
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.ckpt"], "what the killed ones left is gone"
