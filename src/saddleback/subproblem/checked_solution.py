"""Checks of what an inner solver from outside the package returns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..capabilities import is_from_outside
from ..errors import ProblemError
from .base import InnerSolver
from .dual_subproblem import DualSolution, DualSubproblem

# A lam may be outside Lambda by this share of the largest weight; it is restored before it is used.
FEASIBILITY = 1e-9


def must_be_checked(solver: InnerSolver) -> bool:
    """Whether a solver, or one that it may call, is defined outside the package."""
    return any(is_from_outside(part) for part in (solver, *getattr(solver, "solvers", ())))


def checked_solution(solution: object, subproblem: DualSubproblem, tol: float, solver: InnerSolver) -> DualSolution:
    """The solution with a feasible lam and its measured gap; a ProblemError where lam is not a point of Lambda."""
    who, n = f"inner solver {solver.name!r}", subproblem.c.size
    if not isinstance(solution, DualSolution):
        raise ProblemError(f"{who} must return a DualSolution; got {type(solution).__name__}.")
    lam = np.asarray(solution.lam, dtype=np.float64)
    if lam.shape != (n,) or not np.isfinite(lam).all():
        got = f"shape {lam.shape}" if lam.shape != (n,) else "nan or inf"
        raise ProblemError(f"{who} must return a lam of {n} finite weights; got {got}.")
    restored = subproblem.adversary.dual_set.restore(lam)
    moved = float(np.abs(restored - lam).max())
    if moved > FEASIBILITY * subproblem.adversary.largest_weight:
        raise ProblemError(
            f"{who} must return a lam in {subproblem.adversary.dual_set!r}; got one that is outside by {moved:.3g}. "
            "Offer points to subproblem.incumbent.Incumbent, which restores them."
        )
    gap = subproblem.cross_evaluation_gap(restored)
    return replace(solution, lam=restored, gap=gap, converged=gap <= tol, primal=None)
