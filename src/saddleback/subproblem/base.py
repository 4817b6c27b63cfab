"""What the program asks of an inner solver."""

from __future__ import annotations

from typing import Protocol

from .._types import Vector
from ..adversary import Adversary
from .dual_subproblem import DualSolution, DualSubproblem


class InnerSolver(Protocol):
    """Solves (D) until the measured cross-evaluation gap is at most ``tol``, or says that it did not."""

    @property
    def name(self) -> str:
        """The name under which reports show this solver."""

    def refusal(self, adversary: Adversary) -> str | None:
        """Why this solver cannot treat the pair (Lambda, R); None when it can."""

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        """A point of Lambda with its measured gap; ``start`` is a guess of lam, feasible or nearly so."""
