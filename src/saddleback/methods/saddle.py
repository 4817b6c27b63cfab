"""What the two gradient methods for saddle points share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np

from .._types import Vector
from ..adversary import lack_of_ascent_step
from ..dual_sets import DualSet
from ..engine.certificates import Minorant
from ..engine.evaluation import Breakdown, Evaluation
from ..engine.method import State
from ..engine.oracle import Oracle
from ..errors import IncompatibleError
from ..regularizers import Regularizer
from .smoothness import MAX_TRIALS, SmoothMethod, calibrate, give_up, known_smoothness


@dataclass(frozen=True, eq=False, kw_only=True)
class SaddleState(State):
    L: float
    measured: bool
    weight: float = 0.0
    """The sum of the step sizes so far."""
    average: Minorant | None = None


T = TypeVar("T", bound=SaddleState)


class HalfStep(NamedTuple):
    """The middle point, its lam, and the step size that led there."""

    middle: Evaluation
    lam: Vector
    eta: float
    L: float


@dataclass(frozen=True)
class SaddleMethod(SmoothMethod[SaddleState]):
    """Gradient steps on w and lam at once; the average of the linearizations is their certificate."""

    state_type: ClassVar[type[State]] = SaddleState
    share: ClassVar[float] = 1.0
    """eta is this share of 1/(max(L, gamma) + |G|_2)."""

    def check_adversary(self, dual_set: DualSet, regularizer: Regularizer) -> None:
        reason = lack_of_ascent_step(dual_set, regularizer)
        if reason is not None:
            raise IncompatibleError(
                f"{self.name} needs a dual set on which it can step in lam with {regularizer!r}, and {dual_set!r} is "
                f"none: {reason}; use method='accelerated' (or 'auto')."
            )

    def init(self, oracle: Oracle, w0: Vector) -> SaddleState:
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

    def half_step(self, oracle: Oracle, state: SaddleState, w: Vector, z: Vector, at: Evaluation) -> HalfStep:
        """From (w, z) along the gradients at (``at``, state.lam), with a step size that L and |G|_2 allow."""
        L = state.L
        for _ in range(MAX_TRIALS):
            eta = self.share / (max(L, oracle.adversary.regularizer.strong_convexity) + at.norm)
            middle = oracle.evaluate(w - eta * (state.lam @ at.G))
            lam = self.ascend(oracle, z, at.f, eta, at=state.lam)
            if not state.measured:
                if not middle.finite:
                    raise Breakdown("the losses are not finite where the half step arrived")
                return HalfStep(middle, lam, eta, L)
            needed = local_smoothness(at, middle, lam) if middle.finite else 10.0 * L
            if needed <= L:
                return HalfStep(middle, lam, eta, L)
            L = max(2.0 * L, needed)
        raise give_up()

    @staticmethod
    def proved(oracle: Oracle, state: T, half: HalfStep) -> T:
        """The state with the linearization in the middle averaged in, with the step size as its weight."""
        cut = oracle.cut(half.middle, half.lam)
        weight = state.weight + half.eta
        average = cut if state.average is None else state.average.mix(cut, half.eta / weight)
        return replace(state, minorants=(cut, average), average=average, weight=weight, L=half.L)


def local_smoothness(first: Evaluation, second: Evaluation, lam: Vector) -> float:
    """|(G(u) - G(v))' lam| / |u - v|: the L that one pair of points shows."""
    distance = float(np.linalg.norm(second.w - first.w))
    return float(np.linalg.norm(lam @ (second.G - first.G))) / distance if distance > 0 else 0.0
