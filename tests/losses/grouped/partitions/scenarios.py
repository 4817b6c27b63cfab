"""What happens to a run whose cluster is damaged: `python scenarios.py NAME` prints what it has seen."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import dask
import numpy as np

import saddleback as sb
from benchmarks.cluster import fault_problem
from benchmarks.cluster.calls import asked_by
from benchmarks.cluster.fault_problem import bits, solve
from benchmarks.cluster.fault_processes import Processes, processes_of_workers, wait_for_workers

SEEN = {}
N_ROWS = 400
"""Of a partition: evaluations are cheap, as most of the time goes to starting processes."""


def make_losses():
    return fault_problem.make_losses(N_ROWS)


class At:
    """A callback that acts once, after so many iterations."""

    def __init__(self, n_iter, act):
        self.n_iter, self.act, self.acted = n_iter, act, False

    def __call__(self, progress):
        if progress.n_iter >= self.n_iter and not self.acted:
            self.acted = True
            self.act()


def kill(number):
    os.kill(number, signal.SIGKILL)


def killed_workers(nanny):
    """One is killed between two iterations, and one within an evaluation."""
    known = bits(solve(make_losses()))
    with Processes(2, nanny) as processes, processes.client() as client:
        losses = make_losses()
        first, second = processes_of_workers(client).values()

        def act():
            kill(first)
            if nanny:
                threading.Timer(0.05, kill, [second]).start()

        at = At(3, act)
        result = solve(losses, callback=at)
        SEEN["same"] = bits(result) == known
        SEEN["acted"] = at.acted


def all_workers_killed():
    """Dask would wait forever for the workers that tasks were asked of."""
    known = bits(solve(make_losses()))
    with Processes(2, nanny=True) as processes, processes.client() as client:
        losses = make_losses()

        def act():
            for number in processes_of_workers(client).values():
                kill(number)

        SEEN["same"] = bits(solve(losses, callback=At(3, act))) == known


def no_worker_left():
    """A run ends after the cluster's patience, with a checkpoint, which another worker takes up."""
    known = bits(solve(make_losses()))
    with Processes(1) as processes, processes.client() as client, tempfile.TemporaryDirectory() as folder:
        path, losses = Path(folder) / "run", make_losses()
        (number,) = processes_of_workers(client).values()
        with dask.config.set({"saddleback.patience": 1.0}):
            try:
                solve(losses, callback=At(3, lambda: kill(number)), checkpoint=path)
            except sb.errors.ClusterLost as error:
                SEEN["said"] = str(error)
        processes.add_worker()
        wait_for_workers(client, 1)
        # The same losses: their partitions are made anew.
        SEEN["same"] = bits(solve(losses, checkpoint=path, resume=True)) == known


def killed_scheduler():
    """The run ends at once, with a checkpoint, which another cluster takes up."""
    known = bits(solve(make_losses()))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        with Processes(2) as processes, processes.client():
            killed = []

            def act():
                processes.kill_scheduler()
                killed.append(time.monotonic())

            try:
                solve(make_losses(), callback=At(5, act), checkpoint=path)
            except sb.errors.ClusterLost as error:
                SEEN["said"], SEEN["seconds"] = str(error), time.monotonic() - killed[0]
        with Processes(2) as processes, processes.client():
            iterations = []
            result = solve(
                make_losses(),
                checkpoint=path,
                resume=True,
                callback=lambda progress: iterations.append(progress.n_iter),
            )
            SEEN["resumed"], SEEN["same"] = iterations[0], bits(result) == known


def dying_over_and_over():
    """A partition that ends every worker ends the run, with an error that says so."""
    with Processes(1, nanny=True) as processes, processes.client():
        import dask.array as da

        X = da.from_delayed(dask.delayed(_die)(), (10, 2), float)
        with dask.config.set({"saddleback.patience": 30.0}):
            try:
                sb.GroupedLinear(X, np.arange(10) % 2, np.zeros(10))
            except sb.errors.ClusterError as error:
                SEEN["said"] = str(error)


def _die():
    os.kill(os.getpid(), signal.SIGKILL)


