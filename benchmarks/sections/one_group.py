"""One group, that is, ordinary logistic regression: comparison with scikit-learn's best solver."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import saddleback as sb

from ..contestants.one_group import SOLVERS, fit, loosest
from ..race import optimum
from ..real_tables import look_alikes, read_tables
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..synthetic import Grouped, conditioned_data
from ..threads import ONE, limited
from ..timing import side_by_side
from ..writing import NOT_REACHED, ratio, small

GAP = 1e-8
LOOK_ALIKES = {"like adult": (32_561, 36, 5), "like compas": (7_214, 6, 6), "like law school": (20_798, 13, 4)}
LOSSES_READY, WHOLE = "solve", "GroupedLinear and solve"


def measure(options: Options) -> Report:
    tables = {name: _measure(data, options.repeats) for name, data in _problems(options).items()}
    header = ["table", LOSSES_READY, WHOLE, *SOLVERS, "our certified gap"]
    rows, shares = [], {}
    for name, (seconds, gap) in tables.items():
        best = min(seconds[solver] for solver in SOLVERS if solver in seconds)
        shares[name] = seconds[WHOLE] / best
        cells = [ratio(seconds[c], best) if c in seconds else NOT_REACHED for c in header[1:-1]]
        rows.append((name, *cells, small(gap)))
    worst = max(shares, key=lambda name: shares[name])
    return Report(
        "One group: against scikit-learn",
        f"Logistic regression with an intercept, to a gap of {GAP:g} of the same objective: every solver with the "
        "loosest of its tolerances 1e-2, 1e-3, ... that reaches it. Times of whole calls, in multiples of "
        f"scikit-learn's best solver. Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        [Table(f"J = 1, to {GAP:g}", header, rows)],
        [
            Demand("time over scikit-learn's best, the median", float(np.median(list(shares.values()))), at_most=0.5),
            Demand(f"time over scikit-learn's best, the largest ({worst})", shares[worst], at_most=1.0),
        ],
        data={name: seconds for name, (seconds, _) in tables.items()},
    )


def _problems(options: Options) -> dict[str, Grouped]:
    if options.scale == "tiny":
        return {"tiny": _one(conditioned_data(200, 5, 1, 10.0, 1e-3))}
    problems = {
        "n = 20000, d = 30": conditioned_data(20_000, 30, 1, 100.0, 1e-4),
        "n = 10000, d = 300": conditioned_data(10_000, 300, 1, 100.0, 1e-4),
    }
    real = read_tables(options.data) if options.data else look_alikes(LOOK_ALIKES)
    # One group: the first grouping of each table is enough.
    firsts = {name.split(" by ")[0]: data for name, data in reversed(real.items())}
    return {name: _one(data) for name, data in {**problems, **firsts}.items()}


def _one(data: Grouped) -> Grouped:
    return replace(data, groups=np.zeros_like(data.groups), fit_intercept=True)


def _measure(data: Grouped, repeats: int) -> tuple[dict[str, float], float]:
    """Median seconds of each solver, and the certified gap of solve."""
    losses = data.fused()
    problem = sb.Problem(losses)
    target = optimum(problem, tol=1e-12).value + GAP
    # The search is not timed; one thread is fast enough for it.
    with limited(ONE):
        tol = loosest(lambda tol: sb.solve(problem, tol=tol).w, problem.value, target)
        theirs = {solver: loosest(partial(fit, data, solver), problem.value, target) for solver in SOLVERS}
    assert tol is not None, "saddleback did not reach its own optimum"
    calls: dict[str, Any] = {
        LOSSES_READY: lambda: sb.solve(problem, tol=tol),
        WHOLE: lambda: sb.solve(sb.Problem(data.rebuilt()), tol=tol),
    }
    calls |= {solver: partial(fit, data, solver, t) for solver, t in theirs.items() if t is not None}
    return side_by_side(calls, repeats), sb.solve(problem, tol=tol).gap
