"""(D) as a quadratic program, for PIQP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import piqp

from ..._types import Vector
from ..._validation import whole
from ...adversary import Adversary
from ..dual_subproblem import DualSolution, DualSubproblem
from ..incumbent import Incumbent
from . import active_set
from .dual_form import DualForm
from .primal_form import PrimalForm

# lam is of size one, so that this tells what is at a bound from what is not, whatever the units of (D).
AT_BOUND = 1e-9
# Up to this size PIQP costs no more than two rounds of the active set, so that one is enough to try.
SMALL = 20
ITERATIONS = 12
"""What a run takes, about; it cannot be interrupted and knows no time limit."""


@dataclass(frozen=True)
class QuadraticProgram:
    """Proximal interior-point method for dense, possibly singular QPs (Schwan et al., PIQP, 2023), then active sets.

    Applies to polyhedral sets with quadratic (or no) regularizers. The problem is divided by its scale first, so
    that units do not matter. Where PIQP's last digits are missing, the active set that its multipliers show is
    solved exactly; a ``start`` with the right active set is recognized by the same means, without PIQP.
    About 10 iterations of J^3 flops in the dual form, of J r^2 in the primal one, which a factor of rank r << J
    allows.
    """

    max_iter: int = 25

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of QuadraticProgram"))

    @property
    def name(self) -> str:
        return "qp"

    def refusal(self, adversary: Adversary) -> str | None:
        if not hasattr(adversary.dual_set, "linear_constraints"):
            return f"{type(adversary.dual_set).__name__} has no linear_constraints: it is not polyhedral"
        if not hasattr(adversary.regularizer, "quadratic_form"):
            return f"{type(adversary.regularizer).__name__} has no quadratic_form: it is not quadratic"
        return None

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        incumbent, n_iter = Incumbent(subproblem, tol, start), 0
        constraints = subproblem.adversary.linear_constraints
        assert constraints is not None, "resolve_inner refuses sets that are not polyhedral"
        n = subproblem.c.size
        if incumbent.done or len(constraints.E) >= n:
            return incumbent.solution(self.name, n_iter)
        form = PrimalForm(subproblem) if PrimalForm.suits(subproblem) else DualForm(subproblem)
        # An active set is one of bounds: other rows are left to PIQP.
        bounded = constraints.A is None
        if incumbent.lam is not None and bounded:
            x = incumbent.lam / subproblem.adversary.unit
            free = x - constraints.lower > AT_BOUND
            if constraints.capped:
                free &= constraints.upper - x > AT_BOUND
            rounds = 1 if n <= SMALL else 3
            n_iter += active_set.refine(form.kkt, constraints, x, free, incumbent, rounds)
            if incumbent.done:
                return incumbent.solution(self.name, n_iter)
        subproblem.adversary.clock.check(ITERATIONS * form.flops)
        outcome = form.run(new_solver(tol / (subproblem.scale or 1.0), self.max_iter))
        n_iter += outcome.result.info.iter
        if np.isfinite(incumbent.offer(outcome.lam)) and not incumbent.done and bounded:
            lam = subproblem.adversary.dual_set.restore(outcome.lam)
            x = lam / subproblem.adversary.unit
            n_iter += active_set.refine(form.kkt, constraints, x, outcome.free, incumbent, form.rounds)
        reason = "" if incumbent.done else f"PIQP ended with {outcome.result.info.status.name}"
        # Multipliers of other rows than bounds are not part of the certificate.
        return incumbent.solution(self.name, n_iter, reason, outcome if bounded else None)


def new_solver(tol: float, max_iter: int) -> Any:
    """A solver for a problem of size one."""
    solver = piqp.DenseSolver()
    settings = solver.settings
    # Below 1e-13 PIQP's own residuals are rounding; the active set gives the digits that are left.
    settings.eps_abs = settings.eps_duality_gap_abs = min(1e-8, max(0.1 * tol, 1e-13))
    settings.eps_rel = settings.eps_duality_gap_rel = 0.0
    settings.max_iter = max_iter
    return solver
