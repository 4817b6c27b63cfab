"""The extragradient method: a baseline of the paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from .._types import Vector
from ..engine.evaluation import Breakdown
from ..engine.oracle import Oracle
from .saddle import SaddleMethod, SaddleState


@dataclass(frozen=True)
class Extragradient(SaddleMethod[SaddleState]):
    """A half step to the middle, then a step with the gradients found there (Korpelevich 1976).

    eta = 1/(max(L, gamma) + |G|_2) as in the paper's appendix on simulations; two Jacobians per iteration;
    rate O(1/T). The dual step is a projection, or a mirror step where R is an entropy.
    """

    name: ClassVar[str] = "extragradient"

    def init(self, oracle: Oracle, w0: Vector) -> SaddleState:
        return self.start(oracle, w0)

    def step(self, oracle: Oracle, state: SaddleState) -> SaddleState:
        at = oracle.evaluate(state.point.w)
        half = self.half_step(oracle, state, at.w, state.lam, at)
        new = oracle.evaluate(at.w - half.eta * (half.middle.slope(half.lam)))
        if not new.finite:
            raise Breakdown("the losses are not finite where the step arrived")
        lam = self.ascend(oracle, state.lam, half.middle.f, half.eta, at=half.lam)
        return replace(self.with_average(oracle, state, half), point=new.point, lam=lam)
