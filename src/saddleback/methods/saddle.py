"""What the two gradient methods for saddle points share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from .._types import Vector
from .._validation import number
from ..certificates import Minorant
from ..dual_sets import DualSet
from ..errors import IncompatibleError
from ..oracle import Evaluation, Oracle
from ..regularizers import Regularizer
from .base import Method, State
from .smoothness import INNER_FLOOR, calibrate, known_smoothness


@dataclass(frozen=True, eq=False, kw_only=True)
class SaddleState(State):
    L: float
    measured: bool
    weight: float = 0.0
    """The sum of the step sizes so far."""
    average: Minorant | None = None


@dataclass(frozen=True)
class SaddleMethod(Method[SaddleState]):
    """Gradient steps on w and lam at once; the average of the linearizations is their certificate."""

    state_type: ClassVar[type[State]] = SaddleState

    smoothness: float | None = None

    def __post_init__(self) -> None:
        if self.smoothness is not None:
            object.__setattr__(self, "smoothness", number(self.smoothness, "smoothness", minimum=0.0, strict=True))

    def check_adversary(self, dual_set: DualSet, regularizer: Regularizer) -> None:
        if not any(hasattr(dual_set, name) for name in ("project", "tilt")):
            raise IncompatibleError(
                f"{self.name} needs a dual set with a projection, and {dual_set!r} has none; "
                "use method='accelerated' (or 'auto')."
            )

    def init(self, oracle: Oracle, w0: Vector) -> SaddleState:
        at = oracle.evaluate(w0)
        L = known_smoothness(oracle, self.smoothness)
        adversary = oracle.adversary
        return SaddleState(
            point=at.point,
            lam=adversary.dual_set.center(adversary.n),
            minorants=(oracle.cut(at, at.lam),),
            L=calibrate(oracle, at, INNER_FLOOR * oracle.tol) if L is None else L,
            measured=L is None,
        )

    @staticmethod
    def ascend(oracle: Oracle, lam: Vector, f: Vector, eta: float, *, at: Vector | None = None) -> Vector:
        """The dual half of a gradient step."""
        adversary = oracle.adversary
        return adversary.regularizer.ascent_step(adversary.dual_set, lam, f, eta, at=at)

    @staticmethod
    def proved(oracle: Oracle, state: SaddleState, at: Evaluation, lam: Vector, eta: float) -> SaddleState:
        """The state with the linearization at ``at`` averaged in, with the step size as its weight."""
        cut = oracle.cut(at, lam)
        weight = state.weight + eta
        average = cut if state.average is None else state.average.mix(cut, eta / weight)
        return replace(state, minorants=(cut, average), average=average, weight=weight)


def local_smoothness(first: Evaluation, second: Evaluation, lam: Vector) -> float:
    """|(G(u) - G(v))' lam| / |u - v|: the L that one pair of points shows."""
    distance = float(np.linalg.norm(second.w - first.w))
    return float(np.linalg.norm(lam @ (second.G - first.G))) / distance if distance > 0 else 0.0
