"""Path following: the paper's inner solver for general barriers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from ..._types import Vector
from ..._validation import lookup, whole
from ...adversary import Adversary
from ...capabilities import Needs, offers
from ...dual_sets.base import HasBarrier
from ...errors import ProblemError
from ...linalg.blas_threads import one_blas_thread
from ...linalg.hessians import Spectral, as_hessian
from ...regularizers import Zero
from ...regularizers.base import TwiceDifferentiable
from ..dual_subproblem import DualSolution, DualSubproblem
from ..factored_subproblem import FactoredSubproblem, is_tall
from ..incumbent import Incumbent
from .central_path import CentralPath, HasOwnStart, Iterate, StepRule
from .long_steps import LongSteps
from .newton_system import CONTROL as NEWTON_SYSTEM
from .newton_system import narrow_parts, stays_narrow
from .short_steps import ShortSteps

STEP_RULES: dict[str, type[StepRule]] = {"long": LongSteps, "paper": ShortSteps}


@dataclass(frozen=True)
class PathFollowingControl:
    """The numbers of `PathFollowing`."""

    patience: int = 12
    """Stop after this many Newton steps without a smaller gap, counted once nu/tau is below the gap."""
    costly_gap_factor: float = 2.0
    """Where measuring a gap costs more than a Newton step, gaps are measured once nu/tau, which bounds the gap after a
    full step, is at most this many times the requested gap. On the polytopes of tests/subproblem/geometries.py one gap
    in five solves is measured in vain; with 10.0 three per two solves are, and with 1.0 one in forty, for 2 % more
    Newton systems."""
    many_losses: int = 1000
    """From this many losses on, Newton systems with as many unknowns as parameters are faster than a dense QP, as
    measured."""
    square_matrices: int = 3
    """J x J matrices at the peak where Newton systems are dense, measured and rounded down."""


CONTROL = PathFollowingControl()


@dataclass(frozen=True)
class PathFollowing:
    """Follows the central path of (D), for any set with a barrier (paper, Algorithm 2; Nesterov and Nemirovskii 1994).

    ``schedule`` is "long" (default: long steps, independent of the scale of (D), about 25 Newton systems for any J),
    "paper" (Algorithm 2: short steps from argmin R + B and tau = 1, O(sqrt(nu) log(nu/eps)), without a warm start), or
    a step rule. Stops on the measured cross-evaluation gap of the restored point. Cost of one Newton system: J^3/3
    flops, or J r^2 for many losses where Q has a factor of r << J columns and the Hessian of the barrier is diagonal,
    up to a few rows.
    """

    name: ClassVar[str] = "path-following"
    needs: ClassVar[Needs] = Needs(dual_set=(HasBarrier,), regularizer=(TwiceDifferentiable,))
    schedule: str | StepRule = "long"
    max_iter: int | None = None

    def __post_init__(self) -> None:
        if not offers(self._step_rule(), StepRule):
            raise ProblemError(
                f"schedule of PathFollowing must be one of {', '.join(map(repr, STEP_RULES))}, or a step rule with "
                f"iterates and max_iter; got {self.schedule!r}."
            )
        if self.max_iter is not None:
            object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of PathFollowing"))

    def square_matrices(self, adversary: Adversary, d: int) -> int:
        return 0 if is_tall(adversary.n, d) and _all_narrow(adversary, d) else CONTROL.square_matrices

    def is_fastest(self, subproblem: DualSubproblem) -> bool:
        """Whether it is faster than a quadratic program in lam: many losses, few parameters, nearly diagonal C."""
        if subproblem.c.size < CONTROL.many_losses or not isinstance(subproblem, FactoredSubproblem):
            return False
        path = CentralPath(subproblem)
        return not path.is_point and narrow_parts(path.hessian_without_Q(path.center, 1.0), subproblem) is not None

    def iterates(self, subproblem: DualSubproblem, start: Vector | None = None) -> Iterator[Iterate]:
        """The start, then one iterate per Newton system: (lam, tau, decrement, phase, bound)."""
        path = CentralPath(subproblem)
        if path.is_point:
            return iter([Iterate(path.center, np.inf)])
        return self._step_rule().iterates(path, start)

    def _step_rule(self) -> StepRule:
        return lookup(STEP_RULES, self.schedule, "schedule")() if isinstance(self.schedule, str) else self.schedule

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        # On systems this small, several BLAS threads are slower than one.
        with one_blas_thread():
            return self._solve(subproblem, tol, start)

    def _solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None) -> DualSolution:
        rule: object = self._step_rule()
        if offers(rule, HasOwnStart):
            start = None
        incumbent = Incumbent(subproblem, tol, start)
        if incumbent.done:
            return incumbent.solution(self.name, 0)
        dual_set = subproblem.adversary.dual_set
        nu = cast("HasBarrier", dual_set).barrier_parameter(subproblem.c.size)
        max_iter = self._step_rule().max_iter if self.max_iter is None else self.max_iter
        # nu/tau bounds the barrier's share of the gap. Where measuring is costly, iterates with a large one are not
        # measured.
        target = max(tol, subproblem.rounding_floor)
        measured_from = CONTROL.costly_gap_factor * target if dual_set.costly_support else np.inf
        n_iter, last_improvement, reason = 0, 0, "no progress beyond rounding errors"
        skipped: Vector | None = None
        try:
            for n_iter, iterate in enumerate(self.iterates(subproblem, None if start is None else incumbent.lam)):
                if nu > iterate.tau * measured_from and iterate.phase != "I" and n_iter < max_iter:
                    last_improvement, skipped = n_iter, iterate.lam
                    continue
                before, skipped = incumbent.gap, None
                incumbent.offer(iterate.lam)
                if incumbent.done:
                    break
                # A gap that does not fall counts as stalling only once the barrier's share is below the gap.
                if incumbent.gap < before or iterate.phase == "I" or nu > iterate.tau * incumbent.gap:
                    last_improvement = n_iter
                if n_iter - last_improvement >= CONTROL.patience:
                    reason = f"no progress in {CONTROL.patience} Newton steps"
                    break
                if n_iter >= max_iter:
                    reason = f"max_iter = {max_iter} Newton steps"
                    break
        except np.linalg.LinAlgError as error:
            reason = str(error)
        if skipped is not None:
            incumbent.offer(skipped)
        return incumbent.solution(self.name, n_iter, reason)


def _all_narrow(adversary: Adversary, d: int) -> bool:
    """Whether all Newton systems are `NarrowSystem`, by the form of C = R'' + B'' at the center."""
    dual_set, R, J = adversary.dual_set, adversary.regularizer, adversary.n
    center = dual_set.center(J)
    # Only the form is read; where Lambda is a single point the numbers may be nan.
    with np.errstate(all="ignore"):
        C = as_hessian(cast("HasBarrier", dual_set).barrier_hessian(center))
        if not isinstance(R, Zero):
            C = C.plus(as_hessian(R.hessian(center)))
    return d <= NEWTON_SYSTEM.narrow_share * J if isinstance(C, Spectral) else stays_narrow(C, J, d)
