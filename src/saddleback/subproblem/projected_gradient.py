"""(D) on a set with a projection, by accelerated gradient steps."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, cast

from .._types import Vector
from .._validation import whole
from ..capabilities import Needs
from ..dual_sets import HasProjection
from ..regularizers import HasGradient
from .dual_subproblem import DualSolution, DualSubproblem
from .incumbent import Incumbent


@dataclass(frozen=True)
class ProjectedGradientControl:
    """The numbers of `ProjectedGradient`."""

    measured_every: int = 5
    """Steps between two measurements of the gap; each measurement costs about as much as a step."""
    reduction: float = 0.5
    reduction_steps: int = 2000
    """Stop where the gap has not fallen by the factor ``reduction`` within ``reduction_steps``."""
    growth: float = 2.0
    """The factor by which the estimate of the smoothness constant grows."""
    rounding: float = 1e-12
    """The relative rounding error that the smoothness test allows."""


CONTROL = ProjectedGradientControl()


@dataclass(frozen=True)
class ProjectedGradient:
    """lam+ = projection of y - grad (S + R)(y)/L on Lambda, with Nesterov's momentum in y.

    FISTA with backtracking on L (Beck and Teboulle 2009), restarted when the momentum points uphill (O'Donoghue and
    Candes 2015, gradient scheme). Cost: two products with Q, two gradients of R and a projection per step; about
    sqrt(kappa) log(1/gap) steps for a condition number kappa of Q + R'' on the optimal face.
    """

    name: ClassVar[str] = "projected-gradient"
    needs: ClassVar[Needs] = Needs(dual_set=(HasProjection,), regularizer=(HasGradient,))

    max_iter: int = 20_000

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of ProjectedGradient"))

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        adversary = subproblem.adversary
        project = cast("HasProjection", adversary.dual_set).project
        incumbent = Incumbent(subproblem, tol, start)
        if incumbent.lam is None:
            incumbent.offer(adversary.dual_set.center(subproblem.c.size))
        if incumbent.done or incumbent.lam is None:
            return incumbent.solution(self.name, 0, "the gap at the start is not finite")
        x = y = incumbent.lam
        t = 1.0
        L = max(subproblem.magnitude, adversary.regularizer.strong_convexity) or subproblem.scale or 1.0
        reduced, reduced_at = incumbent.gap, 0
        reason = f"max_iter = {self.max_iter} steps"
        n_iter = 0
        for n_iter in range(1, self.max_iter + 1):
            adversary.clock.check()
            slope = subproblem.gradient(y)
            while True:
                new = project(y - slope / L)
                step = new - y
                squared = float(step.dot(step))
                second_order = float((subproblem.gradient(new) - slope).dot(step))
                if not second_order > (1.0 + CONTROL.rounding) * L * squared:
                    break
                L *= CONTROL.growth
            if float((y - new).dot(new - x)) > 0.0:
                t, y = 1.0, new
            else:
                t_next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t))
                y = new + (t - 1.0) / t_next * (new - x)
                t = t_next
            x = new
            if n_iter % CONTROL.measured_every and squared > 0.0 and n_iter < self.max_iter:
                continue
            incumbent.offer(x, feasible=True)
            if incumbent.done:
                break
            if incumbent.gap <= CONTROL.reduction * reduced:
                reduced, reduced_at = incumbent.gap, n_iter
            if squared == 0.0 or n_iter - reduced_at >= CONTROL.reduction_steps:
                reason = "no decrease beyond rounding errors" if squared == 0.0 else "slow progress"
                break
        return incumbent.solution(self.name, n_iter, reason)
