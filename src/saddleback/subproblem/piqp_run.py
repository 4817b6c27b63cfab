"""PIQP: how a problem of size one is given to it, and what it says of (D)."""

from __future__ import annotations

from typing import Any, Protocol

import piqp

from .._types import Vector
from .active_set import Mask


class Outcome(Protocol):
    """PIQP's result, read as one of (D)."""

    @property
    def lam(self) -> Vector:
        """The solution, feasible up to PIQP's accuracy."""

    @property
    def free(self) -> Mask:
        """Where lam is away from its bounds: where a slack is larger than its multiplier."""

    @property
    def lower(self) -> Vector:
        """The multipliers of lam >= lower, in the units of (D)."""

    @property
    def upper(self) -> Vector:
        """The multipliers of lam <= upper, in the units of (D)."""

    @property
    def result(self) -> Any:
        """PIQP's own."""


def new_solver(tol: float, max_iter: int) -> Any:
    """A solver for a problem of size one."""
    solver = piqp.DenseSolver()
    settings = solver.settings
    # Below 1e-13 PIQP's own residuals are rounding; the active set gives the digits that are left.
    settings.eps_abs = settings.eps_duality_gap_abs = min(1e-8, max(0.1 * tol, 1e-13))
    settings.eps_rel = settings.eps_duality_gap_rel = 0.0
    settings.max_iter = max_iter
    return solver