class Deadly(sb.losses.PointwiseLoss):
    """Squares; where a file names a process, that is killed within the evaluation."""

    convex = True

    def __init__(self, path):
        self.path = str(path)

    def value_and_slope(self, eta, y):
        try:
            victim = int(Path(self.path).read_text())
            os.unlink(self.path)
        except FileNotFoundError:
            return (eta - y) ** 2, 2 * (eta - y)
        os.kill(victim or os.getpid(), signal.SIGKILL)
        time.sleep(2.0)
        return eta, eta


def within_a_call(victim):
    """A worker, or the scheduler, is killed while workers answer calls."""
    import dask.array as da

    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((60, 3)), rng.standard_normal(60), np.arange(60) % 2
    with tempfile.TemporaryDirectory() as folder, Processes(2) as processes, processes.client():
        path = Path(folder) / "victim"
        losses = sb.GroupedLinear(da.from_array(X, chunks=(10, 3)), y, groups, loss=Deadly(path))
        w = np.ones(losses.n_params)
        known = [x.tobytes() for x in asked_by(losses).evaluate(w)]
        residents = losses._passes.residents
        SEEN["way"], SEEN["holders"] = residents.way, len(set(residents._holdings.holders))
        # A worker kills itself, and 0 is its name for that.
        (path.parent / "next").write_text("0" if victim == "worker" else str(processes._scheduler.pid))
        (path.parent / "next").rename(path)
        begun = time.monotonic()
        try:
            SEEN["same"] = [x.tobytes() for x in losses.evaluate(w)] == known
        except sb.errors.ClusterLost as error:
            SEEN["said"], SEEN["seconds"] = str(error), time.monotonic() - begun
            return
        SEEN["killed"] = not path.exists()
        SEEN["same again"] = [x.tobytes() for x in asked_by(losses).evaluate(w)] == known
        SEEN["holders then"] = len(set(losses._passes.residents._holdings.holders))


def restarted():
    """The partitions are gone for good; new losses are fine."""
    known = bits(solve(make_losses()))
    with Processes(2, nanny=True) as processes, processes.client() as client:
        losses = make_losses()
        client.restart()
        try:
            losses.values(np.zeros(losses.n_params))
        except sb.errors.ClusterLost as error:
            SEEN["said"] = str(error)
        SEEN["same"] = bits(solve(make_losses())) == known


class Slow(sb.losses.PointwiseLoss):
    """Squares, which take half a second while a file is there."""

    convex = True

    def __init__(self, path):
        self.path = str(path)

    def value_and_slope(self, eta, y):
        if os.path.exists(self.path):
            time.sleep(0.5)
        return (eta - y) ** 2, 2 * (eta - y)


def interrupted():
    """Ctrl-C within an evaluation: the run returns, and the cluster is as before."""
    import dask.array as da

    # Shells have what they start in the background ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((60, 3)), rng.standard_normal(60), np.arange(60) % 2
    with tempfile.TemporaryDirectory() as folder, Processes(2) as processes, processes.client():
        path = Path(folder) / "slow"
        losses = sb.GroupedLinear(da.from_array(X, chunks=(10, 3)), y, groups, loss=Slow(path))
        known = bits(solve(losses))

        def act():
            path.touch()
            threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()

        result = solve(losses, callback=At(1, act))
        path.unlink()
        SEEN["status"] = result.status.name
        SEEN["same"] = bits(solve(losses)) == known


SCENARIOS = {
    "nanny": lambda: killed_workers(nanny=True),
    "no nanny": lambda: killed_workers(nanny=False),
    "all workers": all_workers_killed,
    "no worker left": no_worker_left,
    "scheduler": killed_scheduler,
    "worker within a call": lambda: within_a_call("worker"),
    "scheduler within a call": lambda: within_a_call("scheduler"),
    "over and over": dying_over_and_over,
    "restarted": restarted,
    "interrupted": interrupted,
}

if __name__ == "__main__":
    SCENARIOS[sys.argv[1]]()
    print(json.dumps(SEEN))
