"""Accelerated gradient descent on the smoothed primal g: a baseline of the paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import ClassVar

from .._types import Params, Vector
from ..capabilities import Needs
from ..engine.evaluation import Breakdown, Evaluation, Point
from ..engine.method import State
from ..engine.oracle import Oracle
from ..regularizers.base import StronglyConvex
from .prox_step import CONTROL as PROX
from .smoothness import CONTROL as SMOOTHNESS
from .smoothness import SmoothMethod, calibrate, known_smoothness, not_smooth


@dataclass(frozen=True, eq=False, kw_only=True)
class APGDState(State):
    """The extrapolated point y, the momentum coefficient of FISTA, and L."""

    y: Params
    momentum: float = 1.0
    L: float
    measured: bool
    """Whether L is found by backtracking; else it is the user's or the losses' own."""


@dataclass(frozen=True)
class APGD(SmoothMethod[APGDState]):
    """w = y - G(y)' lam*(y) / L_local, then Nesterov's momentum; L_local = L + |G(y)|_2^2 / gamma.

    Paper, appendix on simulations. Needs a gamma-strongly convex R, which makes g smooth. An iteration takes one
    Jacobian at y and the losses at w.
    """

    name: ClassVar[str] = "apgd"
    needs: ClassVar[Needs] = Needs(regularizer=(StronglyConvex,))

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
        slope = at.slope(at.lam)
        squared = float(slope @ slope)
        coupling = at.norm**2 / oracle.adversary.regularizer.strong_convexity
        L = state.L
        for _ in range(SMOOTHNESS.max_trials):
            L_local = L + coupling
            point = oracle.point(at.w - slope / L_local)
            noise = PROX.rounding_units * oracle.precision * max(abs(at.value), at.magnitude)
            enough = point.value <= at.value - 0.5 * squared / L_local + noise
            if enough or not state.measured:
                return point, L
            L *= SMOOTHNESS.least_increase
        raise not_smooth()
