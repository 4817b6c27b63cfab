"""Losses in rescaled parameters: a diagonal metric on the parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._types import Indices, Matrix, Vector
from .._validation import loss_pair
from ..linalg.jacobians import StructuredJacobian
from .facts import LossFacts
from .wrapped import WrappedLosses


@dataclass(frozen=True, eq=False)
class RescaledLosses(WrappedLosses):
    """v -> f(v / factors). For factors = sqrt(P), v = factors w has the norm |v|^2 = |w|_P^2 = sum_i P_i w_i^2.

    A method that works in v with the Euclidean norm works in w with the metric P: Q = G P^-1 G'. It offers exactly the
    capabilities of the losses.
    """

    factors: Vector

    def _facts(self) -> LossFacts:
        facts = super()._facts()
        return replace(facts, strong_convexity=facts.strong_convexity / self.factors**2)

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        f, G = loss_pair(self.losses.evaluate(w / self.factors))
        return f, G / self.factors

    def linearize(self, w: Vector) -> tuple[Vector, StructuredJacobian]:
        f, jacobian = self.losses.linearize(w / self.factors)
        return f, jacobian.rescaled(self.factors)

    def values(self, w: Vector) -> Vector:
        return self.losses.values(w / self.factors)

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        return self.losses.hessian(w / self.factors, lam) / np.outer(self.factors, self.factors)

    def loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        return self.losses.loss_hessians(w / self.factors, which) / np.outer(self.factors, self.factors)

    def sampled_hessian(self, w: Vector, lam: Vector, V: Matrix | None = None) -> Matrix:
        if V is None:
            return self.losses.sampled_hessian(w / self.factors, lam, None) / np.outer(self.factors, self.factors)
        return self.losses.sampled_hessian(w / self.factors, lam, V / self.factors)

    def sampled_loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        H: Matrix = self.losses.sampled_loss_hessians(w / self.factors, which)
        return H / np.outer(self.factors, self.factors)

    def sampled_margins(self, V: Matrix) -> Matrix:
        return self.losses.sampled_margins(V / self.factors)

    def hessian_on_margins(self, w: Vector, lam: Vector, T: Matrix) -> Matrix:
        return self.losses.hessian_on_margins(w / self.factors, lam, T)

    def penalty_diagonal(self) -> Vector:
        return self.losses.penalty_diagonal() / self.factors**2

    def smoothness(self) -> float | None:
        offer = self.losses.smoothness
        # The attribute may be a number; None stands for losses without a smoothness constant.
        L = offer() if callable(offer) else offer
        return None if L is None else L / float(np.min(self.factors)) ** 2

    def parameter_scales(self) -> Vector:
        offer = self.losses.parameter_scales
        return (offer() if callable(offer) else offer) * self.factors

    def jacobian_error(self, w: Vector) -> Matrix | None:
        error = self.losses.jacobian_error(w / self.factors)
        return None if error is None else error / self.factors
