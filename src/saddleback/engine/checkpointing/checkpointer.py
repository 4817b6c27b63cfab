"""Writing checkpoints on a schedule, and starting a run from one."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ..._types import Vector
from ...errors import ProblemError, warn_user
from ...machine.files import remove_stale
from ...problem import Problem
from ..method import AnyMethod, State
from ..options import Options
from ..oracle import Oracle
from ..run import Run
from ..run_state import RunState
from ..stopping import Verdict
from . import collected, save, schema_of
from .contents import Limits, Snapshot, Standing, kinds_of, sizes_of
from .destination import checked_path
from .fingerprint import Fingerprint
from .resumption import Resumption


class Checkpointer:
    """Reads a checkpoint where a run resumes, and writes it while the run goes on; without a path it does nothing."""

    def __init__(self, method: AnyMethod, problem: Problem, options: Options) -> None:
        self._method = method
        self._path = options.checkpoint
        self._every = options.checkpoint_every
        self._limits = Limits.of(options)
        self._sizes = sizes_of(problem)
        self._written = time.monotonic()
        self._last: Snapshot | None = None
        self._oracle: Oracle | None = None
        self._checked = False
        self._last_type: type[State] | None = None
        self._warned = False
        self._fingerprint: Fingerprint | None = None
        self._resumption: Resumption | None = None
        if self._path is None:
            return
        remove_stale(self._path)
        # A state type that a file cannot hold is refused before the run begins.
        schema_of(method.state_type)
        if options.resume and self._path.exists():
            self._resumption = Resumption.read(self._path, method, self._sizes)
            self._fingerprint = self._resumption.fingerprint

    @property
    def state(self) -> State | None:
        """The state to resume from; None for a new run."""
        return None if self._resumption is None else self._resumption.snapshot.state

    def start(self, given: Vector | None) -> Vector:
        """w0: that of the checkpoint, the given one, or zeros."""
        if self._resumption is not None:
            return self._resumption.start(given)
        return np.zeros(self._sizes["d"]) if given is None else given

    def resumed(self, oracle: Oracle, factors: Vector) -> RunState | None:
        """The run state of the checkpoint, with the oracle's memory restored; None for a new run."""
        self._oracle = oracle
        return None if self._resumption is None else self._resumption.take_up(oracle, factors)

    def begin(self, oracle: Oracle, w0: Vector, factors: Vector) -> None:
        """Compute the fingerprint of a new run: one or two more evaluations."""
        if self._path is not None:
            self._fingerprint = Fingerprint.of(oracle, self._method, w0, factors)

    def verdict(self, run: Run) -> Verdict | None:
        """Why a resumed run ends where it stands; None where it goes on, or is new."""
        return None if self._resumption is None else self._resumption.verdict(run, self._limits)

    def keep(self, run: Run, state: State, verdict: Verdict | None = None) -> None:
        """Keep the latest state, and write it when ``checkpoint_every`` seconds have passed.

        ``verdict`` ends the run after this state.
        """
        if self._path is None or not np.isfinite(state.point.value):
            return
        snapshot = Snapshot(
            standing=Standing.of(self._limits, verdict),
            memory=run.oracle.memory(),
            run=replace(run.state),
            n_entries=len(run.state.history.time),
            state=state,
        )
        if self._last_type not in (None, type(state)):
            raise ProblemError(
                f"the states of method {self._method.name!r} must be of one type for a checkpoint; got "
                f"{self._last_type.__name__} and {type(state).__name__}."
            )
        self._last_type = type(state)
        if not self._checked:
            # Contents that a file cannot hold are refused at the first state, not when the first file is due.
            collected(self._sizes, kinds_of(type(state)), self._parts(snapshot))
            self._checked = True
        self._last = snapshot
        if time.monotonic() - self._written >= self._every:
            self._write(f"checkpoint {self._path} was not written, and the run goes on without")

    def write(self) -> None:
        """Write the latest state at the end of the run, with the counters of the evaluations since."""
        if self._last is not None and self._oracle is not None:
            now = self._oracle.memory()
            memory = replace(self._last.memory, n_evals=now.n_evals, n_values=now.n_values, n_inner=now.n_inner)
            self._last = replace(self._last, memory=memory)
        self._warned = False
        self._write("the last checkpoint was not written")

    def _parts(self, snapshot: Snapshot) -> dict[str, Any]:
        return {**snapshot.parts(), "fingerprint": self._fingerprint}

    def _write(self, complaint: str) -> None:
        """Write the latest state; where that fails, as on a full disk, warn once and go on."""
        if self._path is None or self._last is None:
            return
        try:
            # Another program may have put a file there since the beginning of the run.
            if self._path.exists():
                checked_path(self._path, resume=False)
            save(self._path, self._sizes, kinds_of(type(self._last.state)), self._parts(self._last))
            self._last = None
        except (OSError, MemoryError, ProblemError) as error:
            if not self._warned:
                self._warned = True
                warn_user(f"{complaint}: {error}")
        self._written = time.monotonic()
