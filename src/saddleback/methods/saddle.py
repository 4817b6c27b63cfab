"""The common part of the gradient methods for saddle points, extragradient and optimistic gradient."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np

from .._types import Vector
from ..adversary import HasAscentStep
from ..capabilities import Needs
from ..engine.certificates import Minorant
from ..engine.evaluation import Breakdown, Evaluation
from ..engine.method import State
from ..engine.oracle import Oracle
from .smoothness import CONTROL as SMOOTHNESS
from .smoothness import SmoothMethod, calibrate, known_smoothness, not_smooth


@dataclass(frozen=True, eq=False, kw_only=True)
class SaddleState(State):
    """L, and the average of the linearizations with the step sizes as weights."""

    L: float
    measured: bool
    """Whether L is found by backtracking; else it is the user's or the losses' own."""
    weight: float = 0.0
    """The sum of the step sizes so far."""
    average: Minorant | None = None


T = TypeVar("T", bound=SaddleState)


class HalfStep(NamedTuple):
    """The middle point, its lam, the step size to it, and L."""

    middle: Evaluation
    lam: Vector
    eta: float
    L: float


@dataclass(frozen=True)
class SaddleMethod(SmoothMethod[T]):
    """Simultaneous gradient steps on w and lam; the average of the linearizations gives the certificate."""

    needs: ClassVar[Needs] = Needs(adversary=(HasAscentStep,))
    step_share: ClassVar[float] = 1.0
    """eta is this share of 1/(max(L, gamma) + |G|_2)."""

    def start(self, oracle: Oracle, w0: Vector) -> SaddleState:
        """The state at w0, with the center of Lambda as lam."""
        at = oracle.evaluate(w0)
        L = known_smoothness(oracle, self.smoothness)
        adversary = oracle.adversary
        return SaddleState(
            point=at.point,
            lam=adversary.dual_set.center(adversary.n),
            minorants=(oracle.cut(at, at.lam),),
            L=calibrate(oracle, at) if L is None else L,
            measured=L is None,
        )

    @staticmethod
    def ascend(oracle: Oracle, lam: Vector, f: Vector, eta: float, *, at: Vector | None = None) -> Vector:
        """The dual half of a gradient step."""
        return oracle.adversary.ascent_step(lam, f, eta, at=at)

    def half_step(self, oracle: Oracle, state: T, w: Vector, z: Vector, at: Evaluation) -> HalfStep:
        """From (w, z) along the gradients at (``at``, state.lam), with a step size that L and |G|_2 allow."""
        L = state.L
        for _ in range(SMOOTHNESS.max_trials):
            eta = self.step_share / (max(L, oracle.adversary.regularizer.strong_convexity) + at.norm)
            middle = oracle.evaluate(w - eta * (at.slope(state.lam)))
            lam = self.ascend(oracle, z, at.f, eta, at=state.lam)
            if not state.measured:
                if not middle.finite:
                    raise Breakdown("the losses are not finite where the half step arrived")
                return HalfStep(middle, lam, eta, L)
            needed = local_smoothness(at, middle, lam) if middle.finite else SMOOTHNESS.undefined_increase * L
            if needed <= L:
                return HalfStep(middle, lam, eta, L)
            L = max(SMOOTHNESS.least_increase * L, needed)
        raise not_smooth()

    @staticmethod
    def with_average(oracle: Oracle, state: T, half: HalfStep) -> T:
        """The state with the linearization at the middle point averaged in."""
        cut = oracle.cut(half.middle, half.lam)
        weight = state.weight + half.eta
        average = cut if state.average is None else state.average.mix(cut, half.eta / weight)
        return replace(state, minorants=(cut, average), average=average, weight=weight, L=half.L)


def local_smoothness(first: Evaluation, second: Evaluation, lam: Vector) -> float:
    """|(G(u) - G(v))' lam| / |u - v|: a lower bound of L from one pair of points."""
    distance = float(np.linalg.norm(second.w - first.w))
    return float(np.linalg.norm(second.slope(lam) - first.slope(lam))) / distance if distance > 0 else 0.0
