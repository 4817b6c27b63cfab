"""The entropic regularizer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import rel_entr

from .._types import Vector
from .._validation import finite_vector, number
from ..dual_sets import DualSet
from ..errors import ProblemError
from .base import Regularizer, capability
from .zero import Zero


@dataclass(frozen=True, eq=False)
class Entropy(Regularizer):
    """R(lam) = gamma sum_j lam_j log(lam_j / prior_j), prior: uniform unless given.

    On the simplex h(z) = gamma log sum prior_j exp(z_j/gamma) and the best response is a softmax.
    Compatible with Burg's barrier (paper, Lemma "Shannon entropy"); gamma-strongly convex in the 1-norm
    (Pinsker), hence in the Euclidean norm.
    """

    ascent_needs: ClassVar[str] = "tilt"

    gamma: float
    prior: Vector | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", number(self.gamma, "gamma of Entropy", minimum=0.0))
        if self.prior is not None:
            prior = finite_vector(self.prior, "prior of Entropy")
            if prior.min() <= 0 or abs(prior.sum() - 1.0) > 1e-8:
                raise ProblemError(
                    f"prior of Entropy must be positive and sum to one; got least entry {prior.min():g}, "
                    f"sum {prior.sum():g}. Normalize it, and drop the losses that have no weight."
                )
            object.__setattr__(self, "prior", prior)

    @property
    def strong_convexity(self) -> float:
        return self.gamma

    def resolve(self, dual_set: DualSet, n: int) -> Regularizer:
        if self.gamma == 0:
            return Zero()
        prior = np.full(n, 1.0 / n) if self.prior is None else self.prior
        return replace(self, prior=finite_vector(prior, "prior of Entropy", n))

    def _prior(self, n: int) -> Vector:
        return np.full(n, 1.0 / n) if self.prior is None else self.prior

    def value(self, lam: Vector) -> float:
        return self.gamma * float(rel_entr(lam, self._prior(lam.size)).sum())

    def gradient(self, lam: Vector) -> Vector:
        with np.errstate(divide="ignore"):
            return self.gamma * (np.log(lam / self._prior(lam.size)) + 1.0)

    def hessian(self, lam: Vector) -> Vector:
        return self.gamma / lam

    def best_response(self, dual_set: DualSet, z: Vector) -> Vector:
        tilt = capability(dual_set, "tilt", "the best response to an Entropy regularizer")
        # Stripped of what all losses share, z keeps the digits that tell them apart.
        return tilt(self._prior(z.size), dual_set.strip(z) / self.gamma)

    def response_weights(self, lam: Vector) -> Vector:
        """Of a softmax: d lam = (diag lam - lam lam') dz / gamma."""
        return lam

    def ascent_step(self, dual_set: DualSet, lam: Vector, z: Vector, eta: float, *, at: Vector | None = None) -> Vector:
        """The mirror step argmax eta (<mu, z> - R(mu)) - KL(mu, lam): the gradient is infinite on the boundary."""
        tilt = capability(dual_set, self.ascent_needs, "a mirror step on Entropy")
        weight = 1.0 / (1.0 + eta * self.gamma)
        with np.errstate(divide="ignore"):
            direction = weight * (eta * z + np.log(lam) + eta * self.gamma * np.log(self._prior(z.size)))
        return tilt(np.ones_like(z), direction)
