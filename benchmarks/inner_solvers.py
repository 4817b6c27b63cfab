"""The inner solvers on random dual subproblems (D), side by side."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import saddleback as sb
from saddleback.adversary import Adversary
from saddleback.subproblem import (
    Auto,
    DualSolution,
    DualSubproblem,
    InnerSolver,
    PathFollowing,
    QuadraticProgram,
    TrustConstr,
)

from .tables import markdown, ratio, seconds

TOL = 1e-8
RANK = 50
SIZES = (10, 30, 100)
REGULARIZERS = (sb.Zero(), sb.Quadratic(0.1), sb.Entropy(0.1))
PAPER = "path-following, paper's schedule"
SOLVERS: dict[str, InnerSolver] = {
    "auto": Auto(),
    "qp": QuadraticProgram(),
    "path-following": PathFollowing(),
    PAPER: PathFollowing("paper"),
    "trust-constr": TrustConstr(),
}
# Short steps take thousands of Newton systems: they are measured up to this J.
LARGEST_FOR_PAPER = 30


def instance(J: int, regularizer: sb.Zero | sb.Quadratic | sb.Entropy, seed: int) -> DualSubproblem:
    """Q = G G' with standard normal G / sqrt(RANK), singular for J > RANK; standard normal c."""
    rng = np.random.default_rng((J, seed))
    G = rng.normal(size=(J, RANK)) / np.sqrt(RANK)
    return DualSubproblem(G @ G.T, rng.normal(size=J), Adversary(sb.Simplex(), regularizer, J))


def contestants(J: int, adversary: Adversary) -> dict[str, InnerSolver]:
    able = {name: solver for name, solver in SOLVERS.items() if solver.refusal(adversary) is None}
    if J > LARGEST_FOR_PAPER:
        del able[PAPER]
    return able


def timed(solver: InnerSolver, subproblem: DualSubproblem) -> tuple[float, DualSolution]:
    """Seconds of one solve; a quick one is timed three times, because the first suffers from the solver before it."""
    times: list[float] = []
    while len(times) < 3 and sum(times) < 0.05:
        started = time.perf_counter()
        solution = solver.solve(subproblem, TOL)
        times.append(time.perf_counter() - started)
    return min(times), solution


def measure(repeats: int) -> list[dict[str, Any]]:
    """One row per size, regularizer and solver: medians over ``repeats`` instances, each solved by all in turn."""
    rows = []
    for J in SIZES:
        for regularizer in REGULARIZERS:
            subproblems = [instance(J, regularizer, seed) for seed in range(repeats)]
            able = contestants(J, subproblems[0].adversary)
            runs: dict[str, list[tuple[float, int, float]]] = {name: [] for name in able}
            for subproblem in subproblems:
                for name, solver in able.items():
                    elapsed, solution = timed(solver, subproblem)
                    # Measured again here, not taken from the solver.
                    gap = subproblem.cross_evaluation_gap(solution.lam)
                    runs[name].append((elapsed, solution.n_iter, gap))
            for name, results in runs.items():
                times, steps, gaps = zip(*results, strict=True)
                rows.append(
                    {
                        "J": J,
                        "regularizer": type(regularizer).__name__,
                        "solver": name,
                        "seconds": float(np.median(times)),
                        "steps": float(np.median(steps)),
                        "largest_gap": max(gaps),
                    }
                )
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    fastest = {key: min(r["seconds"] for r in rows if _cell(r) == key) for key in {_cell(r) for r in rows}}
    return markdown(
        ["solver", "J", "R", "time", "ratio to the fastest", "Newton steps", "largest gap"],
        [
            (
                row["solver"],
                row["J"],
                row["regularizer"],
                seconds(row["seconds"]),
                ratio(row["seconds"], fastest[_cell(row)]),
                f"{row['steps']:.0f}",
                f"{row['largest_gap']:.1e}",
            )
            for row in rows
        ],
    )


def _cell(row: dict[str, Any]) -> tuple[int, str]:
    return row["J"], row["regularizer"]
