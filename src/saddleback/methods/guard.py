"""The accelerated method as a guard: the theorem's rate, whatever the faster steps do."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..engine.evaluation import Point
from ..engine.oracle import Oracle
from .accelerated import Accelerated, AcceleratedState
from .smoothness import Smoothness

# Evaluations before the first accelerated step, and between two of them.
FIRST_CREDIT = 30
CREDIT = 10
# Restarts would end the count of accelerated steps that the rate is made of.
ACCELERATED = Accelerated(restart=False)


@dataclass(frozen=True, eq=False)
class Guard:
    """Accelerated steps for every few evaluations of a faster method.

    Algorithm 1 uses of its aggregate point only the value g(ag), so that any lower point may take its place
    (docs/mathematics.md, 4). The faster method provides such points; T evaluations contain Theta(T) accelerated
    steps, and the rate O(L/T^2) stays, at an overhead of about a fifth.
    """

    credit: int = FIRST_CREDIT
    """Evaluations that are left before the next accelerated step is due."""
    state: AcceleratedState | None = None

    @property
    def due(self) -> bool:
        return self.credit <= 0

    def charged(self, evaluations: int) -> Guard:
        return replace(self, credit=self.credit - evaluations)

    def step(self, oracle: Oracle, point: Point, L: float) -> tuple[Guard, AcceleratedState]:
        """One accelerated step from ``point``: the guard, whose ag is the lower point, and the state as it came.

        ``L`` is where backtracking begins, the first time.
        """
        if self.state is None:
            at = oracle.evaluate(point.w)
            before = AcceleratedState(point=point, lam=at.lam, w=point.w, smoothness=Smoothness(L))
        else:
            before = replace(self.state, point=point)
        after = ACCELERATED.step(oracle, before)
        best = after.point if after.point.value < point.value else point
        return Guard(CREDIT, replace(after, point=best, minorants=())), after
