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
    applies,
)

from ..race import Regularizer
from ..report import Options, Report, Table
from ..threads import ONE, limited
from ..writing import ratio, small

TOL = 1e-8
RANK = 50
SIZES = {"tiny": (4,), "small": (10, 30, 100), "full": (10, 30, 100, 300)}
REGULARIZERS = (sb.Zero(), sb.Quadratic(0.1), sb.Entropy(0.1))
PAPER, SCIPY = "path-following, paper's schedule", "trust-constr"
SOLVERS: dict[str, InnerSolver] = {
    "auto": Auto(),
    "qp": QuadraticProgram(),
    "path-following": PathFollowing(),
    PAPER: PathFollowing("paper"),
    SCIPY: TrustConstr(),
}
# The largest J for slow solvers: short steps take thousands of Newton systems, SciPy's solver hundreds of slow ones.
LARGEST_J = {PAPER: 30, SCIPY: 100}


def measure(options: Options) -> Report:
    # One thread: for small systems thread pools would dominate the times.
    with limited(ONE):
        rows = _rows(SIZES[options.scale], options.repeats)
    return Report(
        "Inner solvers",
        f"Random dual subproblems on the simplex, solved to a cross-evaluation gap of {TOL:g}; medians of "
        f"{options.repeats} instances, each solved by every solver in turn, in multiples of the fastest. A step is one "
        "linear system of the solver; the largest gap is measured outside the solver. One BLAS thread.",
        [_table(rows)],
        data={"rows": rows},
    )


def instance(J: int, regularizer: Regularizer, seed: int) -> DualSubproblem:
    """Q = G G' with standard normal G / sqrt(RANK), singular for J > RANK; standard normal c."""
    rng = np.random.default_rng((J, seed))
    G = rng.normal(size=(J, RANK)) / np.sqrt(RANK)
    return DualSubproblem(G @ G.T, rng.normal(size=J), Adversary(sb.Simplex(), regularizer, J))


def contestants(J: int, adversary: Adversary) -> dict[str, InnerSolver]:
    return {
        name: solver for name, solver in SOLVERS.items() if applies(solver, adversary) and LARGEST_J.get(name, J) >= J
    }


def timed(solver: InnerSolver, subproblem: DualSubproblem) -> tuple[float, DualSolution]:
    """Seconds of one solve; a quick one is timed three times, because the first is slowed down by cold caches."""
    times: list[float] = []
    while len(times) < 3 and sum(times) < 0.05:
        started = time.perf_counter()
        solution = solver.solve(subproblem, TOL)
        times.append(time.perf_counter() - started)
    return min(times), solution


def _rows(sizes: tuple[int, ...], repeats: int) -> list[dict[str, Any]]:
    """One row per size, regularizer and solver: medians over ``repeats`` instances, each solved by all in turn."""
    rows = []
    for J in sizes:
        for regularizer in REGULARIZERS:
            subproblems = [instance(J, regularizer, seed) for seed in range(repeats)]
            able = contestants(J, subproblems[0].adversary)
            runs: dict[str, list[tuple[float, int, float]]] = {name: [] for name in able}
            for subproblem in subproblems:
                for name, solver in able.items():
                    elapsed, solution = timed(solver, subproblem)
                    # Computed here, independently of the solver.
                    runs[name].append((elapsed, solution.n_iter, subproblem.cross_evaluation_gap(solution.lam)))
            for name, results in runs.items():
                times, steps, gaps = zip(*results, strict=True)
                rows.append(
                    {
                        "J": J,
                        "regularizer": type(regularizer).__name__,
                        "solver": name,
                        "seconds": float(np.median(times)),
                        "steps": float(np.median(steps)),
                        "largest_gap": float(max(gaps)),
                    }
                )
    return rows


def _table(rows: list[dict[str, Any]]) -> Table:
    fastest = {key: min(r["seconds"] for r in rows if _cell(r) == key) for key in {_cell(r) for r in rows}}
    body = [
        (
            row["solver"],
            row["J"],
            row["regularizer"],
            ratio(row["seconds"], fastest[_cell(row)]),
            f"{row['steps']:.0f}",
            small(row["largest_gap"]),
        )
        for row in rows
    ]
    return Table("random (D)", ["solver", "J", "R", "time", "Newton steps", "largest gap"], body)


def _cell(row: dict[str, Any]) -> tuple[int, str]:
    return row["J"], row["regularizer"]
