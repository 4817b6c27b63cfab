"""The inner solver that chooses."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .._types import Vector
from ..adversary import Adversary
from .base import InnerSolver
from .dual_subproblem import DualSolution, DualSubproblem
from .frank_wolfe import FrankWolfe
from .path_following import MANY_LOSSES, PathFollowing
from .primal_form import PrimalForm
from .projected_gradient import ProjectedGradient
from .quadratic_program import QuadraticProgram
from .response_newton import MANY_ROWS, ResponseNewton

# With fewer losses the order of the solvers is that of the list.
FEW = min(MANY_ROWS, MANY_LOSSES)

# For sets without a barrier.
BARRIER_FREE = (ProjectedGradient, FrankWolfe)


@dataclass(frozen=True)
class Auto:
    """The first of ``solvers`` that applies; the next ones, from where it ended, when it does not reach the gap."""

    solvers: tuple[InnerSolver, ...] = (
        QuadraticProgram(),
        ResponseNewton(),
        PathFollowing(),
        # Well-conditioned problems take less; the others are left to Frank-Wolfe steps.
        ProjectedGradient(max_iter=300),
        FrankWolfe(),
    )

    @property
    def name(self) -> str:
        return "auto"

    def refusal(self, adversary: Adversary) -> str | None:
        refusals = [solver.refusal(adversary) for solver in self.solvers]
        return None if None in refusals else "; ".join(str(refusal) for refusal in refusals)

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        best: DualSolution | None = None
        if subproblem.size == 0 and subproblem.adversary.exact:
            # Without Q the best response to c is the solution itself.
            start = subproblem.adversary.best_response(subproblem.c).lam
        n_iter, followed = 0, False
        for solver in self._ordered(subproblem):
            # Where path following misses the gap, rounding is the reason, which first-order steps do not mend.
            if (followed and isinstance(solver, BARRIER_FREE)) or solver.refusal(subproblem.adversary) is not None:
                continue
            solution = solver.solve(subproblem, tol, start if best is None else best.lam)
            n_iter += solution.n_iter
            if best is None or solution.gap < best.gap:
                best = solution
            if best.gap <= max(tol, subproblem.resolution):
                break
            followed = followed or isinstance(solver, PathFollowing)
        assert best is not None, "resolve_inner refuses an adversary that no solver treats"
        return best if best.n_iter == n_iter else replace(best, n_iter=n_iter)

    def _ordered(self, subproblem: DualSubproblem) -> tuple[InnerSolver, ...]:
        """The solvers, with one in front that is made for problems of this shape, and none that is hopeless there."""
        solvers = self.solvers
        if subproblem.c.size < FEW:
            return solvers
        if any(isinstance(s, PathFollowing) and s.prefers(subproblem) for s in solvers) and not PrimalForm.suits(
            subproblem
        ):
            solvers = tuple(s for s in solvers if not isinstance(s, QuadraticProgram))
        for solver in solvers:
            if isinstance(solver, ResponseNewton) and solver.prefers(subproblem):
                return (solver, *(other for other in solvers if other is not solver))
        return solvers
