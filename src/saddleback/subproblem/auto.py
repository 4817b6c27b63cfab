"""The default inner solver: chooses among the others by capabilities and by the shape of Q."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from .._types import Vector
from ..adversary import Adversary
from ..capabilities import Needs, offers
from ..dual_sets import HasSmoothSupport
from .base import InnerSolver, applies, needs_of, square_matrices
from .dual_subproblem import DualSolution, DualSubproblem
from .frank_wolfe import FrankWolfe
from .incumbent import Incumbent
from .path_following import PathFollowing
from .path_following.path_following import CONTROL as PATH_FOLLOWING
from .projected_gradient import ProjectedGradient
from .qp import QuadraticProgram
from .qp.primal_form import PrimalForm
from .response_newton import CONTROL as RESPONSE_NEWTON
from .response_newton import ResponseNewton
from .sdp import SemidefiniteProgram
from .working_set import WorkingSet

# With fewer losses the order of the solvers does not depend on the shape of Q.
SHAPE_MATTERS_FROM = min(RESPONSE_NEWTON.many_losses, PATH_FOLLOWING.many_losses)


@dataclass(frozen=True)
class AnyOf(Needs):
    """Met where the needs of at least one alternative are."""

    alternatives: tuple[Needs, ...] = ()

    def unmet(self, adversary: Any, losses: object = None) -> str | None:
        reasons = []
        for needs in self.alternatives:
            reason = needs.unmet(adversary, losses)
            if reason is None:
                return None
            reasons.append(reason)
        return ", or ".join(reasons)


# Solvers for sets without a barrier. Where path following applies but misses the gap, rounding errors are the reason,
# and first-order steps do not help.
BARRIER_FREE = (ProjectedGradient, FrankWolfe)


@dataclass(frozen=True)
class AutoControl:
    """The numbers of `Auto`."""

    projected_gradient_steps: int = 300
    """Steps of projected gradients before Frank-Wolfe is tried: enough for well-conditioned problems."""


CONTROL = AutoControl()


class Choice(NamedTuple):
    """The solvers of an `Auto` for one pair (Lambda, R)."""

    among: tuple[InnerSolver, ...]
    """All solvers of the `Auto`."""
    solvers: tuple[InnerSolver, ...]
    """Those that apply."""
    shape_matters: bool
    """Whether their order depends on the shape of Q."""


@dataclass(frozen=True)
class Auto:
    """Runs the first of ``solvers`` that applies; if it misses the gap, the next ones from the best lam so far."""

    name: ClassVar[str] = "auto"
    solvers: tuple[InnerSolver, ...] = (
        QuadraticProgram(),
        WorkingSet(),
        ResponseNewton(),
        PathFollowing(),
        SemidefiniteProgram(),
        ProjectedGradient(max_iter=CONTROL.projected_gradient_steps),
        FrankWolfe(),
    )

    @cached_property
    def needs(self) -> Needs:
        return AnyOf(alternatives=tuple([needs_of(solver) for solver in self.solvers]))

    def applicable(self, adversary: Adversary) -> tuple[InnerSolver, ...]:
        """The solvers whose needs (Lambda, R) meets, without those of BARRIER_FREE where path following applies."""
        return self._choice(adversary).solvers

    def _choice(self, adversary: Adversary) -> Choice:
        """Asked once for each adversary: asking at every call would take too long on small problems."""
        known: Choice | None = adversary.notes.get(id(self.solvers))
        # An adversary that was pickled has those of another process, under ids of that process.
        if known is not None and known.among is self.solvers:
            return known
        solvers = tuple([solver for solver in self.solvers if applies(solver, adversary)])
        if any(isinstance(solver, PathFollowing) for solver in solvers):
            solvers = tuple([solver for solver in solvers if not isinstance(solver, BARRIER_FREE)])
        shape_matters = (
            adversary.n >= SHAPE_MATTERS_FROM
            or offers(adversary.dual_set, HasSmoothSupport)
            or any(isinstance(solver, SemidefiniteProgram) for solver in solvers)
        )
        choice = Choice(self.solvers, solvers, shape_matters)
        adversary.notes[id(self.solvers)] = choice
        return choice

    def square_matrices(self, adversary: Adversary, d: int) -> int:
        """The largest number of any solver that may run; `_ordered` leaves out the quadratic program in some cases."""
        counts = [(solver, square_matrices(solver, adversary, d)) for solver in self.applicable(adversary)]
        many = adversary.n >= PATH_FOLLOWING.many_losses
        if many and any(isinstance(solver, PathFollowing) and n == 0 for solver, n in counts):
            counts = [(solver, n) for solver, n in counts if not isinstance(solver, QuadraticProgram)]
        return max((n for _, n in counts), default=0)

    def gives_primal(self, adversary: Adversary, d: int) -> bool:
        """Whether the solver that is tried first gives primal points."""
        return any(
            isinstance(solver, SemidefiniteProgram) and solver.gives_primal(adversary, d)
            for solver in self.applicable(adversary)
        )

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        if subproblem.adversary.is_point:
            # The equations of a point would be a J x J matrix.
            return Incumbent(subproblem, tol).solution(self.name, 0)
        if subproblem.magnitude == 0 and subproblem.adversary.exact:
            # Without Q the best response to c is the solution, up to rounding.
            start = subproblem.adversary.best_response(subproblem.c).lam
            incumbent = Incumbent(subproblem, tol, start)
            if incumbent.done:
                return incumbent.solution(self.name, 0)
        # `resolve_inner` refuses an adversary to which no solver applies.
        solvers = self._ordered(subproblem)
        best = solvers[0].solve(subproblem, tol, start)
        if best.converged:
            return best
        n_iter = best.n_iter
        for solver in solvers[1:]:
            if best.least_gap <= max(tol, best.rounding_floor):
                break
            solution = solver.solve(subproblem, tol, best.lam)
            n_iter += solution.n_iter
            if solution.least_gap < best.least_gap:
                best = solution
        return best if best.n_iter == n_iter else replace(best, n_iter=n_iter)

    def _ordered(self, subproblem: DualSubproblem) -> tuple[InnerSolver, ...]:
        """The solvers that apply, the fastest for this shape of Q first, without those that are far too slow for it."""
        _, solvers, shape_matters = self._choice(subproblem.adversary)
        if not shape_matters:
            return solvers
        for solver in solvers:
            if isinstance(solver, WorkingSet) and solver.is_fastest(subproblem):
                # Its restricted problems are quadratic programs: one of all losses would not be more accurate.
                return (solver, *(s for s in solvers if not isinstance(s, WorkingSet | QuadraticProgram)))
        solvers = tuple(s for s in solvers if not isinstance(s, WorkingSet))
        if PrimalForm.suits(subproblem):
            return solvers
        if any(isinstance(s, PathFollowing) and s.is_fastest(subproblem) for s in solvers):
            solvers = tuple(s for s in solvers if not isinstance(s, QuadraticProgram))
        for solver in solvers:
            if isinstance(solver, ResponseNewton | SemidefiniteProgram) and solver.is_fastest(subproblem):
                return (solver, *(other for other in solvers if other is not solver))
        return solvers
