"""The answer of a peer: points, and the times at which it had them. Their values are computed elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .assignment import Array, Assignment

# A point that comes less than this share of the time after the last is dropped, so that times have this accuracy.
FINENESS = 0.03
OUT_OF_MEMORY = 77


class Enough(Exception):
    """Raised through a solver to end it when its time is up."""


@dataclass(eq=False)
class Run:
    """One run of one method with one setting: W[k] was known ``time[k]`` seconds after the start of solving."""

    name: str
    setting: str = ""
    setup: float = 0.0
    """Seconds from the start of the process to that of solving: imports, reading, conversion, compilation."""
    claim: float = np.nan
    """The objective at the last point as the peer reports it, if it does; only compared."""
    time: list[float] = field(default_factory=list)
    W: list[Array] = field(default_factory=list)


@dataclass(eq=False)
class Tape:
    """The runs of a job. The time of recording a point is not counted."""

    budget: float
    launched: float
    path: Path
    runs: list[Run] = field(default_factory=list)
    _started: float = 0.0
    _solving: float = 0.0
    _latest: tuple[float, Array] | None = None

    @contextmanager
    def run(self, name: str, setting: str = "") -> Iterator[None]:
        """A context whose body is timed, until it ends or its time is up."""
        current = Run(name, setting, time.time() - self.launched - self._solving)
        self._latest = None
        self._started = time.perf_counter()
        self.runs.append(current)
        began = time.time()
        with suppress(Enough):
            yield
        self._solving += time.time() - began
        if self._latest is not None:
            # The last point is kept even if it came soon after another.
            _keep(current, *self._latest)
        # Write after each run, in case the next one is killed.
        self.write()

    def note(self, w: ArrayLike, claim: float = np.nan) -> None:
        """Record that the solver has reached w."""
        now = time.perf_counter()
        seconds, current = now - self._started, self.runs[-1]
        current.claim = claim
        point = np.array(w, dtype=np.float64)
        if current.time and seconds < (1.0 + FINENESS) * current.time[-1]:
            self._latest = (seconds, point)
        else:
            self._latest = None
            _keep(current, seconds, point)
        self._started += time.perf_counter() - now
        if seconds > self.budget:
            raise Enough

    def write(self) -> None:
        time_, W = [t for run in self.runs for t in run.time], [w for run in self.runs for w in run.W]
        np.savez(
            self.path,
            name=np.array([run.name for run in self.runs], dtype=np.str_),
            setting=np.array([run.setting for run in self.runs], dtype=np.str_),
            setup=np.array([run.setup for run in self.runs], dtype=np.float64),
            claim=np.array([run.claim for run in self.runs], dtype=np.float64),
            length=np.array([len(run.time) for run in self.runs], dtype=np.intp),
            time=np.array(time_, dtype=np.float64),
            W=np.array(W, dtype=np.float64),
        )


def read_runs(path: Path, n_params: int) -> list[Run]:
    """The runs of a file; ValueError if the file is not that of a tape."""
    with np.load(path, allow_pickle=False) as file:
        try:
            length, time_, W = file["length"], file["time"], file["W"].reshape(-1, n_params)
            heads = list(zip(*(file[key].tolist() for key in ("name", "setting", "setup", "claim")), strict=True))
        except KeyError as error:
            raise ValueError(f"the file of a job lacks {error}") from None
    _check(length, time_, W)
    ends = np.cumsum(length)
    parts = [slice(int(end - n), int(end)) for end, n in zip(ends, length, strict=True)]
    return [
        Run(str(name), str(setting), float(setup), float(claim), time_[part].tolist(), list(W[part]))
        for (name, setting, setup, claim), part in zip(heads, parts, strict=True)
    ]


def carry_out(solve: Callable[[Assignment, Tape], object]) -> None:
    """The main program of a job; problem file, answer file and launch time are command-line arguments."""
    problem, answer, launched = sys.argv[1:4]
    assignment = Assignment.read(Path(problem))
    try:
        solve(assignment, Tape(assignment.budget, float(launched), Path(answer)))
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)


def _keep(run: Run, seconds: float, w: Array) -> None:
    run.time.append(seconds)
    run.W.append(w)


def _check(length: NDArray[Any], time_: NDArray[Any], W: NDArray[Any]) -> None:
    if not length.sum() == len(time_) == len(W):
        raise ValueError(f"{length.sum()} points were announced, {len(time_)} times and {len(W)} points are there")
    if not (np.isfinite(time_).all() and (time_ >= 0).all()):
        raise ValueError("times must be finite and not negative")
