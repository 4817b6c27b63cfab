"""The contents of a checkpoint: state of the method, memory of the oracle, run state, and whether the run had ended."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ProblemError
from ...problem import Problem
from ...result import Status
from ..method import State
from ..options import Options
from ..oracle import Memory
from ..run_state import RunState
from ..stopping import Verdict
from .fingerprint import Fingerprint


@dataclass(frozen=True)
class Limits:
    """The options on which a verdict depends; a resumed run may have others."""

    tol: float
    max_iter: int
    time_limit: float | None
    radius: float | None

    @staticmethod
    def of(options: Options) -> Limits:
        stopping = options.stopping
        return Limits(stopping.tol, stopping.max_iter, stopping.time_limit, options.radius)


@dataclass(frozen=True)
class Standing:
    """Whether and why a run had ended."""

    limits: Limits
    status: str | None
    """The name of the status with which the last iteration ended the run; None where it was to go on."""
    message: str

    @staticmethod
    def of(limits: Limits, verdict: Verdict | None) -> Standing:
        """The standing after a verdict; an interrupted run has no status, as it is to go on."""
        if verdict is None:
            return Standing(limits, None, "")
        status, message = verdict
        return Standing(limits, None if status is Status.INTERRUPTED else status.name, message)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A run after one iteration; later iterations do not change it."""

    standing: Standing
    memory: Memory
    run: RunState
    n_entries: int
    """The length of the history: its lists grow in place, and are cut to this length when they are written."""
    state: State

    def parts(self) -> dict[str, Any]:
        """What is written."""
        history = self.run.history
        cut = {member.name: getattr(history, member.name)[: self.n_entries] for member in fields(history)}
        run = replace(self.run, history=replace(history, **cut))
        return {"run": run, "state": self.state, "memory": self.memory, "standing": self.standing}


def sizes_of(problem: Problem) -> dict[str, int]:
    """J and d, which are compared before the rest of a file is read."""
    return {"J": problem.n_losses, "d": problem.n_params}


def kinds_of(state_type: type[State]) -> dict[str, type]:
    """The type of each part of a checkpoint with states of this type."""
    return {
        "run": RunState,
        "state": state_type,
        "memory": Memory,
        "standing": Standing,
        "fingerprint": Fingerprint,
    }


PRECISIONS = tuple(float(np.finfo(kind).eps) for kind in (np.float64, np.float32, np.float16))
"""The relative rounding errors that losses may have."""


def refuse_impossible(path: Path, run: RunState, memory: Memory, standing: Standing) -> None:
    """Raise a ProblemError where the history, the best point, the precision or the status is impossible."""
    history = run.history
    lengths = {len(getattr(history, member.name)) for member in fields(history)}
    times = np.array(history.time)
    wrong = None
    if len(lengths) != 1 or 0 in lengths or not ((times >= 0.0) & (times < np.inf)).all():
        wrong = "history"
    elif not (np.isfinite([run.best.value, run.magnitude]).all() and run.lower <= run.best.value):
        wrong = "best point"
    elif memory.precision not in PRECISIONS:
        wrong = "precision of the losses"
    elif standing.status is not None and standing.status not in Status.__members__:
        wrong = "status"
    if wrong is not None:
        raise ProblemError(f"checkpoint {path} holds an impossible {wrong}; delete it and start anew.")
