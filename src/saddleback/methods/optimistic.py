"""The optimistic gradient method: a baseline of the paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from .._types import Params, Vector, Weights
from ..engine.oracle import Oracle
from .saddle import SaddleMethod, SaddleState


@dataclass(frozen=True, eq=False, kw_only=True)
class OptimisticState(SaddleState):
    """The base point (w, z) from which both half steps start; ``point`` and ``lam`` are the middle."""

    w: Params
    z: Weights


@dataclass(frozen=True)
class Optimistic(SaddleMethod[OptimisticState]):
    """Extragradient with the gradient of the last middle point in the half step (Popov 1980; Rakhlin and
    Sridharan 2013): one Jacobian per iteration, eta = 1/(2 (max(L, gamma) + |G|_2)), rate O(1/T).
    """

    name: ClassVar[str] = "optimistic"
    step_share: ClassVar[float] = 0.5

    def init(self, oracle: Oracle, w0: Vector) -> OptimisticState:
        start = self.start(oracle, w0)
        return OptimisticState(**vars(start), w=w0, z=start.lam)

    def step(self, oracle: Oracle, state: OptimisticState) -> OptimisticState:
        half = self.half_step(oracle, state, state.w, state.z, oracle.evaluate(state.point.w))
        return replace(
            self.with_average(oracle, state, half),
            point=half.middle.point,
            lam=half.lam,
            w=state.w - half.eta * (half.middle.slope(half.lam)),
            z=self.ascend(oracle, state.z, half.middle.f, half.eta, at=half.lam),
        )
