"""Losses in rescaled parameters: a diagonal metric on the parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._types import Matrix, Vector
from .._validation import loss_pair
from ..capabilities import lack
from .facts import LossFacts


@dataclass(frozen=True, eq=False)
class RescaledLosses:
    """v -> f(v / scale): in the norm |w|_P^2 = sum_i P_i w_i^2, with scale = sqrt(P), |v| = |w|_P.

    Every method works in v with the Euclidean norm, which is the metric P in w: Q = G P^-1 G'. It offers the
    capabilities that the losses offer, and no others.
    """

    losses: Any
    """`Losses`; untyped, because callers ask `capabilities.offers` before they use an optional member."""
    scale: Vector

    def lacks(self, capability: type) -> str | None:
        return lack(self.losses, capability)

    @property
    def n_losses(self) -> int:
        return self.losses.n_losses

    @property
    def n_params(self) -> int:
        return self.losses.n_params

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        f, G = loss_pair(self.losses.evaluate(w / self.scale))
        return f, G / self.scale

    def values(self, w: Vector) -> Vector:
        return self.losses.values(w / self.scale)

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        return self.losses.hessian(w / self.scale, lam) / np.outer(self.scale, self.scale)

    def sampled_hessian(self, w: Vector, lam: Vector, V: Matrix | None = None) -> Matrix:
        if V is None:
            return self.losses.sampled_hessian(w / self.scale, lam, None) / np.outer(self.scale, self.scale)
        return self.losses.sampled_hessian(w / self.scale, lam, V / self.scale)

    def smoothness(self) -> float | None:
        offer = self.losses.smoothness
        # The attribute may be a number; None stands for losses without a smoothness constant.
        L = offer() if callable(offer) else offer
        return None if L is None else L / float(np.min(self.scale)) ** 2

    def parameter_scales(self) -> Vector:
        offer = self.losses.parameter_scales
        return (offer() if callable(offer) else offer) * self.scale

    def jacobian_error(self, w: Vector) -> Matrix | None:
        error = self.losses.jacobian_error(w / self.scale)
        return None if error is None else error / self.scale

    @property
    def strong_convexity(self) -> float | Vector:
        return self._facts.strong_convexity / self.scale**2

    @property
    def convex(self) -> bool:
        return self._facts.convex

    @property
    def bounded_below(self) -> bool:
        return self._facts.bounded_below

    @property
    def values_first(self) -> bool:
        return self._facts.values_first

    @property
    def exact_jacobian(self) -> bool:
        return self._facts.exact_jacobian

    @property
    def n_entries(self) -> float:
        return self._facts.n_entries

    @property
    def matrix_size(self) -> int | None:
        return self._facts.matrix_size

    @cached_property
    def _facts(self) -> LossFacts:
        return LossFacts.of(self.losses)
