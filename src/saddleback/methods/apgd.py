"""Accelerated gradient descent on the smoothed primal g: a baseline of the paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import ClassVar

from .._types import Params, Vector
from ..dual_sets import DualSet
from ..engine.evaluation import Breakdown, Evaluation, Point
from ..engine.method import State
from ..engine.oracle import Oracle
from ..regularizers import Regularizer
from .base import require_strong_convexity
from .smoothness import MAX_TRIALS, SmoothMethod, calibrate, give_up, known_smoothness


@dataclass(frozen=True, eq=False, kw_only=True)
class APGDState(State):
    y: Params
    momentum: float = 1.0
    L: float
    measured: bool


@dataclass(frozen=True)
class APGD(SmoothMethod[APGDState]):
    """w = y - G(y)' lam*(y) / L_local, then Nesterov's momentum; L_local = L + |G(y)|_2^2 / gamma.

    Paper, appendix on simulations. Needs a gamma-strongly convex R, which makes g smooth.
    """

    name: ClassVar[str] = "apgd"
    state_type: ClassVar[type[State]] = APGDState

    def check_adversary(self, dual_set: DualSet, regularizer: Regularizer) -> None:
        require_strong_convexity("apgd", regularizer)

    def init(self, oracle: Oracle, w0: Vector) -> APGDState:
        at = oracle.evaluate(w0)
        L = known_smoothness(oracle, self.smoothness)
        return APGDState(
            point=at.point,
            lam=at.lam,
            minorants=(oracle.cut(at, at.lam),),
            y=w0,
            L=calibrate(oracle, at) if L is None else L,
            measured=L is None,
        )

    def step(self, oracle: Oracle, state: APGDState) -> APGDState:
        at = oracle.evaluate(state.y)
        if not at.finite:
            raise Breakdown("the losses are not finite where the momentum step arrived")
        point, L = self._descend(oracle, at, state)
        momentum = (1.0 + sqrt(1.0 + 4.0 * state.momentum**2)) / 2.0
        return replace(
            state,
            point=point,
            lam=at.lam,
            minorants=(oracle.cut(at, at.lam),),
            y=point.w + (state.momentum - 1.0) / momentum * (point.w - state.point.w),
            momentum=momentum,
            L=L,
        )

    def _descend(self, oracle: Oracle, at: Evaluation, state: APGDState) -> tuple[Point, float]:
        slope = at.lam @ at.G
        squared = float(slope @ slope)
        coupling = at.norm**2 / oracle.adversary.regularizer.strong_convexity
        L = state.L
        for _ in range(MAX_TRIALS):
            L_local = L + coupling
            point = oracle.point(at.w - slope / L_local)
            enough = point.value <= at.value - 0.5 * squared / L_local + 16 * oracle.precision * abs(at.value)
            if enough or not state.measured:
                return point, L
            L *= 2.0
        raise give_up()
