"""Compares the times of solvers to the same gap, in interleaved rounds."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

import saddleback as sb

from .recorder import Enough, Recorder, Trajectory
from .threads import limited, settings, worth_repeating
from .timing import side_by_side
from .writing import NOT_REACHED, count, ratio

Regularizer: TypeAlias = sb.Zero | sb.Quadratic | sb.Entropy
Solver: TypeAlias = Callable[[sb.Problem], object]
"""Minimizes the problem from w = 0 until the losses end the run."""

# A contestant is repeated until its runs have taken this many seconds: the noise of slow ones is small.
ENOUGH_SECONDS = 60.0
BUDGET = 120.0


@dataclass(frozen=True)
class Contestant:
    """A solver, and its implementation of the losses."""

    losses: Any
    solver: Solver


@dataclass(frozen=True)
class Standing:
    """The runs of one contestant, and the setting of BLAS threads."""

    runs: Sequence[Trajectory]
    threads: str

    @property
    def typical(self) -> Trajectory:
        """The run of median length; the first is slowed down by cold caches."""
        return sorted(self.runs, key=lambda run: float(run.time[-1]))[(len(self.runs) - 1) // 2]

    def seconds_to(self, target: float) -> float:
        """The median over the runs."""
        return float(np.median([run.seconds_to(target) for run in self.runs]))

    def evaluations_to(self, target: float) -> int | None:
        counts = [run.evaluations_to(target) for run in self.runs]
        return None if any(k is None for k in counts) else int(np.median([k for k in counts if k is not None]))

    def hessians_to(self, target: float) -> int:
        return int(np.median([run.hessians_to(target) for run in self.runs]))

    def counts_to(self, target: float) -> str:
        """Evaluations with a Jacobian + evaluations without, if there are any."""
        k, without = self.evaluations_to(target), int(np.median([run.values_to(target) for run in self.runs]))
        return count(k) if k is None or not without else f"{k - without} + {without}"


def race(
    contestants: Mapping[str, Contestant],
    regularizer: Regularizer,
    target: float,
    repeats: int,
    budget: float = BUDGET,
) -> dict[str, Standing]:
    """Run all contestants to the target, in several rounds, with each setting of BLAS threads."""
    runs: dict[str, dict[str, list[Trajectory]]] = {name: {t: [] for t in settings()} for name in contestants}
    for number in range(repeats):
        for name, contestant in contestants.items():
            for setting, some in runs[name].items():
                if sum(run.time[-1] for run in some) > ENOUGH_SECONDS:
                    continue
                with limited(setting):
                    some.append(run_once(contestant, regularizer, target, budget))
            if number == 0:
                kept = worth_repeating({t: some[0].seconds_to(target) for t, some in runs[name].items()})
                runs[name] = {t: runs[name][t] for t in kept}
    return {name: _better([Standing(some, t) for t, some in by.items()], target) for name, by in runs.items()}


def _better(standings: Sequence[Standing], target: float) -> Standing:
    """The one whose median time to the target is lower; the lower value if none reached the target."""

    def key(standing: Standing) -> tuple[float, float]:
        seconds = standing.seconds_to(target)
        return (np.inf if np.isnan(seconds) else seconds), float(standing.runs[0].value[-1])

    return min(standings, key=key)


def run_once(contestant: Contestant, regularizer: Regularizer, target: float, budget: float = BUDGET) -> Trajectory:
    """One run to the target, or until the solver or its time ends."""
    losses = forgetful(contestant.losses)
    plain = sb.Problem(losses, regularizer=regularizer)
    recorder = Recorder(losses, plain.adversary.value, target, budget)
    problem = sb.Problem(recorder, regularizer=regularizer)
    with warnings.catch_warnings():
        # Runs are ended at the target, before the solver's own tests.
        warnings.simplefilter("ignore")
        recorder.start()
        with suppress(Enough):
            contestant.solver(problem)
    return recorder.trajectory


def forgetful(losses: Any) -> Any:
    """The losses without cached properties: every run pays for its own samples and constants."""
    fresh = copy.copy(losses)
    if isinstance(fresh, sb.GroupedLinear):
        fresh._summaries = replace(fresh._summaries)
    for kind in type(losses).__mro__:
        for name, attribute in vars(kind).items():
            if isinstance(attribute, cached_property):
                vars(fresh).pop(name, None)
    return fresh


def proof(result: sb.Result) -> str:
    """Whether a run ended on its certificate or on its estimate, or its status."""
    if not result.success:
        return result.status.value
    return "certified" if result.certified else "estimated"


@dataclass(frozen=True)
class Certified:
    """A run with tol as its only option."""

    result: sb.Result
    seconds: float

    @property
    def proof(self) -> str:
        """Whether the run ended on its certificate or on its estimate."""
        return proof(self.result)


def certified_run(problem: sb.Problem, tol: float, repeats: int, **options: Any) -> Certified:
    """The median time of whole calls of ``solve``."""

    def run() -> sb.Result:
        return sb.solve(replace(problem, losses=forgetful(problem.losses)), tol=tol, **options)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        seconds = side_by_side({"": run}, repeats)[""]
        return Certified(sb.solve(problem, tol=tol, **options), seconds)


def optimum(problem: sb.Problem, tol: float, **options: Any) -> sb.Result:
    """A certified reference, more accurate than the gaps of the tables as far as rounding allows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        return sb.solve(problem, tol=tol, max_iter=20_000, **options)


def standings_rows(
    standings: Mapping[str, Standing], value: float, gaps: Sequence[float], base: str
) -> tuple[list[str], list[list[str]]]:
    """Evaluations to each gap, and times in multiples of those of ``base``."""
    header = ["solver"]
    for gap in gaps:
        header += [f"evaluations to {gap:.0e}", "time"]
    header.append("Hessians")
    body = []
    for name, standing in standings.items():
        line = [name]
        for gap in gaps:
            k = standing.evaluations_to(value + gap)
            unit = standings[base].seconds_to(value + gap)
            line += [
                standing.counts_to(value + gap),
                NOT_REACHED if k is None else ratio(standing.seconds_to(value + gap), unit),
            ]
        line.append(
            str(standing.hessians_to(value + gaps[-1])) if standing.evaluations_to(value + gaps[-1]) else NOT_REACHED
        )
        body.append(line)
    return header, body


def standings_data(standings: Mapping[str, Standing], value: float, gaps: Sequence[float]) -> dict[str, Any]:
    """The same numbers for the file, in seconds."""
    return {
        name: {
            "blas_threads": standing.threads,
            **{
                f"{gap:g}": {
                    "evaluations": standing.evaluations_to(value + gap),
                    "without_jacobian": standing.runs[0].values_to(value + gap),
                    "hessians": standing.runs[0].hessians_to(value + gap),
                    "seconds": standing.seconds_to(value + gap),
                }
                for gap in gaps
            },
        }
        for name, standing in standings.items()
    }
