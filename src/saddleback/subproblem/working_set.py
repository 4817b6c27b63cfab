"""(D) on the simplex with many losses, of which few are active: a working set that grows by the worst ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._types import Matrix, Vector
from .._validation import whole
from ..adversary import Adversary
from ..capabilities import Needs
from ..dual_sets import Simplex
from ..regularizers import Zero
from .dual_subproblem import DualSolution, DualSubproblem
from .factored_subproblem import FactoredSubproblem, low_rank_factor
from .incumbent import Incumbent
from .qp import QuadraticProgram

Index: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True)
class WorkingSetControl:
    """The numbers of `WorkingSet`."""

    first_per_column: int = 2
    """Losses of each kind with which the set starts, for each column of F and one more: the largest at the start, and
    others at equal distances, which bound the step where neighbors are alike."""
    added_per_column: float = 0.5
    least_added: int = 5
    """The worst losses that a round adds, for each column of F and one more; at least this many."""
    idle_rounds: int = 3
    zero_weight: float = 1e-9
    """Losses of at most this weight leave the set after ``idle_rounds`` rounds in a row."""
    tol_share: float = 0.1
    """Restricted problems are solved to this share of the requested gap, from the first one on: losses without weight
    are known only then."""
    heaviest_per_column: int = 3
    """Losses with weight that are taken over from a start, for each column of F and one more: ties may have many."""
    many_losses: int = 200
    rows_per_column: int = 8
    """From this many losses and rows of F per column and one more on, it is faster than a quadratic program of all, as
    measured."""


CONTROL = WorkingSetControl()


@dataclass(frozen=True)
class WorkingSet:
    """Solves (D) restricted to a set of losses, adds those that its step makes worst, and repeats.

    A solution has weights on at most r + 1 losses, r the rank of Q. The restricted problem has about three times as
    many, and a round costs one product with F besides. The gap is measured on all losses. Each round either decreases
    the gap or adds a loss that was not in the set: it ends.
    """

    name: ClassVar[str] = "working-set"
    needs: ClassVar[Needs] = Needs(dual_set=(Simplex,), regularizer=(Zero,))
    max_iter: int = 200
    solver: QuadraticProgram = field(default=QuadraticProgram(), repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of WorkingSet"))

    def square_matrices(self, adversary: Adversary, d: int) -> int:
        return 0

    def is_fastest(self, subproblem: DualSubproblem) -> bool:
        """Whether this is the fastest solver, as measured. Assumes that its needs are met."""
        if not isinstance(subproblem, FactoredSubproblem) or not subproblem.tall:
            return False
        J, r = subproblem.factor.shape
        return max(CONTROL.many_losses, CONTROL.rows_per_column * (r + 1)) <= J

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        incumbent, n_iter = Incumbent(subproblem, tol, start), 0
        if incumbent.done:
            return incumbent.solution(self.name, 0)
        F, c = _factor(subproblem), subproblem.c_tangent
        J, r = F.shape
        lam = np.zeros(J) if incumbent.lam is None else incumbent.lam.copy()
        working = _first(c, lam, r)
        idle = np.zeros(J, dtype=np.intp)
        added = max(CONTROL.least_added, int(CONTROL.added_per_column * (r + 1)))
        target = CONTROL.tol_share * max(tol, subproblem.rounding_floor)
        reason = f"max_iter = {self.max_iter} rounds"
        for _ in range(self.max_iter):
            adversary = Adversary(Simplex(), Zero(), working.size, clock=subproblem.adversary.clock)
            rows = F.take(working, 0)
            restricted = FactoredSubproblem(rows, c.take(working), adversary)
            guess = lam.take(working)
            solution = self.solver.solve(restricted, target, guess if guess.any() else None)
            n_iter += solution.n_iter
            lam = np.zeros(J)
            lam[working] = solution.lam
            incumbent.offer(lam)
            if incumbent.done:
                break
            z = c - F.dot(solution.lam.dot(rows))
            top = z.take(working).max()
            idle[working] = np.where(solution.lam > CONTROL.zero_weight, 0, idle.take(working) + 1)
            inside = np.zeros(J, dtype=np.bool_)
            inside[working] = True
            worse = np.flatnonzero(~inside & (z > top))
            if not worse.size:
                reason = f"the restricted problem was solved to gap {solution.gap:.3g} only"
                break
            if worse.size > added:
                worse = worse[np.argpartition(z.take(worse), worse.size - added)[worse.size - added :]]
            idle[worse] = 0
            inside[worse] = True
            inside &= idle < CONTROL.idle_rounds
            working = np.flatnonzero(inside)
        return incumbent.solution(self.name, n_iter, reason)


def _factor(subproblem: DualSubproblem) -> Matrix:
    if isinstance(subproblem, FactoredSubproblem):
        return subproblem.factor
    return low_rank_factor(subproblem) * np.sqrt(subproblem.scale or 1.0)


def _first(c: Vector, lam: Vector, r: int) -> Index:
    """The losses with weight, the largest ones, and others at equal distances."""
    J = c.size
    count = min(J, CONTROL.first_per_column * (r + 1))
    inside = np.zeros(J, dtype=np.bool_)
    heaviest = min(J, CONTROL.heaviest_per_column * (r + 1))
    weighty = np.argpartition(lam, J - heaviest)[J - heaviest :]
    inside[weighty[lam.take(weighty) > CONTROL.zero_weight]] = True
    inside[np.argpartition(c, J - count)[J - count :]] = True
    inside[np.linspace(0, J - 1, count).astype(np.intp)] = True
    return np.flatnonzero(inside)
