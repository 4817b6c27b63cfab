"""A run that survives its process: what a checkpoint holds, when it is written, how a run is taken up again."""

from __future__ import annotations

import time
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from . import checkpoint
from ._types import Vector
from .errors import ProblemError
from .methods import AnyMethod, Method, State
from .oracle import Oracle
from .problem import Problem
from .run import Record, Run

# Seconds between two writings; the last state is always written.
EVERY = 30.0


@dataclass(frozen=True, eq=False)
class Header:
    """What must agree for a run to be taken up again, and the counts it goes on from."""

    method: str
    n_losses: int
    w0: Vector
    scale: Vector
    n_evals: int
    n_values: int
    n_inner: int
    n_inner_failures: int
    violation: str | None


def checked_path(path: str | PathLike[str] | None, resume: bool) -> Path | None:
    """The file to keep, refused where none can be written."""
    if path is None:
        if resume:
            raise ProblemError("resume=True needs checkpoint=..., the file to resume from.")
        return None
    try:
        file = Path(path)
    except TypeError:
        raise ProblemError(f"checkpoint must be a path; got {path!r}.") from None
    if not file.parent.is_dir():
        raise ProblemError(f"checkpoint: there is no directory {file.parent}; create it first.")
    if file.is_dir():
        raise ProblemError(f"checkpoint must be a file; got the directory {file}.")
    return file


class Keeper:
    """Reads a checkpoint where one is to be resumed, and keeps it up to date; without a path it does nothing."""

    def __init__(
        self, method: AnyMethod, problem: Problem, scale: Vector, path: str | PathLike[str] | None, resume: bool
    ) -> None:
        self._path = checked_path(path, resume)
        self._scale = scale
        self._written = time.monotonic()
        self._last: tuple[Run, State] | None = None
        self._header: Header | None = None
        self._record: Record | None = None
        self.state: State | None = None
        """The state to go on from; None for a new run."""
        if self._path is None:
            return
        if resume and self._path.exists():
            kind = method.state_type if isinstance(method, Method) else State
            parts = checkpoint.load(self._path, header=Header, record=Record, state=kind)
            self._header, self._record, self.state = parts["header"], parts["record"], parts["state"]
            self._check(method, problem)

    def _check(self, method: AnyMethod, problem: Problem) -> None:
        assert self._header is not None
        found = (self._header.method, self._header.n_losses, self._header.w0.size)
        wanted = (method.name, problem.n_losses, problem.n_params)
        if found != wanted:
            raise ProblemError(
                f"checkpoint {self._path} is of another run: (method, J, d) = {found}, expected {wanted}. "
                "Resume with the method and the problem that it was written for."
            )
        if not np.array_equal(self._header.scale, self._scale):
            raise ProblemError(f"checkpoint {self._path} is of another metric; resume with the one that it had.")

    def oracle_start(self, w0: Vector) -> Vector:
        """The point from which the whole run counts distances: that of the checkpoint, where there is one."""
        return w0 if self._header is None else self._header.w0

    def record(self, oracle: Oracle) -> Record:
        """What is known so far, with the oracle's counts set to match."""
        if self._header is None or self._record is None:
            return Record.at_start(oracle)
        best, now = self._record.best.value, oracle.point(self._record.best.w, watch=False).value
        if not abs(now - best) <= 1e3 * oracle.precision * (abs(best) + self._record.size):
            raise ProblemError(
                f"checkpoint {self._path} is of another problem: g at its best point is {now:.8g}, it says "
                f"{best:.8g}. Resume with the problem that it was written for."
            )
        oracle.n_evals = self._header.n_evals
        oracle.n_values = self._header.n_values
        oracle.n_inner = self._header.n_inner
        oracle.n_inner_failures = self._header.n_inner_failures
        oracle.watch.violation = self._header.violation
        return self._record

    def keep(self, run: Run, state: State) -> None:
        """Remember the latest state, and write it when the file has grown old."""
        if self._path is not None:
            self._last = run, state
            if time.monotonic() - self._written >= EVERY:
                self.write()

    def write(self) -> None:
        """Write the latest state."""
        if self._path is None or self._last is None:
            return
        run, state = self._last
        oracle = run.oracle
        header = Header(
            method=run.method,
            n_losses=oracle.problem.n_losses,
            w0=np.asarray(oracle.w0),
            scale=self._scale,
            n_evals=oracle.n_evals,
            n_values=oracle.n_values,
            n_inner=oracle.n_inner,
            n_inner_failures=oracle.n_inner_failures,
            violation=oracle.watch.violation,
        )
        checkpoint.save(self._path, header=header, record=run.record, state=state)
        self._written = time.monotonic()
        self._last = None
