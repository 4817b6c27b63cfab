"""Accelerated steps between those of a faster method, which keep the rate of Algorithm 1."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..engine.evaluation import Point
from ..engine.oracle import Oracle
from .accelerated import Accelerated, AcceleratedState
from .smoothness import Smoothness


@dataclass(frozen=True)
class GuardControl:
    """How often accelerated steps are taken (docs/mathematics.md, 6, "Guard")."""

    first_credit: int = 30
    """Evaluations before the first accelerated step: most problems are solved by then, and pay nothing for the rate."""
    credit: int = 10
    """Evaluations between two accelerated steps: an overhead of about a fifth, at two evaluations a step."""


CONTROL = GuardControl()
# The rate counts the accelerated steps since the last restart.
ACCELERATED = Accelerated(restart=False)


@dataclass(frozen=True, eq=False)
class Guard:
    """The state of Algorithm 1, of which one step is taken for every few evaluations of a faster method.

    Algorithm 1 uses of its aggregate point ag only the value g(ag), so that any lower point may replace it
    (docs/mathematics.md, 4). The faster method provides such points; T evaluations contain Theta(T) accelerated
    steps, and the rate O(L/T^2) holds.
    """

    credit: int = CONTROL.first_credit
    """Evaluations that are left before the next accelerated step is due."""
    state: AcceleratedState | None = None
    """None before the first accelerated step."""

    @property
    def due(self) -> bool:
        return self.credit <= 0

    def after_evaluations(self, count: int) -> Guard:
        return Guard(self.credit - count, self.state)

    def step(self, oracle: Oracle, point: Point, L: float) -> tuple[Guard, AcceleratedState]:
        """One accelerated step with ag = ``point``: the guard, whose ag is the lower of both points, and the step.

        ``L`` is the initial value of backtracking in the first step.
        """
        if self.state is None:
            at = oracle.evaluate(point.w)
            before = AcceleratedState(point=point, lam=at.lam, w=point.w, smoothness=Smoothness(L))
        else:
            before = replace(self.state, point=point)
        after = ACCELERATED.step(oracle, before)
        best = after.point if after.point.value < point.value else point
        return Guard(CONTROL.credit, replace(after, point=best, minorants=())), after
