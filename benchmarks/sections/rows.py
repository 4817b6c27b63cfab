"""Adversaries on rows: CVaR, chi-square and KL balls with one loss per row."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import saddleback as sb

from ..contestants.rows import L2, TOL, RowProblem
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..timing import side_by_side
from ..writing import NOT_REACHED, ratio, small

COLUMNS = 20
LOSSES = ("logistic", "squared")
SIZES = {"tiny": (60,), "small": (1_000, 10_000), "full": (1_000, 10_000, 100_000)}
# Milliseconds of a whole call.
AT_MOST = {1_000: 20.0, 10_000: 150.0, 100_000: 1_500.0}
FASTER, MOST_TABLES = 10.0, 3.0
# Clarabel is given this many seconds, and run once where it takes more than the other number.
TIME_LIMIT, REPEATED_BELOW = 60.0, 2.0
SETS: dict[str, sb.DualSet] = {
    "CVaR 0.1": sb.CappedSimplex(0.1),
    "CVaR 0.3": sb.CappedSimplex(0.3),
    "chi2 1": sb.Chi2Ball(1.0),
    "KL 0.5": sb.KLBall(0.5),
}
# Measured as well, without a limit of time.
FURTHER: dict[str, sb.DualSet] = {"TV 0.2": sb.TVBall(0.2)}
# CVXPY + Clarabel up to this many rows.
CONIC_ROWS = {"tiny": 60, "small": 1_000, "full": 10_000}


def measure(options: Options) -> Report:
    sizes = SIZES[options.scale]
    rows, demands, data = [], [], {}
    for n in sizes:
        for loss in LOSSES:
            for name, dual_set in (SETS | FURTHER).items():
                problem = RowProblem.random(n, COLUMNS, loss, dual_set)
                line, kept = _compare(problem, options, conic=n <= CONIC_ROWS[options.scale])
                rows.append((f"{loss}, {name}, n = {n:,}", *line))
                data[f"{loss}, {name}, {n}"] = kept
    for n in sizes:
        kept_of_size = [data[f"{loss}, {name}, {n}"] for loss in LOSSES for name in SETS]
        slowest = max(kept["seconds"] for kept in kept_of_size)
        if n in AT_MOST:
            demands.append(Demand(f"rows, n = {n:,}: milliseconds of the slowest call", 1e3 * slowest, AT_MOST[n]))
        ratios = [kept["conic"] / kept["seconds"] for kept in kept_of_size if "conic" in kept]
        if ratios and n in AT_MOST:
            what = f"rows, n = {n:,}: times faster than CVXPY with Clarabel, the least"
            demands.append(Demand(what, min(ratios), at_least=FASTER))
    certified = float(all(kept["certified"] for kept in data.values()))
    demands.append(Demand("rows: share of problems that were certified", certified, at_least=1.0))
    memory = _memory(sizes[-1])
    if sizes[-1] in AT_MOST:
        demands.append(Demand("rows: largest memory of a call, in tables", memory, at_most=MOST_TABLES))
    hard = _hard_cases(sizes[0])
    solved = float(np.mean([case["certified"] for case in hard.values()]))
    demands.append(Demand("rows: share of hard cases that were certified", solved, at_least=1.0))
    cells = [(name, case["steps"], f"{1e3 * case['seconds']:.1f}", small(case["gap"])) for name, case in hard.items()]
    header = ["problem", "milliseconds", "steps", "certified gap", "Clarabel's time", "Clarabel's value less ours"]
    return Report(
        "Adversaries on rows",
        f"Every row is a loss of its own (groups='rows'), d = {COLUMNS}, l2 = {L2:g}, to a certified gap of {TOL:g}: "
        "whole calls with the construction of the losses, against CVXPY with Clarabel at its default tolerances, whole "
        f"calls too, in multiples of our time. Memory is the largest traced during a call with {sizes[-1]:,} rows, "
        "beyond the user's table and in multiples of it. "
        f"Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        [
            Table("adversaries on rows", header, rows),
            Table(f"hard cases, n = {sizes[0]:,}", ["problem", "steps", "milliseconds", "certified gap"], cells),
        ],
        demands,
        data={"runs": data, "hard": hard},
    )


def _compare(problem: RowProblem, options: Options, *, conic: bool) -> tuple[tuple[Any, ...], dict[str, Any]]:
    result = problem.solve()
    kept: dict[str, Any] = {"certified": result.certified, "gap": result.gap, "steps": result.n_iter}
    calls: dict[str, Callable[[], Any]] = {"ours": problem.solve}
    theirs: tuple[Any, ...] = (NOT_REACHED, NOT_REACHED)
    if conic:
        started = time.perf_counter()
        w = problem.solve_conic(TIME_LIMIT)
        seconds = time.perf_counter() - started
        if w is not None:
            kept["difference"] = problem.value(w) - problem.value(result.w)
            if seconds <= REPEATED_BELOW:
                calls["conic"] = problem.solve_conic
            else:
                kept["conic"] = seconds
    times = side_by_side(calls, options.repeats)
    kept["seconds"] = times["ours"]
    if "conic" in times:
        kept["conic"] = times["conic"]
    if "conic" in kept:
        theirs = (ratio(kept["conic"], kept["seconds"]), small(kept["difference"]))
    return (f"{1e3 * kept['seconds']:.1f}", result.n_iter, small(result.gap), *theirs), kept


def _memory(n: int) -> float:
    """The largest memory of a call beyond the table itself, in multiples of the table."""
    largest = 0
    for dual_set in (SETS | FURTHER).values():
        problem = RowProblem.random(n, COLUMNS, "logistic", dual_set)
        problem.solve()
        tracemalloc.start()
        problem.solve()
        largest = max(largest, tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return largest / problem.X.nbytes


def _hard_cases(n: int) -> dict[str, dict[str, Any]]:
    """Ties of all losses at the answer, the smallest shares of rows, and radii near their ends."""
    ends = {
        "CVaR 0.01": sb.CappedSimplex(0.01),
        "chi2, radius n - 2": sb.Chi2Ball(n - 2.0),
        "KL, radius 0.98 log n": sb.KLBall(0.98 * float(np.log(n))),
    }
    cases = {f"w = 0, {name}": RowProblem.random(n, COLUMNS, "logistic", s, ties=True) for name, s in SETS.items()}
    for loss in LOSSES:
        cases |= {f"{loss}, {name}": RowProblem.random(n, COLUMNS, loss, s) for name, s in ends.items()}
    outcomes = {}
    for name, problem in cases.items():
        started = time.perf_counter()
        # Not from w = 0, where the answer of some of them is.
        result = problem.solve(w0=np.ones(COLUMNS))
        seconds = time.perf_counter() - started
        gap, certified = float(result.gap), bool(result.certified)
        outcomes[name] = {"certified": certified, "gap": gap, "steps": result.n_iter, "seconds": seconds}
    return outcomes
