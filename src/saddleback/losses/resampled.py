"""Losses of a resample of the rows, whose table is that of all resamples."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from .._types import Indices, Matrix, Vector
from .combined import CombinedLosses
from .grouped.grouped_linear import GroupedLinear
from .grouped.resamples import Resamples


@dataclass(frozen=True, eq=False)
class ResampledLosses(CombinedLosses):
    """w -> M f_r(w), where f_r are the losses of a `GroupedLinear` on one resample of its rows.

    Estimates from a sample of the rows are those of all rows.
    """

    resamples: Resamples = field(kw_only=True)
    place: int = field(kw_only=True)
    """Which of them."""

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        if self.evaluation is not None:
            return self.evaluation(w, self.combinations)
        f, G = self._own.evaluate(w)
        return self.combinations @ f, self.combinations @ G

    def values(self, w: Vector) -> Vector:
        return self.combinations @ self._own.values(w)

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        return self._own.hessian(w, lam @ self.combinations)

    def loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        return self._own.combined_hessians(w, self.combinations[which])

    @cached_property
    def _own(self) -> GroupedLinear:
        """Made where it is needed: most fits take no more than evaluations."""
        own: GroupedLinear = self.losses.on_resample(self.resamples, self.place)
        return own
