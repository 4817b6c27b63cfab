"""The optimistic gradient method: a baseline of the paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from .._types import Vector
from ..oracle import Evaluation, Oracle
from .apgd import spectral_norm
from .base import Breakdown, State
from .saddle import SaddleMethod, SaddleState, local_smoothness
from .smoothness import MAX_TRIALS, give_up


@dataclass(frozen=True, eq=False, kw_only=True)
class OptimisticState(SaddleState):
    """The base point (w, z) that both half steps start from; ``point`` and ``lam`` are the middle."""

    w: Vector
    z: Vector


@dataclass(frozen=True)
class Optimistic(SaddleMethod):
    """Extragradient with the gradient of the last middle point in the half step (Popov 1980; Rakhlin and
    Sridharan 2013): one Jacobian per iteration, eta = 1/(2 (max(L, gamma) + |G|_2)), rate O(1/T).
    """

    name: ClassVar[str] = "optimistic"
    state_type: ClassVar[type[State]] = OptimisticState

    def init(self, oracle: Oracle, w0: Vector) -> OptimisticState:
        start = super().init(oracle, w0)
        return OptimisticState(**vars(start), w=w0, z=start.lam)

    def step(self, oracle: Oracle, state: SaddleState) -> OptimisticState:
        assert isinstance(state, OptimisticState)
        last = oracle.evaluate(state.point.w)
        L = state.L
        for _ in range(MAX_TRIALS):
            eta = 0.5 / (max(L, oracle.adversary.regularizer.strong_convexity) + spectral_norm(last))
            middle = oracle.evaluate(state.w - eta * (state.lam @ last.G))
            lam = self.ascend(oracle, state.z, last.f, eta, at=state.lam)
            if not middle.finite:
                if not state.measured:
                    raise Breakdown("the losses are not finite where the half step arrived")
                L *= 10.0
                continue
            needed = local_smoothness(last, middle, lam)
            if not state.measured or needed <= L:
                return self._complete(oracle, state, middle, lam, eta, L)
            L = max(2.0 * L, needed)
        raise give_up()

    def _complete(
        self, oracle: Oracle, state: OptimisticState, middle: Evaluation, lam: Vector, eta: float, L: float
    ) -> OptimisticState:
        proved = self.proved(oracle, state, middle, lam, eta)
        assert isinstance(proved, OptimisticState)
        return replace(
            proved,
            point=middle.point,
            lam=lam,
            w=state.w - eta * (lam @ middle.G),
            z=self.ascend(oracle, state.z, middle.f, eta, at=lam),
            L=L,
        )
