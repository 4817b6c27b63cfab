"""Runs in which a process of the cluster is killed at a random moment."""

from __future__ import annotations

import os
import signal
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer

import numpy as np

import saddleback as sb
from saddleback.engine.progress import Progress

from .fault_problem import bits, make_losses, solve
from .fault_processes import Processes, processes_of_workers, wait_for_workers

N_WORKERS = 3
MISSES = 20
"""Runs whose kill may come after the last iteration; they are repeated."""


@dataclass(frozen=True)
class Moment:
    """So many seconds after an iteration: a busy machine delays both."""

    n_iter: int
    seconds: float


@dataclass
class Kill:
    """Ends a process at a moment of a run, and knows how far the run was."""

    moment: Moment
    kill: Callable[[], None]
    seconds: float = 0.0
    """Of the whole run."""
    seconds_left: float = 0.0
    """From the kill to the end of the run."""
    _moments: list[float] = field(default_factory=list)
    _killed: float = np.inf
    _timer: Timer | None = None

    def __enter__(self) -> Kill:
        self._begun = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        end = time.monotonic()
        self.seconds, self.seconds_left = end - self._begun, end - self._killed
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()

    def observe(self, progress: Progress) -> None:
        """Called by the run at its start and after each iteration."""
        self._moments.append(time.monotonic())
        if self._timer is None and progress.n_iter >= self.moment.n_iter:
            self._timer = Timer(self.moment.seconds, self._strike)
            self._timer.start()

    @property
    def iterations(self) -> tuple[int, int]:
        """Before and after the kill."""
        before = sum(moment < self._killed for moment in self._moments)
        return max(0, before - 1), len(self._moments) - before

    @property
    def struck(self) -> bool:
        return np.isfinite(self._killed)

    def _strike(self) -> None:
        self._killed = time.monotonic()
        self.kill()


@dataclass
class Counts:
    """Of some runs with a kill each."""

    what: str
    time: str
    """What the seconds are."""
    runs: int = 0
    same: int = 0
    missed: int = 0
    iterations: list[tuple[int, int]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, same: bool, iterations: tuple[int, int], seconds: float) -> None:
        self.runs += 1
        self.same += same
        self.iterations.append(iterations)
        self.seconds.append(seconds)
        note = "the same bits" if same else "OTHER BITS"
        print(f"  {self.what} {self.runs}: killed after iteration {iterations[0]}; {note}", flush=True)

    def line(self) -> str:
        """The counts, and where the kills came."""
        before = [of_one[0] for of_one in self.iterations]
        return (
            f"{self.what}: {self.same} of {self.runs} runs ended at the bits of the undisturbed run; all {self.runs} "
            f"kills in the middle, after {min(before)} to {max(before)} iterations ({self.missed} that missed were "
            f"repeated); {self.time} {statistics.median(self.seconds):.2f} s at the "
            f"median, {max(self.seconds):.2f} s at most"
        )


@dataclass(frozen=True)
class Undisturbed:
    """What every run must end at."""

    bits: bytes
    n_iter: int
    seconds: float

    @classmethod
    def of(cls, losses: sb.GroupedLinear) -> Undisturbed:
        """The faster of two runs: the first one compiles."""
        seconds = []
        for _ in range(2):
            begun = time.monotonic()
            result = solve(losses)
            seconds.append(time.monotonic() - begun)
        return cls(bits(result), result.n_iter, min(seconds))

    def moment(self, rng: np.random.Generator) -> Moment:
        """After any iteration but the last, at any time within the next one."""
        return Moment(int(rng.integers(1, self.n_iter)), float(rng.uniform(0.0, self.seconds / self.n_iter)))


def kill_workers(count: int, rng: np.random.Generator) -> Counts:
    """In every run one worker; half of them come back under a nanny, half are gone and another one joins."""
    counts = Counts("worker killed", "longer than undisturbed by")
    for nanny, runs in ((True, count // 2), (False, count - count // 2)):
        with Processes(N_WORKERS, nanny) as processes, processes.client() as client:
            undisturbed = Undisturbed.of(make_losses())
            goal = counts.runs + runs
            while counts.runs < goal:
                losses = make_losses()
                address, number = sorted(processes_of_workers(client).items())[int(rng.integers(N_WORKERS))]
                with Kill(undisturbed.moment(rng), lambda number=number: os.kill(number, signal.SIGKILL)) as kill:  # type: ignore[misc]
                    result = solve(losses, callback=kill.observe)
                if kill.struck:
                    if not nanny:
                        processes.add_worker()
                    wait_for_workers(client, N_WORKERS, [address])
                if min(kill.iterations) < 1:
                    _missed(counts)
                    continue
                counts.add(bits(result) == undisturbed.bits, kill.iterations, kill.seconds - undisturbed.seconds)
    return counts


def kill_schedulers(count: int, rng: np.random.Generator) -> Counts:
    """In every run; the checkpoint is resumed on another cluster, which is the next one to be killed."""
    counts = Counts("scheduler killed", "ClusterLost after")
    with ExitStack() as last:
        processes = last.enter_context(Processes(N_WORKERS))
        client = last.enter_context(processes.client())
        undisturbed = Undisturbed.of(make_losses())
        while counts.runs < count:
            losses, lost = make_losses(), False
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "run.checkpoint"
                with Kill(undisturbed.moment(rng), processes.kill_scheduler) as kill:
                    try:
                        solve(losses, callback=kill.observe, checkpoint=path)
                    except sb.errors.ClusterLost:
                        lost = True
                if not kill.struck:
                    _missed(counts)
                    continue
                last.close()
                processes = last.enter_context(Processes(N_WORKERS))
                client = last.enter_context(processes.client())
                if not lost or kill.iterations[0] < 1:
                    _missed(counts)
                    continue
                seen: list[int] = []
                result = solve(
                    make_losses(), callback=lambda p, seen=seen: seen.append(p.n_iter), checkpoint=path, resume=True
                )
            # From the checkpoint on, which is not the start.
            assert seen[0] >= kill.iterations[0]
            iterations = kill.iterations[0], undisturbed.n_iter - kill.iterations[0]
            counts.add(bits(result) == undisturbed.bits, iterations, kill.seconds_left)
        assert client.status == "running"
    return counts


def _missed(counts: Counts) -> None:
    counts.missed += 1
    if counts.missed > MISSES:
        raise RuntimeError("kills come after the runs: this machine is too busy to time them")
