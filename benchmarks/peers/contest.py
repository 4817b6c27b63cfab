"""Runs the peers on one assignment in turn, in several rounds, and grades their points by the same losses."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import saddleback as sb

from ..recorder import Trajectory
from .assignment import LARGE, Assignment
from .environments import Environments
from .launch import NOT_INSTALLED, Attempt, launch, over
from .problems import problem_of
from .roster import Peer
from .tape import Run

# Below the accuracy of the reference solution.
FLOOR = 1e-8
NOT_TRIED = "not tried"


@dataclass(frozen=True, eq=False)
class Score:
    """One row: for each round the graded runs of all settings, or the reason for a failure."""

    rounds: Sequence[Sequence[Trajectory]] = ()
    setup: float = np.nan
    reason: str = ""
    error: float = np.nan
    """The difference between the peer's own objective and the one computed here."""

    def seconds_to(self, target: float) -> float:
        """The median over the rounds of the best setting's time; nan if most rounds did not reach the target."""
        return _median([min(_arrivals(runs, target), default=np.nan) for runs in self.rounds])

    def value_at(self, seconds: float) -> float:
        """The lowest value of all settings at that time; inf if there was none."""
        return _median([min(_value(run, seconds) for run in runs) for runs in self.rounds])


def contest(
    peers: Sequence[Peer], task: Assignment, environments: Environments, repeats: int, enough: float = np.inf
) -> tuple[float, dict[str, Score]]:
    """The optimum and the score of each row; a job that has taken ``enough`` seconds is not repeated."""
    problem = problem_of(task)
    optimum = reference(problem)
    threads = 1 if task.X.size < LARGE else None
    pythons = {peer: environments.interpreter(peer.folder, peer.imports) for peer in peers}
    attempts: dict[Peer, list[Attempt]] = {peer: [] for peer in peers}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.npz"
        task.write(file)
        for _ in range(repeats):
            for peer, python in pythons.items():
                if python is None or sum(one.seconds for one in attempts[peer]) > enough:
                    continue
                attempts[peer].append(launch(python, peer.module, file, task, peer.runs, threads))
    scores = {name: _score(problem, task, name, attempts[peer]) for peer in peers for name in peer.rows}
    # A peer may be below the reference by rounding: the lowest value counts as the optimum.
    found = [score.value_at(np.inf) for score in scores.values() if score.rounds]
    return min([optimum, *found]), scores


def reference(problem: sb.Problem) -> float:
    """An optimum, certified where rounding allows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        return sb.solve(problem, tol=FLOOR / 10, max_iter=20_000).value


def _score(problem: sb.Problem, task: Assignment, name: str, attempts: Sequence[Attempt]) -> Score:
    if not attempts:
        return Score(reason=NOT_INSTALLED)
    found = [[run for run in attempt.runs if run.name == name] for attempt in attempts]
    rounds = [[_graded(problem, run) for run in runs if run.time] for runs in found]
    if not any(rounds):
        # A run without points hit its own limit; a row without runs was omitted, or the job ended before it.
        reasons = [attempt.reason for attempt in attempts if attempt.reason]
        return Score(reason=reasons[0] if reasons else over(task.budget) if any(found) else NOT_TRIED)
    setup = _median([runs[0].setup for runs in found if runs])
    last = next(run for runs in found for run in runs if run.time)
    return Score([runs for runs in rounds if runs], setup, error=last.claim - problem.value(last.W[-1]))


def _graded(problem: sb.Problem, run: Run) -> Trajectory:
    """g at the points of a run, lowest so far."""
    values = [problem.value(w) if np.isfinite(w).all() else np.inf for w in run.W]
    none = np.zeros(len(values), dtype=np.intp)
    return Trajectory(np.array(run.time), np.minimum.accumulate(values), none, none)


def _median(numbers: Sequence[float]) -> float:
    """The lower median, so that the median value is reached at the median time; nan counts as late."""
    return float(np.sort(numbers)[(len(numbers) - 1) // 2]) if numbers else np.nan


def _arrivals(runs: Sequence[Trajectory], target: float) -> list[float]:
    return [seconds for run in runs if not np.isnan(seconds := run.seconds_to(target))]


def _value(run: Trajectory, seconds: float) -> float:
    before = np.flatnonzero(run.time <= seconds)
    return float(run.value[before[-1]]) if before.size else np.inf
