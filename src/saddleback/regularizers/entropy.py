"""The entropic regularizer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, cast

import numpy as np
from scipy.special import rel_entr

from .._types import Vector
from .._validation import number
from ..dual_sets import DualSet, HasSmoothTilt, HasTilt, ProximalResponse
from ..dual_sets.kl_ball import relative_entropy
from ..dual_sets.priors import check_prior_length, checked_prior, prior_of
from ..dual_sets.proximal_response import scaled_response
from ..errors import IncompatibleError
from .base import HasGradient, Regularizer
from .zero import Zero

# Derivatives at a weight of zero are infinite. They are evaluated at this weight instead, whose tangent lies below
# R + SMALLEST_WEIGHT.
SMALLEST_WEIGHT = 1e-100


@dataclass(frozen=True, eq=False)
class Entropy(Regularizer):
    """R(lam) = gamma sum_j lam_j log(lam_j / prior_j), prior: uniform unless given.

    On the simplex h(z) = gamma log sum prior_j exp(z_j/gamma) and the best response is a softmax. Compatible with the
    barrier of every set of non-negative weights: with Burg's by the paper's Lemma "Shannon entropy", with others
    because their Dikin ellipsoids stay in the orthant (docs/mathematics.md, 8). gamma-strongly convex on the simplex,
    in the 1-norm (Pinsker) and hence in the Euclidean norm; gamma/c-strongly convex where weights are at most c.

    Parameters
    ----------
    gamma : float
        >= 0; a larger gamma keeps lam nearer to the prior.
    prior : (J,) array, optional
        Positive numbers that sum to one.
    ceiling : float
        c, an upper bound of all weights, which only determines ``strong_convexity`` = gamma/c. Leave it out: a
        `Problem` replaces it by the largest weight of its dual set, 1 on the simplex.
    """

    response_needs: ClassVar[tuple[type, ...]] = (HasTilt,)
    ascent_needs: ClassVar[tuple[type, ...]] = (HasTilt,)
    proximal_needs: ClassVar[tuple[type, ...] | None] = (HasSmoothTilt,)

    gamma: float
    prior: Vector | None = None
    ceiling: float = field(default=1.0, repr=False)
    """c, an upper bound of the weights; a `Problem` sets it to that of its dual set."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", number(self.gamma, "gamma of Entropy", minimum=0.0))
        object.__setattr__(self, "ceiling", number(self.ceiling, "ceiling of Entropy", minimum=0.0, strict=True))
        object.__setattr__(self, "prior", checked_prior(self.prior, "Entropy"))

    @property
    def strong_convexity(self) -> float:
        return self.gamma / self.ceiling

    def resolve(self, dual_set: DualSet, n: int) -> Regularizer:
        if self.gamma == 0:
            return Zero()
        check_prior_length(self.prior, n, "Entropy")
        lower, _ = dual_set.bounds(n)
        if lower.min() < 0.0:
            raise IncompatibleError(
                f"Entropy needs weights that are not negative; on {dual_set!r} weight {int(lower.argmin())} goes down "
                f"to {lower.min():g}. Use Quadratic(gamma)"
                + (", or VonNeumann(gamma)." if dual_set.to_user(lower).ndim == 2 else ".")
            )
        return replace(self, prior=prior_of(self.prior, n), ceiling=dual_set.largest_weight(n) or 1.0)

    def lacks(self, capability: type) -> str | None:
        if capability is HasGradient:
            return "the gradient of Entropy is infinite where a weight is zero"
        return super().lacks(capability)

    def _prior(self, n: int) -> Vector:
        return prior_of(self.prior, n)

    def value(self, lam: Vector) -> float:
        return self.gamma * float(rel_entr(lam, self._prior(lam.size)).sum())

    def gradient(self, lam: Vector) -> Vector:
        return self.gamma * (np.log(np.maximum(lam, SMALLEST_WEIGHT) / self._prior(lam.size)) + 1.0)

    def hessian(self, lam: Vector) -> Vector:
        return self.gamma / np.maximum(lam, SMALLEST_WEIGHT)

    def best_response(self, dual_set: DualSet, z: Vector) -> Vector:
        tilt = cast("HasTilt", dual_set).tilt
        # Without the common part of all losses, which would cancel digits in which they differ.
        return tilt(self._prior(z.size), dual_set.tangent_part(z) / self.gamma)

    def proximal_distance(self, dual_set: DualSet, lam: Vector, center: Vector) -> float:
        """sum lam log(lam / center) - lam + center, the relative entropy of weights that need not sum to one."""
        return relative_entropy(lam, center)

    def proximal_response(self, dual_set: DualSet, z: Vector, gamma: float, center: Vector) -> ProximalResponse:
        """A tilt: the two entropies add up to one, around a geometric mean of their priors; also for gamma = 0.

        D has - lam in it, which R has not.
        """
        total = self.gamma + gamma
        share = gamma / total
        log_prior = (1.0 - share) * np.log(self._prior(z.size)) + share * np.log(np.maximum(center, SMALLEST_WEIGHT))
        exponents = dual_set.tangent_part(z) / total + share
        response = cast("HasSmoothTilt", dual_set).smooth_tilt(np.exp(log_prior), exponents)
        distance = self.proximal_distance(dual_set, response.lam, center)
        value = float(response.lam.dot(z)) - self.value(response.lam) - gamma * distance
        return scaled_response(response, 1.0 / total, value)

    def ascent_step(self, dual_set: DualSet, lam: Vector, z: Vector, eta: float, *, at: Vector | None = None) -> Vector:
        """The mirror step argmax eta (<mu, z> - R(mu)) - D(mu, lam), D the divergence sum mu log(mu/lam) - mu + lam.

        It is used instead of a gradient step because the gradient is infinite on the boundary.
        """
        tilt = cast("HasTilt", dual_set).tilt
        weight = 1.0 / (1.0 + eta * self.gamma)
        with np.errstate(divide="ignore"):
            direction = weight * (eta * z + np.log(lam) + 1.0 + eta * self.gamma * np.log(self._prior(z.size)))
        return tilt(np.ones_like(z), direction)
