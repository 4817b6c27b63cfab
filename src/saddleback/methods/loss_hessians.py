"""The Hessians of the single losses, kept from step to step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._types import Axes, Matrix, ParamRows, Params, Vector
from ..engine.oracle import Oracle

Mask: TypeAlias = Annotated[NDArray[np.bool_], Axes(("J",))]


@dataclass(frozen=True)
class LossHessiansControl:
    """The numbers of `LossHessians`."""

    most_entries: int = 1 << 23
    """The most entries J d^2 of all Hessians: 64 MB, in a checkpoint as well, and three times that while they are
    computed again. Beyond, only their sum is computed."""
    zero_weight: float = 1e-8
    """A loss with a smaller share of the largest weight is inactive: its weight is zero up to the accuracy of (D)."""


CONTROL = LossHessiansControl()


@dataclass(frozen=True, eq=False)
class LossHessians:
    """H_j = Hessian f_j, each at the last point where f_j had a weight.

    Those of inactive losses enter a step only where it makes them active; then they are computed at the next point.
    """

    rows: ParamRows
    """H_1, ..., H_J below each other, (J d, d)."""
    w: Params
    """The last point at which any of them was computed."""
    fresh: Mask
    """Which of them are those at w."""

    def __post_init__(self) -> None:
        if len(self.rows) != self.fresh.size * self.w.size:
            raise ValueError(f"{len(self.rows)} rows for {self.fresh.size} Hessians of {self.w.size} parameters")

    @staticmethod
    def all_at(oracle: Oracle, w: Vector) -> LossHessians:
        J = oracle.problem.n_losses
        H = oracle.loss_hessians(w, np.arange(J))
        return LossHessians(H.reshape(-1, w.size), w, np.ones(J, dtype=np.bool_))

    @staticmethod
    def sampled_at(oracle: Oracle, w: Vector) -> LossHessians | None:
        """Estimates from a sample, none of which counts as fresh; None where one is not finite."""
        J = oracle.problem.n_losses
        H = oracle.sampled_loss_hessians(w, np.arange(J))
        return None if H is None else LossHessians(H.reshape(-1, w.size), w, np.zeros(J, dtype=np.bool_))

    def at(self, oracle: Oracle, w: Vector, lam: Vector) -> LossHessians:
        """With the Hessians at w of all losses that have a weight in lam."""
        active = _active(lam)
        if w is self.w or np.array_equal(w, self.w):
            which, fresh = (active & ~self.fresh).nonzero()[0], active | self.fresh
            if not which.size:
                return self
        else:
            which, fresh = active.nonzero()[0], active
            if not which.size:
                return LossHessians(self.rows, w, fresh)
        if which.size == lam.size:
            return LossHessians.all_at(oracle, w)
        rows = self.rows.copy()
        rows.reshape(-1, w.size, w.size)[which] = oracle.loss_hessians(w, which)
        return LossHessians(rows, w, fresh)

    def weighted(self, lam: Vector) -> Matrix:
        """sum_j lam_j H_j."""
        d = self.w.size
        return lam.dot(self.rows.reshape(lam.size, d * d)).reshape(d, d)

    def times(self, p: Vector) -> Matrix:
        """H_j p, one per row."""
        return self.rows.dot(p).reshape(-1, p.size)

    def cover(self, lam: Vector) -> bool:
        """Whether every loss with a weight in lam has its Hessian at w."""
        return bool(self.fresh[_active(lam)].all())


def _active(lam: Vector) -> NDArray[np.bool_]:
    """Which losses have a weight."""
    weights = np.abs(lam)
    return weights > CONTROL.zero_weight * weights.item(weights.argmax())


def keeps_loss_hessians(oracle: Oracle) -> bool:
    """Whether a run takes the Hessians of the single losses: they differ, are offered, and fit into memory."""
    J, d = oracle.problem.n_losses, oracle.problem.n_params
    return J > 1 and oracle.offers_loss_hessians and J * d * d <= CONTROL.most_entries and not oracle.weights_are_fixed
