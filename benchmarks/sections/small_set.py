"""Whole calls on 38 small problems, compared with SLSQP in epigraph form, and the same problems in random units."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import saddleback as sb

from ..contestants.epigraph import slsqp
from ..recorder import Array
from ..report import Demand, Options, Report, Table
from ..small_set import Small, small_problems
from ..threads import ONE, limited
from ..timing import side_by_side
from ..writing import count, ratio, small

ACCURACY = 1e-7
"""Of the objective, relative to max(1, |optimum|)."""
TINY = ("CB2", "Rosen-Suzuki", "enclosing ball (d = 2, J = 6)")
DECADES = 3.0
"""Random units are 10^u with u between -DECADES and DECADES."""
N_UNITS = 3
MAX_TIME_RATIO, MAX_EVALUATION_RATIO, MAX_IN_UNITS = 1.2, 0.7, 1321
"""The last is the number of evaluations that a prototype took in all, once in random units."""


@dataclass
class Counted:
    """A problem whose evaluations are counted, and the number of the first that reached a target."""

    problem: Small
    target: float
    n: int = 0
    first: int | None = None

    @property
    def n_losses(self) -> int:
        return len(self.problem.pair(self.problem.start)[0])

    @property
    def n_params(self) -> int:
        return self.problem.start.size

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        f, G = self.problem.pair(w)
        self.n += 1
        if self.first is None and f.max() <= self.target:
            self.first = self.n
        return f, G


@dataclass(frozen=True)
class Outcome:
    name: str
    optimum: float
    gap: float
    certified: bool
    ours: Counted
    theirs: Counted | None
    seconds: dict[str, float]

    @property
    def time_ratio(self) -> float:
        return self.seconds["ours"] / self.seconds["SLSQP"] if self.theirs else 0.0

    @property
    def evaluation_ratio(self) -> float:
        first = np.inf if self.ours.first is None else float(self.ours.first)
        return first / self.theirs.first if self.theirs and self.theirs.first else 0.0


def measure(options: Options) -> Report:
    problems = {k: v for k, v in small_problems().items() if options.scale != "tiny" or k in TINY}
    # One thread: every solver is slower with more on systems of this size.
    with limited(ONE), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = [_outcome(name, problem, options.repeats) for name, problem in problems.items()]
        in_units = [_in_units(problems, outcomes, seed) for seed in range(N_UNITS)]
    rows = [
        (
            f"{o.name} (d = {o.ours.n_params}, J = {o.ours.n_losses})" if "=" not in o.name else o.name,
            count(o.ours.first),
            count(o.theirs.first if o.theirs else None),
            count(o.ours.n),
            count(o.theirs.n if o.theirs else None),
            f"{1e3 * o.seconds['ours']:.2f}",
            ratio(o.seconds["ours"], o.seconds["SLSQP"]) if o.theirs else "-",
            small(o.gap),
            "yes" if o.certified else "no",
        )
        for o in outcomes
    ]
    header = [
        "problem",
        "to 1e-7",
        "SLSQP",
        "whole call",
        "SLSQP",
        "our ms",
        "in SLSQP's times",
        "our error",
        "certified",
    ]
    units = [(f"{seed + 1}", str(total), str(unsolved)) for seed, (total, unsolved) in enumerate(in_units)]
    return Report(
        "Small set",
        f"`minimax` with tol = {ACCURACY:g} max(1, |optimum|), against SLSQP on the epigraph form with the loosest of "
        "its tolerances 1e-4, 1e-5, ... whose answer has that accuracy. Evaluations until that accuracy, and in the "
        "whole call, which for ours includes those that confirm convergence (the Hessian, convexity across the "
        "region); times of whole calls. In random units, parameter i is multiplied by 10^u_i, u_i uniform between "
        f"-{DECADES:g} and {DECADES:g}. One BLAS thread.",
        [
            Table("evaluations and times", header, rows),
            Table("in random units, all problems", ["draw", "evaluations of whole calls", "unsolved"], units),
        ],
        [
            Demand(
                "median of our time over SLSQP's",
                float(np.median([o.time_ratio for o in outcomes])),
                at_most=MAX_TIME_RATIO,
            ),
            Demand(
                "median of our evaluations over SLSQP's, to 1e-7",
                float(np.median([o.evaluation_ratio for o in outcomes])),
                at_most=MAX_EVALUATION_RATIO,
            ),
            Demand("largest error", max(o.gap for o in outcomes), at_most=ACCURACY),
            Demand("unsolved in random units", float(sum(unsolved for _, unsolved in in_units)), at_most=0),
            Demand(
                "evaluations in random units, the most of a draw",
                float(max(total for total, _ in in_units)),
                at_most=MAX_IN_UNITS,
            ),
        ],
        data={o.name: {"seconds": o.seconds, "n_evals": o.ours.n, "optimum": o.optimum} for o in outcomes},
    )


def _outcome(name: str, problem: Small, repeats: int) -> Outcome:
    best = min(_values(problem))
    scale = max(1.0, abs(best))
    tol = ACCURACY * scale
    ours = Counted(problem, best + tol)
    result = sb.minimax(ours.evaluate, problem.start, jac=True, tol=tol)
    calls: dict[str, Callable[[], Any]] = {"ours": lambda: sb.minimax(problem.pair, problem.start, jac=True, tol=tol)}
    theirs = ftol = None
    for k in range(4, 16):
        counted = Counted(problem, best + tol)
        answer: Any = slsqp(problem.start, 10.0**-k)(sb.Problem(counted))
        if problem.pair(answer.x[:-1])[0].max() <= best + tol:
            theirs, ftol = counted, 10.0**-k
            break
    if ftol is not None:
        solver, posed = slsqp(problem.start, ftol), sb.Problem(_plain(problem))
        calls["SLSQP"] = lambda: solver(posed)
    gap = (result.value - best) / scale
    return Outcome(name, best, gap, result.certified, ours, theirs, side_by_side(calls, repeats))


@dataclass(frozen=True, eq=False)
class _Plain:
    """The same losses, not counted."""

    evaluate: Callable[[Array], tuple[Array, Array]]
    n_losses: int
    n_params: int


def _plain(problem: Small) -> _Plain:
    return _Plain(problem.pair, *problem.pair(problem.start)[1].shape)


def _values(problem: Small) -> list[float]:
    """Values of answers with the tightest tolerances, the least of which is taken for the optimum."""
    tight: Any = slsqp(problem.start, 1e-15)(sb.Problem(_plain(problem)))
    ours = [sb.minimax(problem.pair, problem.start, jac=True, tol=tol, max_iter=5000).value for tol in (1e-10, 1e-12)]
    return [*ours, float(problem.pair(tight.x[:-1])[0].max())]


def _in_units(problems: dict[str, Small], outcomes: list[Outcome], seed: int) -> tuple[int, int]:
    """The evaluations of all problems in random units, and how many of them are not solved."""
    rng, total, unsolved = np.random.default_rng(seed), 0, 0
    for problem, outcome in zip(problems.values(), outcomes, strict=True):
        units = 10.0 ** rng.uniform(-DECADES, DECADES, problem.start.size)
        tol = ACCURACY * max(1.0, abs(outcome.optimum))
        counted = Counted(problem.in_units(units), outcome.optimum + tol)
        result = sb.minimax(counted.evaluate, counted.problem.start, jac=True, tol=tol)
        total, unsolved = total + counted.n, unsolved + (not result.value <= outcome.optimum + tol)
    return total, unsolved
