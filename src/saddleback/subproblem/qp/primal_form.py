"""(D) as a quadratic program in the step, when there are fewer parameters than losses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..._types import Vector
from ...adversary import Adversary
from ...dual_sets import Simplex
from ...regularizers import Zero
from ..dual_subproblem import DualSubproblem
from ..factored_subproblem import FactoredSubproblem
from .active_set import CONTROL as ACTIVE_SET
from .active_set import Mask
from .kkt_operator import FactoredKKT


@dataclass(frozen=True)
class PrimalFormControl:
    """The numbers of `PrimalForm`."""

    rows_per_column: float = 1.5
    more_rows: int = 4
    """Used from 1.5 (r + 1) + 4 rows of F on: PIQP is then faster with J x (r + 1) matrices than with J x J ones, as
    measured."""
    more_rounds: int = 100
    """Coordinates beyond r that may change in the active set, which has about r + 1 rows: where many rows nearly tie,
    each round drops only one."""


CONTROL = PrimalFormControl()


class PrimalForm:
    """min over (u, t) of t + 1/2 |u|^2,  c + F u <= t:  the dual of (D) on the simplex with R = 0 and Q = F F'.

    The multipliers of the J rows are lam, their slacks are the multipliers of lam >= 0, and u = -F' lam. At most r + 1
    rows need be active, so the active set stays small.
    """

    @staticmethod
    def suits(subproblem: DualSubproblem) -> bool:
        """Whether this form applies and is cheaper than the dual form."""
        if not isinstance(subproblem, FactoredSubproblem):
            return False
        return PrimalForm.fits(subproblem.adversary, *subproblem.factor.shape)

    @staticmethod
    def fits(adversary: Adversary, J: int, r: int) -> bool:
        """`suits` for a factor of J rows and r columns."""
        if CONTROL.rows_per_column * (r + 1) + CONTROL.more_rows > J:
            return False
        return isinstance(adversary.dual_set, Simplex) and isinstance(adversary.regularizer, Zero)

    def __init__(self, subproblem: DualSubproblem) -> None:
        assert isinstance(subproblem, FactoredSubproblem)
        self._scale = subproblem.scale or 1.0
        self.kkt = FactoredKKT(subproblem)
        J, r = subproblem.factor.shape
        self.rounds = ACTIVE_SET.rounds_per_coordinate * min(J, r + CONTROL.more_rounds)
        # Those of one iteration of PIQP.
        self.flops = J * (r + 1.0) ** 2

    def run(self, solver: Any) -> PrimalOutcome:
        """Set up and run PIQP in (u, t), with u divided by sqrt(scale) and t by scale."""
        J, r = self.kkt.F.shape
        P = np.zeros((r + 1, r + 1), order="F")
        P.ravel("K")[: -1 : r + 2] = 1.0
        cost = np.zeros(r + 1)
        cost[r] = 1.0
        rows = np.empty((J, r + 1), order="F")
        rows[:, :r] = self.kkt.F
        rows[:, r] = -1.0
        solver.setup(P, cost, None, None, rows, None, -self.kkt.minus_q)
        solver.solve()
        return PrimalOutcome(solver.result, self._scale)


@dataclass(frozen=True, eq=False)
class PrimalOutcome:
    """PIQP's result: the multipliers of its rows are lam, their slacks t - c - F u the multipliers of lam >= 0."""

    result: Any
    scale: float

    @cached_property
    def lam(self) -> Vector:
        return self.result.z_u

    @property
    def free(self) -> Mask:
        return self.lam > self.result.s_u

    @property
    def lower(self) -> Vector:
        return self.scale * self.result.s_u

    @property
    def upper(self) -> Vector:
        return np.zeros_like(self.lam)
