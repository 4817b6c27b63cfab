"""Accelerated steps between those of a faster method, which keep the rate of Algorithm 1."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..engine.evaluation import Point
from ..engine.oracle import Oracle
from .accelerated import Accelerated, AcceleratedState, lower


@dataclass(frozen=True)
class GuardControl:
    """How often accelerated steps are taken (docs/mathematics.md, 6, "Safeguard")."""

    first_credit: int = 30
    """Evaluations before the first accelerated step: most problems are solved with fewer and take none."""
    credit: int = 10
    """Evaluations between two accelerated steps: an overhead of about a fifth, at two evaluations per step."""


CONTROL = GuardControl()
# Without restarts: every step belongs to the sequence from w0.
ACCELERATED = Accelerated(restart=False)


@dataclass(frozen=True, eq=False)
class Guard:
    """The state of Algorithm 1 from w0, of which one step is taken for every few evaluations of a faster method.

    The proof of Algorithm 1 uses only the value g(ag) of its aggregate point ag, so that any point of lower value may
    replace it (docs/mathematics.md, 4). The faster method provides such points. After T points of
    the faster method k >= (T - 53)/10 accelerated steps were taken, and the bound of k steps from w0 holds for the best
    point (docs/mathematics.md, 6, "Safeguard").
    """

    credit: int = CONTROL.first_credit
    """Evaluations left until the next accelerated step is due; below 0 by those of a step that took more than one."""
    state: AcceleratedState | None = None
    """None before the first accelerated step."""

    @property
    def due(self) -> bool:
        return self.credit <= 0

    def after_evaluations(self, count: int) -> Guard:
        return Guard(self.credit - count, self.state)

    def step(self, oracle: Oracle, point: Point) -> tuple[Guard, AcceleratedState]:
        """One accelerated step: the guard, whose ag is the lowest point so far, and the step.

        ``point`` is the best point of the faster method. The first step starts from w0: with A = 0, it does not depend
        on ag.
        """
        state = ACCELERATED.init(oracle, oracle.w0) if self.state is None else self.state
        before = replace(state, point=lower(point, state.point))
        after = ACCELERATED.step(oracle, before)
        credit = CONTROL.credit + min(0, self.credit)
        return Guard(credit, replace(after, point=lower(after.point, before.point), minorants=())), after
