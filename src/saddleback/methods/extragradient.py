"""The extragradient method: a baseline of the paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..oracle import Oracle
from .apgd import spectral_norm
from .base import Breakdown
from .saddle import SaddleMethod, SaddleState, local_smoothness
from .smoothness import MAX_TRIALS, give_up


@dataclass(frozen=True)
class Extragradient(SaddleMethod):
    """A half step to the middle, then a step with the gradients found there (Korpelevich 1976).

    eta = 1/(max(L, gamma) + |G|_2) as in the paper's appendix on simulations; two Jacobians per iteration;
    rate O(1/T). The dual step is a projection, or a mirror step where R is an entropy.
    """

    name: ClassVar[str] = "extragradient"

    def step(self, oracle: Oracle, state: SaddleState) -> SaddleState:
        at = oracle.evaluate(state.point.w)
        L = state.L
        for _ in range(MAX_TRIALS):
            eta = 1.0 / (max(L, oracle.adversary.regularizer.strong_convexity) + spectral_norm(at))
            middle = oracle.evaluate(at.w - eta * (state.lam @ at.G))
            lam = self.ascend(oracle, state.lam, at.f, eta)
            if not middle.finite:
                if not state.measured:
                    raise Breakdown("the losses are not finite where the half step arrived")
                L *= 10.0
                continue
            needed = local_smoothness(at, middle, lam)
            if not state.measured or needed <= L:
                break
            L = max(2.0 * L, needed)
        else:
            raise give_up()
        w = at.w - eta * (lam @ middle.G)
        new = oracle.evaluate(w)
        if not np.isfinite(new.value):
            raise Breakdown("the losses are not finite where the step arrived")
        return replace(
            self.proved(oracle, state, middle, lam, eta),
            point=oracle.point(w),
            lam=self.ascend(oracle, state.lam, middle.f, eta, at=lam),
            L=L,
        )
