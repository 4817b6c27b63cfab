"""The paper's problem: evaluations and time to each gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import saddleback as sb

from ..contestants.ours import algorithm_1, ours
from ..contestants.smooth import lbfgsb
from ..race import (
    Contestant,
    Standing,
    certified_run,
    optimum,
    race,
    run_once,
    standings_data,
    standings_rows,
)
from ..recorder import Trajectory
from ..report import Demand, Figure, Options, Report, Table, gap_curves
from ..setting import blas_threads, cores
from ..synthetic import Grouped, paper_data
from ..threads import ALL
from ..writing import count, ratio, small

GAPS = (1e-3, 1e-5, 1e-8)
TIMED = 1e-5
EVALUATIONS = {1e-3: 7, 1e-5: 12, 1e-8: 20}
GAMMA = 0.01
OURS = "quasi-newton"
NUMPY, KERNEL, PAPER = "L-BFGS-B, NumPy", "L-BFGS-B, our kernel", "Algorithm 1 of the paper, our kernel"
SEED = 0
# Algorithm 1 needs hundreds of evaluations for small gaps; it only runs for the figure.
PAPER_BUDGET = 60.0


@dataclass(frozen=True)
class Size:
    d: int
    J: int
    N: int
    dtype: type = np.float32


SIZES = {
    "tiny": (Size(20, 3, 40),),
    "small": (Size(500, 10, 500),),
    "full": (Size(5000, 10, 5000), Size(5000, 32, 5000)),
}


@dataclass(frozen=True)
class Outcome:
    """One size and gamma."""

    gamma: float
    optimum: sb.Result
    standings: dict[str, Standing]

    def evaluations(self, gap: float, name: str = OURS) -> float:
        k = self.standings[name].evaluations_to(self.optimum.value + gap)
        return np.nan if k is None else k

    def faster_than(self, name: str, gap: float) -> float:
        target = self.optimum.value + gap
        return self.standings[name].seconds_to(target) / self.standings[OURS].seconds_to(target)


def measure(options: Options) -> Report:
    parts = [_at_size(size, options) for size in SIZES[options.scale]]
    return Report(
        "The paper's problem",
        "Group logistic regression by the paper's recipe, in float32. Times are multiples of those of "
        f"{OURS}, to the same gap of the objective, with L given to Algorithm 1; its evaluations without a "
        "Jacobian only record g and take up to half of its time. NumPy's oracle is X @ w and slopes @ X "
        f"by BLAS. Threads: kernels {cores()}, BLAS up to {blas_threads()}. "
        "'-': not reached, or not applicable: without R, g has no gradient.",
        tables=[table for part in parts for table in part.tables],
        demands=[demand for part in parts for demand in part.demands],
        figures=[figure for part in parts for figure in part.figures],
        data={key: value for part in parts for key, value in part.data.items()},
    )


def _at_size(size: Size, options: Options) -> Report:
    grouped = paper_data(size.d, size.J, size.N, SEED, size.dtype)
    losses, L = grouped.fused(), grouped.smoothness()
    outcomes = [_at_gamma(grouped, losses, L, gamma, options) for gamma in (GAMMA, 0.0)]
    where = f"d = {size.d}, J = {size.J}, N = {size.N}"
    name = f"paper_problem_J{size.J}"
    tables, data = [], {}
    for outcome in outcomes:
        header, rows = standings_rows(outcome.standings, outcome.optimum.value, GAPS, OURS)
        tables.append(Table(f"{where}, gamma = {outcome.gamma:g}", header, rows))
        data[f"{name}_gamma{outcome.gamma:g}"] = {
            "optimum": outcome.optimum.value,
            "optimum_gap": outcome.optimum.gap,
            "standings": standings_data(outcome.standings, outcome.optimum.value, GAPS),
        }
    tables.append(_certified(losses, outcomes, where, options))
    return Report(
        "",
        "",
        tables,
        _demands(size, outcomes),
        [_figure(name, where, outcomes[0])],
        data,
    )


def _at_gamma(grouped: Grouped, losses: Any, L: float, gamma: float, options: Options) -> Outcome:
    regularizer = sb.Quadratic(gamma)
    reference = optimum(sb.Problem(losses, regularizer=regularizer), tol=1e-11, method=OURS)
    contestants = ours(losses, OURS, "auto")
    if gamma > 0:
        contestants |= {KERNEL: Contestant(losses, lbfgsb), NUMPY: Contestant(grouped.natural(), lbfgsb)}
    target = reference.value + GAPS[-1]
    standings = race(contestants, regularizer, target, options.repeats)
    # Run once: over hundreds of evaluations the noise is small.
    paper = run_once(algorithm_1(losses, L), regularizer, reference.value + TIMED, PAPER_BUDGET)
    return Outcome(gamma, reference, standings | {PAPER: Standing([paper], ALL)})


def _certified(losses: Any, outcomes: list[Outcome], where: str, options: Options) -> Table:
    """The results of `solve` with a tolerance."""
    rows = []
    for outcome in outcomes:
        problem = sb.Problem(losses, regularizer=sb.Quadratic(outcome.gamma))
        for tol in GAPS[:-1]:
            run = certified_run(problem, tol, min(options.repeats, 3), method=OURS)
            unit = outcome.standings[OURS].seconds_to(outcome.optimum.value + tol)
            result = run.result
            rows.append(
                (
                    f"gamma = {outcome.gamma:g}, tol = {tol:.0e}",
                    count(result.n_evals + result.n_values),
                    ratio(run.seconds, unit),
                    run.proof,
                    small(result.value - outcome.optimum.value),
                    small(result.gap),
                )
            )
    header = ["solve(tol)", "evaluations", "time", "stopped", "true gap", "certified gap"]
    return Table(f"{where}, as a user runs it (times in multiples of the race's)", header, rows)


def _demands(size: Size, outcomes: list[Outcome]) -> list[Demand]:
    smooth, nonsmooth = outcomes
    label = f"J = {size.J}: "
    demands = [
        Demand(f"{label}evaluations to {gap:.0e}", smooth.evaluations(gap), at_most=most)
        for gap, most in EVALUATIONS.items()
    ]
    demands += [
        Demand(f"{label}times faster than {name} to {TIMED:.0e}", smooth.faster_than(name, TIMED), at_least=least)
        for name, least in ((NUMPY, 8.0), (KERNEL, 4.0))
    ]
    demands += [
        Demand(
            f"{label}evaluations to {gap:.0e}, gamma = 0 over gamma = {GAMMA:g}",
            nonsmooth.evaluations(gap) / smooth.evaluations(gap),
            at_most=1.3,
        )
        for gap in GAPS
    ]
    return demands


def _figure(name: str, where: str, outcome: Outcome) -> Figure:
    unit = outcome.standings[OURS].seconds_to(outcome.optimum.value + TIMED)
    runs: dict[str, Trajectory] = {label: standing.typical for label, standing in outcome.standings.items()}
    curves = gap_curves(runs, outcome.optimum.value, unit, floor=GAPS[-1] / 10)
    title = f"The paper's problem, {where}, gamma = {outcome.gamma:g}"
    return Figure(name, title, f"time / time of {OURS} to {TIMED:.0e}", "gap to the optimum", curves)
