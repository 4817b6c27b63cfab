"""How many passes a solve takes: evaluations and Hessians to a gap, on tables in memory."""

from __future__ import annotations

import numpy as np

import saddleback as sb

from ..contestants.ours import by
from ..race import Contestant, run_once
from ..report import Options, Report, Table
from ..synthetic import conditioned_data, paper_data

TABLES = {
    "tiny": {"condition 1e2": (300, 5, 3, 1e2)},
    "small": {"condition 1e2": (20_000, 50, 10, 1e2), "condition 1e4": (20_000, 50, 10, 1e4)},
    "full": {"condition 1e2": (100_000, 100, 10, 1e2), "condition 1e4": (100_000, 100, 10, 1e4)},
}
"""Rows, parameters, groups, and the condition number of the columns."""
PAPER = {"small": (500, 10, 100), "full": (2000, 10, 200)}
"""Parameters, groups, and rows of each."""
L2 = 1e-4
GAPS = (1e-4, 1e-8)
METHODS = ("quasi-newton", "newton", "accelerated")
FIRST_ORDER_SECONDS = 60.0
EXACT = 1e-12


def measure(options: Options) -> Report:
    tables = {name: conditioned_data(*shape, L2) for name, shape in TABLES[options.scale].items()}
    if options.scale in PAPER:
        tables["the paper's recipe"] = paper_data(*PAPER[options.scale], 0)
    rows = []
    for name, table in tables.items():
        losses = table.fused()
        problem = sb.Problem(losses)
        optimum = float(sb.solve(problem, method="newton", tol=EXACT, max_iter=1000).value)
        for method in METHODS:
            run = run_once(Contestant(losses, by(method)), sb.Zero(), optimum + GAPS[-1], FIRST_ORDER_SECONDS)
            cells = []
            for gap in GAPS:
                k = run.evaluations_to(optimum + gap)
                cells.append("-" if k is None else f"{k} + {run.hessians_to(optimum + gap)}")
            n, d = table.X.shape
            rows.append((f"{name}, {n:,} x {d}, {losses.n_losses} groups, {method}", *cells))
    return Report(
        "Passes of a solve",
        f"The largest group loss of logistic regression with l2 = {L2:g} (the paper's recipe: without) from w = 0: "
        "evaluations + Hessians until the objective is within a gap of the optimum. A Hessian of newton is a pass over "
        "all rows, one of quasi-newton over a sample. A dash: not within "
        f"{FIRST_ORDER_SECONDS:g} s.",
        [Table("evaluations + Hessians", ["table, method", *(f"gap {gap:g}" for gap in GAPS)], rows)],
        data={"gaps": [float(gap) for gap in np.array(GAPS)]},
    )
