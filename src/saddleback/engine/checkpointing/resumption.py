"""How a run resumes: the file is read, compared with the problem, and its state taken up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ..._types import Vector
from ...errors import ProblemError
from ...machine.clock import OutOfTime
from ...problem import Problem
from ...result import Status
from ..method import AnyMethod
from ..oracle import Oracle
from ..run import Run
from ..run_state import RunState
from ..stopping import Verdict
from . import foreign, load
from .contents import Limits, Snapshot, kinds_of, refuse_impossible, sizes_of
from .fingerprint import Fingerprint, agree, method_difference


@dataclass(frozen=True, eq=False)
class Resumption:
    """A checkpoint that was read, and the method that goes on from it."""

    path: Path
    method: AnyMethod
    fingerprint: Fingerprint
    snapshot: Snapshot

    @staticmethod
    def read(path: Path, method: AnyMethod, problem: Problem) -> Resumption:
        # The states of two methods have different parts: the methods are compared before the state is read.
        parts = load(path, sizes_of(problem), kinds_of(method), lambda texts: method_difference(texts, method))
        fingerprint, run = parts.pop("fingerprint"), parts["run"]
        snapshot = Snapshot(**parts, n_entries=len(run.history.time))
        refuse_impossible(path, run, snapshot.standing)
        return Resumption(path, method, fingerprint, snapshot)

    def start(self, given: Vector | None) -> Vector:
        """The w0 of the checkpoint; another one that was given is refused."""
        if given is not None and not agree(self.fingerprint.w0, given):
            raise foreign(self.path, "w0 differs; leave it out, or give that of the checkpoint")
        return self.fingerprint.w0

    def take_up(self, oracle: Oracle, factors: Vector) -> RunState:
        """The run state, with the oracle's memory restored; refused where the checkpoint is of another problem."""
        with self._blamed():
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
        with self._blamed():
            if standing.limits.radius != limits.radius:
                run.tracker.recompute()
            return run.decision.verdict(self.snapshot.state)

    def _refuse(self, difference: str | None) -> None:
        if difference is not None:
            raise foreign(self.path, difference)

    @contextmanager
    def _blamed(self) -> Iterator[None]:
        """Turn failures of arithmetic, or of the losses, with the file's numbers into a refusal of the file."""
        try:
            yield
        except (ProblemError, OutOfTime):
            raise
        except Exception as error:
            raise ProblemError(
                f"checkpoint {self.path} holds numbers from which no run can go on ({type(error).__name__}: {error}); "
                "give another name to start anew."
            ) from error
