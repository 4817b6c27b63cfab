"""Whole calls on tables of people: construction of the losses and solution, against L-BFGS-B on prepared oracles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import saddleback as sb

from ..contestants.smooth import lbfgsb
from ..race import optimum
from ..real_tables import DRUG, L2, RECIPES, look_alikes, read_tables, textbook_tables
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..synthetic import Grouped
from ..timing import side_by_side
from ..writing import count, ratio, small
from .tables import SHAPES

GAMMA, GAP, TOL = 0.01, 1e-8, 1e-9
MOST_STEPS = 15
OURS, PREPARED, KERNEL, NUMPY = "whole call", "solve alone", "L-BFGS-B, our kernel", "L-BFGS-B, NumPy"


@dataclass(frozen=True)
class Outcome:
    shape: tuple[int, int, int]
    seconds: dict[str, float]
    steps: int
    """Of the whole call."""
    exact: sb.Result
    """With gamma = 0."""

    def faster(self, other: str) -> float:
        return self.seconds[other] / self.seconds[OURS]


def measure(options: Options) -> Report:
    if options.scale == "tiny":
        problems = look_alikes({"tiny": (300, 5, 3)})
    else:
        real = read_tables(options.data, RECIPES | {"drug": DRUG}) if options.data else look_alikes(SHAPES)
        problems = textbook_tables() | real
    outcomes = {name: _outcome(problem, options.repeats) for name, problem in problems.items()}
    rows = []
    for name, o in outcomes.items():
        n, d, J = o.shape
        rows.append(
            (
                f"{name} (n = {n}, d = {d}, J = {J})",
                count(o.steps),
                *(ratio(o.seconds[other], o.seconds[OURS]) for other in (PREPARED, KERNEL, NUMPY)),
                count(o.exact.n_iter),
                small(o.exact.gap),
            )
        )
    of_numpy, of_kernel = ([o.faster(other) for o in outcomes.values()] for other in (NUMPY, KERNEL))
    return Report(
        "Tables: whole calls",
        f"Logistic regression with an intercept, l2 = {L2:g}, gamma = {GAMMA:g}: GroupedLinear(...) and "
        f"solve(tol={TOL:g}), from arrays to a certified result, against L-BFGS-B on oracles that are ready, ended "
        f"at the first point within {GAP:g} of the optimum, which it is told. Times in multiples of the whole call. "
        f"The last columns are solve(tol={TOL:g}) with gamma = 0. Threads: kernels {cores()}, BLAS up to "
        f"{blas_threads()}.",
        [
            Table(
                f"gamma = {GAMMA:g}; with gamma = 0 in the last two columns",
                ["table", "steps", PREPARED, KERNEL, NUMPY, "steps, gamma = 0", "certified gap"],
                rows,
            )
        ],
        [
            Demand("times faster than L-BFGS-B in NumPy, the median", float(np.median(of_numpy)), at_least=6),
            Demand("times faster than L-BFGS-B in NumPy, the least", min(of_numpy), at_least=2),
            Demand("times faster than L-BFGS-B on our kernel, the median", float(np.median(of_kernel)), at_least=2),
            Demand("times faster than L-BFGS-B on our kernel, the least", min(of_kernel), at_least=1),
            Demand(
                "steps with gamma = 0, the most", max(o.exact.n_iter for o in outcomes.values()), at_most=MOST_STEPS
            ),
            Demand("certified gap with gamma = 0, the largest", max(map(_proved, outcomes.values())), at_most=TOL),
        ],
        data={name: o.seconds for name, o in outcomes.items()},
    )


def _proved(outcome: Outcome) -> float:
    return outcome.exact.gap if outcome.exact.certified else np.inf


def _outcome(data: Grouped, repeats: int) -> Outcome:
    regularizer = sb.Quadratic(GAMMA)
    problem = sb.Problem(data.fused(), regularizer=regularizer)
    natural = sb.Problem(data.natural(), regularizer=regularizer)
    target = optimum(problem, tol=1e-12).value + GAP
    calls: dict[str, Callable[[], Any]] = {
        OURS: lambda: sb.solve(sb.Problem(data.rebuilt(), regularizer=regularizer), tol=TOL),
        PREPARED: lambda: sb.solve(problem, tol=TOL),
        KERNEL: lambda: lbfgsb(problem, target),
        NUMPY: lambda: lbfgsb(natural, target),
    }
    shape = (len(data.y), problem.n_params, problem.n_losses)
    exact = sb.solve(sb.Problem(problem.losses), tol=TOL)
    return Outcome(shape, side_by_side(calls, repeats), sb.solve(problem, tol=TOL).n_iter, exact)
