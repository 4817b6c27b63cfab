"""A run that survives its process: what a checkpoint holds, when it is written, how a run is taken up again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._types import Vector
from ..._validation import finite_vector, number
from ...errors import ProblemError, warn_user
from ...machine.clock import OutOfTime
from ...machine.files import remove_stale
from ...problem import Problem
from ...result import Status
from ..method import AnyMethod, State
from ..oracle import Memory, Oracle
from ..record import Record
from ..run import Run
from . import collected, foreign, load, save, schema_of
from .destination import checked_path
from .fingerprint import Fingerprint, agree, method_difference
from .state_types import holds_declared_type, type_made_by

Verdict = tuple[Status, str]

# Seconds between two writings unless the caller says otherwise; the last state is always written.
EVERY = 30.0


@dataclass(frozen=True)
class Limits:
    """What a verdict depends on and a resumed run may have otherwise."""

    tol: float
    max_iter: int
    time_limit: float | None
    radius: float | None


@dataclass(frozen=True)
class Standing:
    """Where a run stood."""

    limits: Limits
    status: str | None
    """The name of the status with which the last iteration ended it; None where it was to go on."""
    message: str


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything as it was after one iteration; what the run does later does not change it."""

    standing: Standing
    memory: Memory
    record: Record
    n_entries: int
    state: State

    def parts(self) -> dict[str, Any]:
        """What is written of it: the history grows in place, so that it is cut to its length at the time."""
        record, trace = self.record, self.record.trace
        cut = {member.name: getattr(trace, member.name)[: self.n_entries] for member in fields(trace)}
        record = replace(record, trace=replace(trace, **cut))
        return {"record": record, "state": self.state, "memory": self.memory, "standing": self.standing}


