"""Comparison with CVXPY and Clarabel's exponential cones."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np

import saddleback as sb

from ..contestants.conic import ConicSolution, solve_conic
from ..race import certified_run
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..synthetic import conditioned_data
from ..writing import ratio, small

D, J, CONDITION, L2 = 20, 4, 10.0, 1e-4
SIZES = {"tiny": (200, 400), "small": (2000, 6000), "full": (2000, 6000, 20_000)}
ASKED = 6000
# Clarabel stops at about this gap. The tolerance of solve is the gap of Clarabel, but at least this.
FINEST = 1e-9


def measure(options: Options) -> Report:
    rows, ratios = [], {}
    data: dict[str, dict[str, Any]] = {}
    for n in SIZES[options.scale]:
        grouped = conditioned_data(n, D, J, CONDITION, L2)
        problem = sb.Problem(grouped.fused())
        natural = grouped.natural()
        # Each takes some seconds: three rounds are enough for a large ratio.
        try:
            rounds = [solve_conic(natural) for _ in range(min(options.repeats, 3))]
        except cp.SolverError as error:
            # A failure is a row of the table, too.
            rows.append((f"n = {n}", "failed", "failed", "-", "-", "-"))
            data[str(n)] = {"error": str(error)}
            continue
        conic = _median(rounds)
        tight = sb.solve(problem, tol=1e-12)
        accuracy = problem.value(conic.w) - tight.value
        run = certified_run(problem, max(accuracy, FINEST), options.repeats)
        ratios[n] = conic.solver_seconds / run.seconds
        rows.append(
            (
                f"n = {n}",
                ratio(conic.seconds, run.seconds),
                ratio(conic.solver_seconds, run.seconds),
                small(accuracy),
                small(run.result.value - tight.value),
                small(run.result.gap),
            )
        )
        data[str(n)] = {
            "conic_seconds": conic.seconds,
            "clarabel_seconds": conic.solver_seconds,
            "our_seconds": run.seconds,
            "optimum": tight.value,
            "optimum_gap": tight.gap,
            "difference_of_optima": accuracy,
        }
    sizes = list(ratios)
    asked = ASKED if ASKED in ratios else sizes[-1]
    return Report(
        "Against CVXPY with Clarabel",
        f"The largest of {J} group logistic losses, d = {D}, l2 = {L2:g}, gamma = 0. The tolerance of Saddleback is "
        f"the gap of Clarabel, or {FINEST:g}, and is certified; its time is that of the whole call. Clarabel's own "
        "time excludes the construction of the cones by CVXPY. "
        f"Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        [
            Table(
                "times slower than saddleback, and gaps to the optimum",
                ["size", "whole call", "Clarabel alone", "its gap", "our gap", "our certified gap"],
                rows,
            )
        ],
        [
            Demand(f"times faster than Clarabel alone, n = {asked}", ratios[asked], at_least=40),
            Demand(
                f"growth of that from n = {sizes[0]} to {sizes[-1]}", ratios[sizes[-1]] / ratios[sizes[0]], at_least=1
            ),
        ],
        data=data,
    )


def _median(rounds: list[ConicSolution]) -> ConicSolution:
    whole = float(np.median([one.seconds for one in rounds]))
    alone = float(np.median([one.solver_seconds for one in rounds]))
    return ConicSolution(rounds[-1].w, whole, alone)
