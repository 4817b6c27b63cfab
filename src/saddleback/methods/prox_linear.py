"""The prox-linear method."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from .._types import Vector
from ..engine.evaluation import Breakdown
from ..engine.method import State
from ..engine.oracle import Oracle
from .prox_step import CONTROL as PROX
from .prox_step import prox_step
from .smoothness import CONTROL as SMOOTHNESS
from .smoothness import SmoothMethod, Smoothness, find_smoothness, not_smooth


@dataclass(frozen=True, eq=False, kw_only=True)
class ProxLinearState(State):
    smoothness: Smoothness


@dataclass(frozen=True)
class ProxLinear(SmoothMethod[ProxLinearState]):
    """w+ = argmin over v of h(f(w) + G (v - w)) + L/2 |v - w|^2 (Drusvyatskiy and Paquette 2019, eq. 1.4).

    The d-dimensional subproblem is (D) by duality, with Q = G G'/L and c = f(w). Rate O(L/T) for convex losses.
    """

    name: ClassVar[str] = "prox-linear"

    @property
    def rescales(self) -> bool:
        # A given L refers to the user's own coordinates.
        return self.smoothness is None

    def init(self, oracle: Oracle, w0: Vector) -> ProxLinearState:
        at = oracle.evaluate(w0)
        return ProxLinearState(
            point=at.point,
            lam=at.lam,
            minorants=(oracle.cut(at, at.lam),),
            smoothness=find_smoothness(oracle, at, self.smoothness),
        )

    def step(self, oracle: Oracle, state: ProxLinearState) -> ProxLinearState:
        at = oracle.evaluate(state.point.w)
        if not at.finite:
            raise Breakdown("the Jacobian is not finite where the last step arrived")
        smoothness = state.smoothness
        for _ in range(SMOOTHNESS.max_trials):
            step = prox_step(oracle, at, 1.0 / smoothness.L, PROX.smallest_accuracy * oracle.tol, state.lam)
            if smoothness.admits(step):
                return replace(
                    state,
                    point=step.point,
                    lam=step.lam,
                    minorants=(oracle.cut(at, step.lam, step.slope),),
                    inner_gap=step.solution.gap,
                    inner_iter=step.solution.n_iter,
                    predicted=step.predicted,
                    smoothness=smoothness.after_acceptance(step),
                )
            smoothness = smoothness.after_rejection(step)
        raise not_smooth()
