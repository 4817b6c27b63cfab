"""Path following: the paper's inner solver for general barriers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..._types import Vector
from ..._validation import lookup, whole
from ...adversary import Adversary
from ...linalg.blas_threads import one_blas_thread
from ..dual_subproblem import DualSolution, DualSubproblem
from ..factored_subproblem import FactoredSubproblem
from ..incumbent import Incumbent
from .central_path import CentralPath, Iterate, Schedule
from .long_steps import LongSteps
from .newton_system import narrow_parts
from .short_steps import ShortSteps

SCHEDULES: dict[str, type[Schedule]] = {"long": LongSteps, "paper": ShortSteps}
PATIENCE = 12
# From so many losses on Newton systems of the size of the parameters are faster than a dense quadratic program.
MANY_LOSSES = 1000
# How many times the gap that is asked the barrier may still add, where measuring it is costly.
COSTLY = 10.0


@dataclass(frozen=True)
class PathFollowing:
    """Follows the central path of (D), for any set with a barrier (paper, Algorithm 2; Nesterov and Nemirovskii 1994).

    ``schedule`` is "long" (default: long steps, scale-free, about 25 Newton systems whatever J), "paper" (short
    steps from tau = 1, O(sqrt(nu) log(nu/eps))), or an object. Stops on the measured cross-evaluation gap of the
    restored point. Cost of one Newton system: J^3/3 flops, or J r^2 for many losses where Q has a factor of r << J
    columns and the curvature of the set is diagonal, up to a few rows.
    """

    schedule: str | Schedule = "long"
    max_iter: int | None = None

    def __post_init__(self) -> None:
        self._schedule()
        if self.max_iter is not None:
            object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of PathFollowing"))

    @property
    def name(self) -> str:
        return "path-following"

    def refusal(self, adversary: Adversary) -> str | None:
        return None

    def prefers(self, subproblem: DualSubproblem) -> bool:
        """Whether no quadratic program in lam is as fast: many losses, few parameters, a nearly diagonal curvature."""
        if subproblem.c.size < MANY_LOSSES or not isinstance(subproblem, FactoredSubproblem):
            return False
        path = CentralPath(subproblem)
        return not path.is_point and narrow_parts(path.curvature(path.center, 1.0), subproblem) is not None

    def iterates(self, subproblem: DualSubproblem, start: Vector | None = None) -> Iterator[Iterate]:
        """The start, then one iterate per Newton system: (lam, tau, decrement, phase)."""
        path = CentralPath(subproblem)
        if path.is_point:
            return iter([Iterate(path.center, np.inf)])
        return self._schedule().iterates(path, start)

    def _schedule(self) -> Schedule:
        return lookup(SCHEDULES, self.schedule, "schedule")() if isinstance(self.schedule, str) else self.schedule

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        # The threads of BLAS wait for each other longer than such small systems take.
        with one_blas_thread():
            return self._solve(subproblem, tol, start)

    def _solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None) -> DualSolution:
        incumbent = Incumbent(subproblem, tol, start)
        if incumbent.done:
            return incumbent.solution(self.name, 0)
        dual_set = subproblem.adversary.dual_set
        nu = dual_set.barrier_parameter(subproblem.c.size)
        # Where a gap takes longer to measure than a step to take, only those that may be small enough are.
        enough = COSTLY * max(tol, subproblem.resolution) if dual_set.costly_support else np.inf
        schedule = self._schedule()
        max_iter = schedule.max_iter if self.max_iter is None else self.max_iter
        n_iter, last_improvement, reason = 0, 0, "rounding ended the path"
        skipped: Vector | None = None
        try:
            for n_iter, iterate in enumerate(self.iterates(subproblem, None if start is None else incumbent.lam)):
                if nu > iterate.tau * enough and iterate.phase != "I" and n_iter < max_iter:
                    last_improvement, skipped = n_iter, iterate.lam
                    continue
                before, skipped = incumbent.gap, None
                incumbent.offer(iterate.lam)
                if incumbent.done:
                    break
                # While the barrier still dominates, a pause in the decrease of the gap means nothing.
                if incumbent.gap < before or iterate.phase == "I" or nu > iterate.tau * incumbent.gap:
                    last_improvement = n_iter
                if n_iter - last_improvement >= PATIENCE:
                    reason = f"no progress in {PATIENCE} Newton steps"
                    break
                if n_iter >= max_iter:
                    reason = f"max_iter = {max_iter} Newton steps"
                    break
        except np.linalg.LinAlgError as error:
            reason = str(error)
        if skipped is not None:
            incumbent.offer(skipped)
        return incumbent.solution(self.name, n_iter, reason)
