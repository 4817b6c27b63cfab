"""The interface of an inner solver, and its optional members."""

from __future__ import annotations

from typing import Protocol

from .._types import Vector
from ..adversary import Adversary
from ..capabilities import Needs, offers
from .dual_subproblem import DualSolution, DualSubproblem
from .factored_subproblem import is_tall

NO_NEEDS = Needs()


class InnerSolver(Protocol):
    """Solves (D) until the measured cross-evaluation gap is at most ``tol``, or reports that it did not.

    More members are optional: ``needs: ClassVar[Needs]``, the capabilities of (Lambda, R) without which the solver is
    refused, ``square_matrices`` (see `CountsSquareMatrices`) and ``gives_primal`` (see `GivesPrimal`).
    """

    @property
    def name(self) -> str:
        """The name under which reports show this solver."""

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        """A point of Lambda with its measured gap; ``start`` is a guess of lam, feasible or nearly so."""


class CountsSquareMatrices(Protocol):
    """a memory estimate ``square_matrices(adversary, d)``."""

    def square_matrices(self, adversary: Adversary, d: int) -> int:
        """J x J matrices held at the peak where Q = F F' for a factor F of d columns; 0 where only F is used."""


class GivesPrimal(Protocol):
    """primal points, ``gives_primal(adversary, d)``."""

    def gives_primal(self, adversary: Adversary, d: int) -> bool:
        """Whether solutions have a ``primal`` point where Q = F F' for a factor F of d columns: its rounding errors do
        not depend on Q, so that steps may be as long as one likes."""


def gives_primal(solver: InnerSolver, adversary: Adversary, d: int) -> bool:
    """Whether a solver returns primal points; False where it does not say so."""
    return offers(solver, GivesPrimal) and solver.gives_primal(adversary, d)


def needs_of(solver: InnerSolver) -> Needs:
    """The needs that a solver declares; none where it declares none."""
    needs: Needs = getattr(solver, "needs", NO_NEEDS)
    return needs


def applies(solver: InnerSolver, adversary: Adversary) -> bool:
    """Whether (Lambda, R) meets the needs of a solver."""
    return needs_of(solver).unmet(adversary) is None


def square_matrices(solver: InnerSolver, adversary: Adversary, d: int) -> int:
    """J x J matrices that a solver holds at its peak; for a solver that does not count them, Q where it is formed."""
    if offers(solver, CountsSquareMatrices):
        return solver.square_matrices(adversary, d)
    return 0 if is_tall(adversary.n, d) else 1
