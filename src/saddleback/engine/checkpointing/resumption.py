"""Resuming a run: read the file, compare it with the problem, restore its state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ..._types import Vector
from ...errors import ProblemError
from ...machine.clock import OutOfTime
from ...result import Status
from ..method import AnyMethod, State
from ..oracle import Oracle
from ..run import Run
from ..run_state import RunState
from ..stopping import Verdict
from . import foreign, load
from .contents import Limits, Snapshot, kinds_of, refuse_impossible
from .fingerprint import Fingerprint, agree, method_difference
from .state_types import holds_declared_type, type_made_by


@dataclass(eq=False)
class Resumption:
    """A checkpoint that was read, and the method that goes on from it."""

    path: Path
    method: AnyMethod
    sizes: dict[str, int]
    fingerprint: Fingerprint
    _snapshot: Snapshot | None

    @staticmethod
    def read(path: Path, method: AnyMethod, sizes: dict[str, int]) -> Resumption:
        """Read the file; without its state where ``method`` does not declare the type, which ``take_up`` then reads."""
        if holds_declared_type(path, method):
            fingerprint, snapshot = _read(path, method, sizes, method.state_type)
            return Resumption(path, method, sizes, fingerprint, snapshot)
        parts = load(path, sizes, {"fingerprint": Fingerprint}, _compared_with(method), partial=True)
        return Resumption(path, method, sizes, parts["fingerprint"], None)

    @property
    def snapshot(self) -> Snapshot:
        assert self._snapshot is not None, "take_up reads what read has left"
        return self._snapshot

    def start(self, given: Vector | None) -> Vector:
        """The w0 of the checkpoint; a different given one is refused."""
        if given is not None and not agree(self.fingerprint.w0, given):
            raise foreign(self.path, "w0 differs; leave it out, or give that of the checkpoint")
        return self.fingerprint.w0

    def take_up(self, oracle: Oracle, factors: Vector) -> RunState:
        """The run state, with the oracle's memory restored; refused where the checkpoint is of another problem."""
        if self._snapshot is None:
            state_type = type_made_by(self.method, oracle)
            self.fingerprint, self._snapshot = _read(self.path, self.method, self.sizes, state_type)
        with self._failures_refused():
            fingerprint, memory, run = self.fingerprint, self.snapshot.memory, self.snapshot.run
            self._refuse(fingerprint.difference(oracle, self.method, factors))
            oracle.n_evals += memory.n_evals
            oracle.n_values += memory.n_values
            last = memory.recent[-1] if memory.recent else None
            self._refuse(fingerprint.loss_difference(oracle, last, run.best))
            # The evaluations of this comparison count, too.
            oracle.restore(replace(memory, n_evals=oracle.n_evals, n_values=oracle.n_values))
            return run

    def verdict(self, run: Run, limits: Limits) -> Verdict | None:
        """Why the run ends where it stands; None where it goes on.

        With the limits of the checkpoint, its own verdict holds; with others the run is judged again.
        """
        standing = self.snapshot.standing
        if standing.limits == limits:
            return None if standing.status is None else (Status[standing.status], standing.message)
        with self._failures_refused():
            if standing.limits.radius != limits.radius:
                run.tracker.recompute()
            return run.decision.verdict(self.snapshot.state)

    def _refuse(self, difference: str | None) -> None:
        if difference is not None:
            raise foreign(self.path, difference)

    @contextmanager
    def _failures_refused(self) -> Iterator[None]:
        """Refuse the file where arithmetic or the losses fail with its numbers."""
        try:
            yield
        except (ProblemError, OutOfTime):
            raise
        except Exception as error:
            raise ProblemError(
                f"checkpoint {self.path} holds numbers from which no run can go on ({type(error).__name__}: {error}); "
                "give another name to start anew."
            ) from error


def _read(
    path: Path, method: AnyMethod, sizes: dict[str, int], state_type: type[State]
) -> tuple[Fingerprint, Snapshot]:
    parts = load(path, sizes, kinds_of(state_type), _compared_with(method))
    fingerprint, run = parts.pop("fingerprint"), parts["run"]
    snapshot = Snapshot(**parts, n_entries=len(run.history.time))
    refuse_impossible(path, run, snapshot.memory, snapshot.standing)
    return fingerprint, snapshot


def _compared_with(method: AnyMethod) -> Callable[[Mapping[str, str]], str | None]:
    """The comparison of methods that `load` makes first, as the states of two methods have different parts."""
    return lambda texts: method_difference(texts, method)
