"""Tables of people with groups, the typical use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import saddleback as sb

from ..contestants.ours import ours
from ..contestants.smooth import lbfgsb
from ..race import Certified, Contestant, certified_run, optimum, race
from ..real_tables import L2, loan_table, look_alikes, read_tables
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..synthetic import Grouped
from ..writing import count, ratio, small

GAMMA, GAP, TOL = 0.01, 1e-8, 1e-9
OURS, KERNEL, NUMPY = "auto", "L-BFGS-B, our kernel", "L-BFGS-B, NumPy"
CHOICES = ("newton", "quasi-newton")
# n, d and J of published tables with groups.
SHAPES = {
    "like adult, 5 groups": (32_561, 36, 5),
    "like adult, 16 groups": (32_561, 36, 16),
    "like compas": (7_214, 6, 6),
    "like law school": (20_798, 13, 4),
}


@dataclass(frozen=True)
class Outcome:
    shape: tuple[int, int, int]
    evaluations: dict[str, int | None]
    seconds: dict[str, float]
    smooth: Certified
    exact: Certified

    @property
    def faster(self) -> float:
        """How many times faster than the better of the two L-BFGS-B."""
        return min(self.seconds[KERNEL], self.seconds[NUMPY]) / self.seconds[OURS]


def measure(options: Options) -> Report:
    if options.scale == "tiny":
        problems = look_alikes({"tiny": (300, 5, 3)})
    else:
        problems = {"loanapp by race x married": loan_table()}
        problems |= read_tables(options.data) if options.data else look_alikes(SHAPES)
    outcomes = {name: _outcome(problem, options.repeats) for name, problem in problems.items()}
    rows, exact_rows = [], []
    for name, o in outcomes.items():
        n, d, J = o.shape
        unit = o.seconds[OURS]
        rows.append(
            (
                f"{name} (n = {n}, d = {d}, J = {J})",
                count(o.evaluations[OURS]),
                count(o.evaluations[KERNEL]),
                *(ratio(o.seconds[other], unit) for other in (*CHOICES, KERNEL, NUMPY)),
            )
        )
        result = o.exact.result
        exact_rows.append(
            (
                name,
                result.method,
                count(result.n_iter),
                ratio(o.exact.seconds, unit),
                ratio(o.smooth.seconds, unit),
                o.exact.proof,
                small(result.gap),
            )
        )
    faster = [o.faster for o in outcomes.values()]
    return Report(
        "Tables with groups",
        f"Logistic regression with an intercept, l2 = {L2:g}, numbers standardized, categories as indicators, groups "
        f"of at least 20 rows. Evaluations and times to a gap of {GAP:g} for gamma = {GAMMA:g}, times in multiples of "
        f"those of {OURS!r}. Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        [
            Table(
                f"gamma = {GAMMA:g}, to {GAP:g}",
                ["table", "evaluations", "of L-BFGS-B", *(f"time, {other}" for other in (*CHOICES, KERNEL, NUMPY))],
                rows,
            ),
            Table(
                f"solve(tol={TOL:g}) with gamma = 0 as a user runs it (times in multiples of the race above)",
                ["table", "method", "steps", "time", f"time, gamma = {GAMMA:g}", "stopped", "certified gap"],
                exact_rows,
            ),
        ],
        [
            Demand("times faster than the better L-BFGS-B, the least", min(faster), at_least=1),
            Demand("times faster than the better L-BFGS-B, the median", float(np.median(faster)), at_least=4),
            Demand(
                "largest certified gap with gamma = 0 and an intercept",
                max(o.exact.result.gap for o in outcomes.values()),
                at_most=TOL,
            ),
        ],
        data={name: {"seconds": o.seconds, "whole_call": o.exact.seconds} for name, o in outcomes.items()},
    )


def _outcome(grouped: Grouped, repeats: int) -> Outcome:
    losses: Any = grouped.fused()
    regularizer = sb.Quadratic(GAMMA)
    smooth = sb.Problem(losses, regularizer=regularizer)
    target = optimum(smooth, tol=1e-12).value + GAP
    contestants = ours(losses, OURS, *CHOICES)
    contestants |= {KERNEL: Contestant(losses, lbfgsb), NUMPY: Contestant(grouped.natural(), lbfgsb)}
    standings = race(contestants, regularizer, target, repeats)
    return Outcome(
        (len(grouped.y), losses.n_params, losses.n_losses),
        {name: standing.evaluations_to(target) for name, standing in standings.items()},
        {name: standing.seconds_to(target) for name, standing in standings.items()},
        certified_run(smooth, TOL, repeats),
        certified_run(sb.Problem(losses), TOL, repeats),
    )
