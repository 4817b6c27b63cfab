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
    """Evaluations before the first accelerated step: most problems are solved with fewer and take none."""
    credit: int = 10
    """Evaluations between two accelerated steps: an overhead of about a fifth, at two evaluations per step."""


CONTROL = GuardControl()
# Without restarts: the rate counts the accelerated steps since the last one.
ACCELERATED = Accelerated(restart=False)


@dataclass(frozen=True, eq=False)
class Guard:
    """The state of Algorithm 1, of which one step is taken for every few evaluations of a faster method.

    The proof of Algorithm 1 uses only the value g(ag) of its aggregate point ag, so that any point of lower value may
    replace it (docs/mathematics.md, 4). The faster method provides such points. T evaluations contain Theta(T)
    accelerated steps, so that the rate O(L/T^2) holds.
    """

    credit: int = CONTROL.first_credit
    """Evaluations left until the next accelerated step is due."""
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