class Keeper:
    """Reads a checkpoint where one is to be resumed, and keeps it up to date; without a path it does nothing."""

    def __init__(
        self,
        method: AnyMethod,
        problem: Problem,
        path: str | PathLike[str] | None,
        resume: bool,
        every: float,
        limits: Limits,
    ) -> None:
        self._path = checked_path(path, resume)
        self._every = number(every, "checkpoint_every", minimum=0.0)
        self._method = method
        self._limits = limits
        self._sizes = {"J": problem.n_losses, "d": problem.n_params}
        self._kinds: dict[str, type] = {
            "record": Record,
            # What the method really makes takes its place when a state is at hand.
            "state": method.state_type,
            "memory": Memory,
            "standing": Standing,
            "fingerprint": Fingerprint,
        }
        self._written = time.monotonic()
        self._last: Snapshot | None = None
        self._oracle: Oracle | None = None
        self._holds = False
        self._warned = False
        self._fingerprint: Fingerprint | None = None
        self._resumed: Snapshot | None = None
        if self._path is None:
            return
        remove_stale(self._path)
        # A state that no file can hold is refused before it is computed.
        schema_of(method.state_type)
        if resume and self._path.exists():
            if holds_declared_type(self._path, method):
                self._resumed = self._read(self._path)
            else:
                self._fingerprint = self._load(self._path, {"fingerprint": Fingerprint}, partial=True)["fingerprint"]

    def _load(self, path: Path, kinds: dict[str, type], *, partial: bool = False) -> dict[str, Any]:
        # The states of two methods have different parts: the methods are compared before the state is read.
        return load(path, self._sizes, kinds, lambda texts: method_difference(texts, self._method), partial=partial)

    def _read(self, path: Path) -> Snapshot:
        parts = self._load(path, self._kinds)
        self._fingerprint = parts.pop("fingerprint")
        record: Record = parts["record"]
        snapshot = Snapshot(**parts, n_entries=len(record.trace.time))
        self._check_plausible(record, snapshot.standing)
        return snapshot

    def _check_plausible(self, record: Record, standing: Standing) -> None:
        """One entry per iteration, a best point that is one, and a known status."""
        trace = record.trace
        lengths = {len(getattr(trace, member.name)) for member in fields(trace)}
        times = np.array(trace.time)
        if len(lengths) != 1 or 0 in lengths or not ((times >= 0.0) & (times < np.inf)).all():
            raise ProblemError(f"checkpoint {self._path} has no history that a run can have; delete it and start anew.")
        if not (np.isfinite([record.best.value, record.size]).all() and record.lower <= record.best.value):
            raise ProblemError(f"checkpoint {self._path} has no best point that a run can have; delete it, start anew.")
        if standing.status is not None and standing.status not in Status.__members__:
            raise ProblemError(f"checkpoint {self._path} has no status that a run can have; delete it and start anew.")

    @property
    def state(self) -> State | None:
        """The state to go on from; None for a new run."""
        return None if self._resumed is None else self._resumed.state

    def start(self, w0: ArrayLike | None) -> Vector:
        """w0 as a vector: zeros unless given, and that of the checkpoint where there is one."""
        d = self._sizes["d"]
        given = None if w0 is None else finite_vector(w0, "w0", d)
        if self._fingerprint is None:
            return np.zeros(d) if given is None else given
        if given is not None and not agree(self._fingerprint.w0, given):
            raise foreign(self._path, "w0 is another one; leave it out, or give the one that it had")
        return self._fingerprint.w0

    def record(self, oracle: Oracle, w0: Vector, scale: Vector) -> Record:
        """What is known so far, with the oracle's memory set to match; refused where it is not about this problem."""
        self._oracle = oracle
        if self._path is None:
            return Record.at_start(oracle)
        if self._fingerprint is None:
            record = Record.at_start(oracle)
            self._fingerprint = Fingerprint.of(oracle, self._method, w0, scale)
            return record
        if self._resumed is None:
            self._kinds["state"] = type_made_by(self._method, oracle)
            self._resumed = self._read(self._path)
        with self._usable():
            return self._compared(oracle, self._fingerprint, self._resumed, scale)

    def _compared(self, oracle: Oracle, fingerprint: Fingerprint, resumed: Snapshot, scale: Vector) -> Record:
        difference = fingerprint.difference(oracle, self._method, scale)
        if difference is not None:
            raise foreign(self._path, difference)
        memory, record = resumed.memory, resumed.record
        oracle.n_evals += memory.n_evals
        oracle.n_values += memory.n_values
        last = memory.recent[-1] if memory.recent else None
        difference = fingerprint.loss_difference(oracle, last, record.best)
        if difference is not None:
            raise foreign(self._path, difference)
        # What it took to compare counts, too.
        oracle.restore(replace(memory, n_evals=oracle.n_evals, n_values=oracle.n_values))
        return record

    def verdict(self, run: Run) -> Verdict | None:
        """Why a resumed run ends where it stands; None where it goes on, or begins.

        Under the limits that it had it goes on as if nothing had happened; under others the question is asked anew.
        """
        if self._resumed is None:
            return None
        standing = self._resumed.standing
        if standing.limits == self._limits:
            return None if standing.status is None else (Status[standing.status], standing.message)
        with self._usable():
            if standing.limits.radius != self._limits.radius:
                run.bound_anew()
            return run.verdict(self._resumed.state)

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Where what a file holds makes arithmetic fail, or the losses, the file is to blame: it was written whole."""
        try:
            yield
        except (ProblemError, OutOfTime):
            raise
        except Exception as error:
            raise ProblemError(
                f"checkpoint {self._path} holds numbers with which no run can go on ({type(error).__name__}: {error}); "
                "give another name to start anew."
            ) from error

    def keep(self, run: Run, state: State, verdict: Verdict | None = None) -> None:
        """Remember the latest state, and write it when the file has grown old.

        ``verdict`` ends the run after this state. One that was interrupted is to go on.
        """
        if self._path is None or not np.isfinite(state.point.value):
            return
        status, message = (None, "") if verdict is None else (verdict[0].name, verdict[1])
        snapshot = Snapshot(
            standing=Standing(self._limits, None if status == Status.INTERRUPTED.name else status, message),
            memory=run.oracle.memory(),
            record=replace(run.record),
            n_entries=len(run.record.trace.time),
            state=state,
        )
        self._kinds["state"] = type(state)
        if not self._holds:
            # What no file can hold is refused now, and not after hours.
            collected(self._sizes, self._kinds, self._parts(snapshot))
            self._holds = True
        self._last = snapshot
        if time.monotonic() - self._written >= self._every:
            self._write(f"checkpoint {self._path} was not written, and the run goes on without")

    def write(self) -> None:
        """Write the latest state, whatever ended the run, with the evaluations that were made since."""
        if self._last is not None and self._oracle is not None:
            now = self._oracle.memory()
            memory = replace(self._last.memory, n_evals=now.n_evals, n_values=now.n_values, n_inner=now.n_inner)
            self._last = replace(self._last, memory=memory)
        self._warned = False
        self._write("the last checkpoint was not written")

    def _parts(self, snapshot: Snapshot) -> dict[str, Any]:
        return {**snapshot.parts(), "fingerprint": self._fingerprint}

    def _write(self, complaint: str) -> None:
        """Write the latest state; a disk that is full costs a warning, and not the run."""
        if self._path is None or self._last is None:
            return
        try:
            # What has come to stand there since the beginning of the run may be somebody else's.
            if self._path.exists():
                checked_path(self._path, resume=False)
            save(self._path, self._sizes, self._kinds, self._parts(self._last))
            self._last = None
        except (OSError, MemoryError, ProblemError) as error:
            if not self._warned:
                self._warned = True
                warn_user(f"{complaint}: {error}")
        self._written = time.monotonic()
