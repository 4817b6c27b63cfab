"""(D) as a quadratic program in lam."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..._types import Vector
from ...dual_sets import LinearConstraints
from ..dual_subproblem import DualSubproblem
from .active_set import CONTROL, Mask
from .kkt_operator import DenseKKT


class DualForm:
    """min over x = lam/largest_weight of 1/2 x'Px + q'x,  E x = e,  A x <= b,  lower <= x <= upper."""

    def __init__(self, subproblem: DualSubproblem) -> None:
        constraints = subproblem.adversary.linear_constraints
        assert constraints is not None, "resolve_inner refuses sets that are not polyhedral"
        self._constraints, self._scale = constraints, subproblem.scale or 1.0
        self.kkt = DenseKKT(subproblem)
        self.rounds = CONTROL.rounds_per_coordinate * subproblem.c.size
        # Those of one iteration of PIQP.
        self.flops = subproblem.c.size**3 / 3

    def run(self, solver: Any) -> DualOutcome:
        """Set up and run PIQP."""
        kkt, constraints = self.kkt, self._constraints
        upper = constraints.upper if constraints.capped else None
        # PIQP reads matrices by columns; P is symmetric, so that the transpose in that order is P.
        P, q = kkt.P.T.copy(order="F"), -kkt.minus_q
        A, b = constraints.A, constraints.b
        solver.setup(P, q, constraints.E, constraints.e, A, None, b, constraints.lower, upper)
        solver.solve()
        return DualOutcome(solver.result, self._scale, kkt.largest_weight, constraints)


@dataclass(frozen=True, eq=False)
class DualOutcome:
    """PIQP's result; its x is lam/largest_weight."""

    result: Any
    scale: float
    largest_weight: float
    constraints: LinearConstraints

    @cached_property
    def lam(self) -> Vector:
        return self.result.x if self.largest_weight == 1.0 else self.largest_weight * self.result.x

    @property
    def free(self) -> Mask:
        constraints = self.constraints
        free = self.result.x - constraints.lower > self.result.z_bl
        return free & (constraints.upper - self.result.x > self.result.z_bu) if constraints.capped else free

    @property
    def lower(self) -> Vector:
        return self.scale / self.largest_weight * self.result.z_bl

    @property
    def upper(self) -> Vector:
        return self.scale / self.largest_weight * self.result.z_bu
