"""(D) as a quadratic program, for PIQP."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._types import Vector
from .._validation import whole
from ..adversary import Adversary
from . import active_set
from .dual_form import DualForm
from .dual_subproblem import DualSolution, DualSubproblem
from .incumbent import Incumbent
from .primal_form import PrimalForm

# lam is of size one, so that this tells what is at a bound from what is not, whatever the units of (D).
AT_BOUND = 1e-9
# Up to this size PIQP costs no more than two rounds of the active set, so that one is enough to try.
SMALL = 20


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
        if adversary.linear_constraints is None:
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
            x = incumbent.lam / subproblem.adversary.largest_weight
            free = x - constraints.lower > AT_BOUND
            if constraints.capped:
                free &= constraints.upper - x > AT_BOUND
            rounds = 1 if n <= SMALL else 3
            n_iter += active_set.refine(form.kkt, constraints, x, free, incumbent, rounds)
            if incumbent.done:
                return incumbent.solution(self.name, n_iter)
        outcome = form.run(tol, self.max_iter)
        n_iter += outcome.result.info.iter
        if np.isfinite(incumbent.offer(outcome.lam)) and not incumbent.done and bounded:
            lam = subproblem.adversary.dual_set.restore(outcome.lam)
            x = lam / subproblem.adversary.largest_weight
            n_iter += active_set.refine(form.kkt, constraints, x, outcome.free, incumbent, form.rounds)
        reason = "" if incumbent.done else f"PIQP ended with {outcome.result.info.status.name}"
        # Multipliers of other rows than bounds are not part of the certificate.
        return incumbent.solution(self.name, n_iter, reason, outcome if bounded else None)
