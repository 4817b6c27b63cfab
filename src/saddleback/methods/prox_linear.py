"""The prox-linear method."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from .._types import Vector
from .._validation import number
from ..oracle import Oracle
from .base import Method, State
from .prox_step import prox_step
from .smoothness import MAX_TRIALS, calibrate, give_up, increased, known_smoothness, relaxed


@dataclass(frozen=True, eq=False, kw_only=True)
class ProxLinearState(State):
    L: float
    measured: bool


@dataclass(frozen=True)
class ProxLinear(Method[ProxLinearState]):
    """w+ = argmin over v of h(f(w) + G (v - w)) + L/2 |v - w|^2 (Drusvyatskiy and Paquette 2019, eq. 1.4).

    The d-dimensional subproblem is (D) by duality, with Q = G G'/L and c = f(w). Rate O(L/T) for convex losses.
    """

    name: ClassVar[str] = "prox-linear"
    state_type: ClassVar[type[State]] = ProxLinearState

    smoothness: float | None = None

    def __post_init__(self) -> None:
        if self.smoothness is not None:
            object.__setattr__(self, "smoothness", number(self.smoothness, "smoothness", minimum=0.0, strict=True))

    def init(self, oracle: Oracle, w0: Vector) -> ProxLinearState:
        at = oracle.evaluate(w0)
        L = known_smoothness(oracle, self.smoothness)
        return ProxLinearState(
            point=at.point,
            lam=at.lam,
            minorants=(oracle.cut(at, at.lam),),
            L=calibrate(oracle, at, 1e-3 * oracle.tol) if L is None else L,
            measured=L is None,
        )

    def step(self, oracle: Oracle, state: ProxLinearState) -> ProxLinearState:
        at = oracle.evaluate(state.point.w)
        L = state.L
        for _ in range(MAX_TRIALS):
            step = prox_step(oracle, at, 1.0 / L, 1e-3 * oracle.tol, state.lam)
            if not state.measured or step.admits(L):
                return replace(
                    state,
                    point=step.point,
                    lam=step.lam,
                    minorants=(oracle.cut(at, step.lam, step.slope),),
                    inner_gap=step.solution.gap,
                    inner_iter=step.solution.n_iter,
                    predicted=step.predicted,
                    L=relaxed(L, step) if state.measured else L,
                )
            L = increased(L, step)
        raise give_up()
