"""(D) as a quadratic program, for PIQP."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar

import numpy as np
import piqp
from scipy.linalg.blas import dasum

from ..._types import Vector
from ..._validation import whole
from ...adversary import Adversary
from ...capabilities import Needs
from ...dual_sets import Polyhedral
from ...regularizers import QuadraticForm
from ..dual_subproblem import DualSolution, DualSubproblem
from ..factored_subproblem import is_tall
from ..incumbent import Incumbent
from . import active_set
from .dual_form import DualForm
from .few_losses import CONTROL as FEW
from .few_losses import solve_few
from .primal_form import PrimalForm


@dataclass(frozen=True)
class QuadraticProgramControl:
    """The numbers of `QuadraticProgram`; the largest x_j = lam_j/largest_weight is about one."""

    at_bound: float = 1e-9
    """A coordinate of a start within this distance of a bound is assumed to be active."""
    few_losses: int = 20
    rounds_for_few: int = 1
    rounds_for_more: int = 3
    """Active-set rounds to try from a start before PIQP, which costs at most two of them up to ``few_losses``."""
    loosest_piqp_tol: float = 1e-8
    piqp_tol_share: float = 0.1
    tightest_piqp_tol: float = 1e-13
    """PIQP's tolerance is ``piqp_tol_share`` of the requested gap, within these limits: below the tightest its
    residuals are rounding errors."""
    typical_piqp_iterations: int = 12
    """For estimating the time of a run of PIQP, which cannot be interrupted."""
    square_matrices: int = 7
    """J x J matrices at the peak of the dual form, measured and rounded down."""


CONTROL = QuadraticProgramControl()


@dataclass(frozen=True)
class QuadraticProgram:
    """Proximal interior-point method for dense, possibly singular QPs (Schwan et al., PIQP, 2023), then active sets.

    Applies to polyhedral sets with quadratic (or no) regularizers. The problem is divided by its scale first, so
    that the result does not depend on units. Where PIQP misses the gap, the active-set method continues from the active
    set of its multipliers; from a ``start`` with the right active set it finds the solution without PIQP.
    About 10 iterations of J^3 flops in the dual form, of J r^2 in the primal form, which applies where Q has a factor
    of rank r << J.
    """

    name: ClassVar[str] = "qp"
    needs: ClassVar[Needs] = Needs(dual_set=(Polyhedral,), regularizer=(QuadraticForm,))
    max_iter: int = 25

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of QuadraticProgram"))

    def square_matrices(self, adversary: Adversary, d: int) -> int:
        J = adversary.n
        return 0 if is_tall(J, d) and PrimalForm.fits(adversary, J, d) else CONTROL.square_matrices

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        adversary, n, n_iter = subproblem.adversary, subproblem.c.size, 0
        constraints = adversary.linear_constraints
        assert constraints is not None, "resolve_inner refuses sets that are not polyhedral"
        incumbent = Incumbent(subproblem, tol)
        if start is not None:
            if 1 < n <= FEW.most_losses and constraints.is_simplex_above and isfinite(dasum(start)):
                # Also a start within the tolerance is improved: else lam would stop changing while w moves.
                lam, n_iter, _ = solve_few(subproblem, constraints.lower, adversary.dual_set.restore(start))
                incumbent.offer(lam)
                if incumbent.done:
                    return incumbent.solution(self.name, n_iter)
            incumbent.offer(start)
        if incumbent.done or len(constraints.E) >= n:
            return incumbent.solution(self.name, n_iter)
        form = PrimalForm(subproblem) if PrimalForm.suits(subproblem) else DualForm(subproblem)
        # The active-set method handles only bounds; for sets with other inequalities PIQP's result is returned.
        bounded = constraints.A is None
        if incumbent.lam is not None and bounded:
            x = incumbent.lam / adversary.largest_weight
            free = x - constraints.lower > CONTROL.at_bound
            if constraints.capped:
                free &= constraints.upper - x > CONTROL.at_bound
            rounds = CONTROL.rounds_for_few if n <= CONTROL.few_losses else CONTROL.rounds_for_more
            n_iter += active_set.refine(form.kkt, constraints, x, free, incumbent, rounds)
            if incumbent.done:
                return incumbent.solution(self.name, n_iter)
        adversary.clock.check(CONTROL.typical_piqp_iterations * form.flops)
        outcome = form.run(new_solver(tol / (subproblem.scale or 1.0), self.max_iter))
        n_iter += outcome.result.info.iter
        if np.isfinite(incumbent.offer(outcome.lam)) and not incumbent.done and bounded:
            x = adversary.dual_set.restore(outcome.lam) / adversary.largest_weight
            n_iter += active_set.refine(form.kkt, constraints, x, outcome.free, incumbent, form.rounds)
        reason = "" if incumbent.done else f"PIQP ended with {outcome.result.info.status.name}"
        # `frank_wolfe_bound` covers multipliers of bounds only.
        return incumbent.solution(self.name, n_iter, reason, outcome if bounded else None)


def new_solver(tol: float, max_iter: int) -> Any:
    """PIQP with absolute tolerances, for a problem whose numbers are of magnitude one."""
    solver = piqp.DenseSolver()
    settings = solver.settings
    eps = min(CONTROL.loosest_piqp_tol, max(CONTROL.piqp_tol_share * tol, CONTROL.tightest_piqp_tol))
    settings.eps_abs = settings.eps_duality_gap_abs = eps
    settings.eps_rel = settings.eps_duality_gap_rel = 0.0
    settings.max_iter = max_iter
    return solver
