"""PIQP, set up for problems of size one."""

from __future__ import annotations

from typing import Any

import piqp

ITERATIONS = 12
"""What a run takes, about; it cannot be interrupted and knows no time limit."""


def new_solver(tol: float, max_iter: int) -> Any:
    """A solver for a problem of size one."""
    solver = piqp.DenseSolver()
    settings = solver.settings
    # Below 1e-13 PIQP's own residuals are rounding; the active set gives the digits that are left.
    settings.eps_abs = settings.eps_duality_gap_abs = min(1e-8, max(0.1 * tol, 1e-13))
    settings.eps_rel = settings.eps_duality_gap_rel = 0.0
    settings.max_iter = max_iter
    return solver
