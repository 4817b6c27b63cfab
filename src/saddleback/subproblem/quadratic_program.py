"""(D) as a quadratic program, for PIQP."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import piqp

from .._types import Matrix, Vector
from ..adversary import Adversary
from ..dual_sets import LinearConstraints, Polyhedral
from ..regularizers import QuadraticForm
from . import active_set
from .dual_subproblem import DualSolution, DualSubproblem, Multipliers
from .incumbent import Incumbent


@dataclass(frozen=True)
class QuadraticProgram:
    """Proximal interior-point method for dense, possibly singular QPs (Schwan et al., PIQP, 2023), then active sets.

    Applies to polyhedral sets with quadratic (or no) regularizers. The problem is divided by its scale first, so
    that units do not matter. Where PIQP's last digits are missing, the active set that its multipliers show is
    solved exactly; a ``start`` with the right active set is recognized by the same means, without PIQP.
    About 10 iterations of J^3 flops.
    """

    max_iter: int = 25

    @property
    def name(self) -> str:
        return "qp"

    def refusal(self, adversary: Adversary) -> str | None:
        if not isinstance(adversary.dual_set, Polyhedral):
            return f"{type(adversary.dual_set).__name__} has no linear_constraints: it is not polyhedral"
        if not isinstance(adversary.regularizer, QuadraticForm):
            return f"{type(adversary.regularizer).__name__} has no quadratic_form: it is not quadratic"
        return None

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        dual_set, n_iter = subproblem.adversary.dual_set, 0
        incumbent = Incumbent(subproblem, tol, start)
        if incumbent.done:
            return incumbent.solution(self.name, n_iter)
        assert isinstance(dual_set, Polyhedral)
        constraints = dual_set.linear_constraints(subproblem.c.size)
        if len(constraints.E) >= subproblem.c.size:
            return incumbent.solution(self.name, n_iter)
        P, q = scaled_quadratic(subproblem)
        if incumbent.lam is not None:
            # lam is of size one, so that 1e-9 tells what is at a bound from what is not, whatever the units of (D).
            free = np.minimum(incumbent.lam - constraints.lower, constraints.upper - incumbent.lam) > 1e-9
            n_iter += active_set.refine(P, q, constraints, incumbent.lam, free, incumbent, rounds=3)
            if incumbent.done:
                return incumbent.solution(self.name, n_iter)
        result = self.run(P, q, constraints, tol / (subproblem.scale or 1.0))
        n_iter += result.info.iter
        if np.isfinite(incumbent.offer(result.x)) and not incumbent.done:
            x = dual_set.restore(result.x)
            free = (x - constraints.lower > result.z_bl) & (constraints.upper - x > result.z_bu)
            n_iter += active_set.refine(P, q, constraints, x, free, incumbent, rounds=3 * x.size)
        solution = incumbent.solution(self.name, n_iter, f"PIQP ended with {result.info.status.name}")
        return replace(solution, multipliers=multipliers(result, subproblem.scale or 1.0))

    def run(self, P: Matrix, q: Vector, constraints: LinearConstraints, tol: float) -> Any:
        """PIQP's result for min 1/2 x'Px + q'x, with P and q of size one."""
        solver = piqp.DenseSolver()
        settings = solver.settings
        # Below 1e-13 PIQP's own residuals are rounding; the active set gives the digits that are left.
        settings.eps_abs = settings.eps_duality_gap_abs = min(1e-8, max(0.1 * tol, 1e-13))
        settings.eps_rel = settings.eps_duality_gap_rel = 0.0
        settings.check_duality_gap = True
        settings.max_iter = self.max_iter
        solver.setup(P, q, constraints.E, constraints.e, None, None, None, constraints.lower, constraints.upper)
        solver.solve()
        return solver.result


def scaled_quadratic(subproblem: DualSubproblem) -> tuple[Matrix, Vector]:
    """(P, q) of S + R = scale (1/2 x'Px + q'x) + constant on Lambda."""
    adversary = subproblem.adversary
    assert isinstance(adversary.regularizer, QuadraticForm)
    H, linear = adversary.regularizer.quadratic_form(subproblem.c.size)
    P = subproblem.Q.copy()
    P.ravel()[:: len(P) + 1] += H
    scale = subproblem.scale or 1.0
    P /= scale
    # PIQP reads matrices by columns; P is symmetric, so that its transpose is itself.
    return P.T, adversary.dual_set.strip(subproblem.c - linear) / -scale


def multipliers(result: Any, scale: float) -> Multipliers:
    """PIQP's multipliers in the units of (D)."""
    return Multipliers(scale * result.z_bl, scale * result.z_bu)
