"""Convex combinations of losses, which are losses of the same rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .._types import Indices, Matrix, Vector
from ..capabilities import lack
from .base import (
    HasHessian,
    HasJacobianError,
    HasLinearization,
    HasLossHessians,
    HasSampledLossHessians,
    HasSmoothness,
)
from .facts import LossFacts
from .grouped.grouped_linear import LARGEST_HESSIANS
from .wrapped import WrappedLosses

Evaluate = Callable[[Vector, Matrix], tuple[Vector, Matrix]]
"""(w, M) -> M f(w) and M G(w)."""

Hessians = Callable[[Vector, Matrix], Matrix]
"""(w, M) -> sum_j M_ij Hessian f_j(w) for every row of M."""


@dataclass(frozen=True, eq=False)
class CombinedLosses(WrappedLosses):
    """w -> M f(w), with M >= 0 and rows of sum one.

    The losses f are those of a `GroupedLinear`. With cells (group, part of the rows) as its groups, these are the
    losses of the groups on some of the parts: the training rows of a fold, without a table of their own.
    """

    combinations: Matrix
    """M, of shape (J', J)."""
    share: float = 1.0
    """How much of the data the combinations read, of all that f reads: for choices by cost."""
    evaluation: Evaluate | None = None
    """What evaluates M f and M G, if not f itself: where several w are evaluated in one pass."""
    hessians: Hessians | None = None
    """The same for Hessians."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "n_losses", len(self.combinations))

    def _facts(self) -> LossFacts:
        facts = super()._facts()
        return replace(facts, n_entries=self.share * facts.n_entries)

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        if self.evaluation is not None:
            return self.evaluation(w, self.combinations)
        f, G = self.losses.evaluate(w)
        return self.combinations @ f, self.combinations @ G

    def values(self, w: Vector) -> Vector:
        return self.combinations @ self.losses.values(w)

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        if self.hessians is not None:
            return np.asarray(self.hessians(w, (lam @ self.combinations)[None])[0])
        H: Matrix = self.losses.hessian(w, lam @ self.combinations)
        return H

    def loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        hessians = self.losses.combined_hessians if self.hessians is None else self.hessians
        H: Matrix = hessians(w, self.combinations[which])
        return H

    def sampled_hessian(self, w: Vector, lam: Vector, V: Matrix | None = None) -> Matrix:
        H: Matrix = self.losses.sampled_hessian(w, lam @ self.combinations, V)
        return H

    def sampled_loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        H: Matrix = self.losses.sampled_combined_hessians(w, self.combinations[which])
        return H

    def sampled_margins(self, V: Matrix) -> Matrix:
        margins: Matrix = self.losses.sampled_margins(V)
        return margins

    def hessian_on_margins(self, w: Vector, lam: Vector, T: Matrix) -> Matrix:
        H: Matrix = self.losses.hessian_on_margins(w, lam @ self.combinations, T)
        return H

    def penalty_diagonal(self) -> Vector:
        diagonal: Vector = self.losses.penalty_diagonal()
        return diagonal

    def parameter_scales(self) -> Vector:
        scales: Vector = self.losses.parameter_scales()
        return scales

    def lacks(self, capability: type) -> str | None:
        if capability in (HasSmoothness, HasJacobianError, HasLinearization):
            return "it is not computed for combinations of losses"
        if capability in (HasLossHessians, HasSampledLossHessians):
            if len(self.combinations) * self.n_params**2 > LARGEST_HESSIANS:
                return f"the Hessians of {self.n_losses} losses of {self.n_params} parameters take too much memory"
            return lack(self.losses, HasHessian if capability is HasLossHessians else HasSampledLossHessians)
        return lack(self.losses, capability)
