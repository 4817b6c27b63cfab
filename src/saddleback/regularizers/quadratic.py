"""The quadratic regularizer of the paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, cast

import numpy as np

from .._types import Vector
from .._validation import finite_vector, n_axes, number, symmetric
from ..dual_sets import DualSet, HasProjection, HasSmoothProjection, ProximalResponse
from ..dual_sets.proximal_response import scaled_response, squared_distance
from .base import Regularizer
from .zero import Zero


@dataclass(frozen=True, eq=False)
class Quadratic(Regularizer):
    """R(lam) = gamma/2 |lam - center|^2, center: the set's center (uniform on the simplex) unless given.

    The best response is the projection of center + z/gamma on Lambda (paper, appendix on simulations).
    A quadratic is compatible with every barrier: its third derivative is zero.
    """

    response_needs: ClassVar[tuple[type, ...]] = (HasProjection,)
    proximal_needs: ClassVar[tuple[type, ...] | None] = (HasSmoothProjection,)

    gamma: float
    center: Vector | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", number(self.gamma, "gamma of Quadratic", minimum=0.0))
        if self.center is not None:
            # For sets of matrices the center is a matrix.
            checked = finite_vector if n_axes(self.center) < 2 else symmetric
            object.__setattr__(self, "center", checked(self.center, "center of Quadratic"))

    @property
    def strong_convexity(self) -> float:
        return self.gamma

    def resolve(self, dual_set: DualSet, n: int) -> Regularizer:
        if self.gamma == 0:
            return Zero()
        center = dual_set.center(n) if self.center is None else self.center
        return replace(self, center=dual_set.from_user(center, "center of Quadratic", n))

    def _offset(self, lam: Vector) -> Vector:
        # Before `resolve` the center is the uniform distribution.
        return lam - (1.0 / lam.size if self.center is None else self.center)

    def value(self, lam: Vector) -> float:
        offset = self._offset(lam)
        return 0.5 * self.gamma * float(offset.dot(offset))

    def gradient(self, lam: Vector) -> Vector:
        return self.gamma * self._offset(lam)

    def hessian(self, lam: Vector) -> Vector:
        return np.full_like(lam, self.gamma)

    def difference(self, lam: Vector, mu: Vector) -> float:
        return 0.5 * self.gamma * float((lam - mu).dot(self._offset(lam) + self._offset(mu)))

    def gap(self, dual_set: DualSet, lam: Vector, z: Vector) -> float:
        z, center = dual_set.tangent_part(z), 1.0 / z.size if self.center is None else self.center
        best: Vector = cast("HasProjection", dual_set).project(z / self.gamma + center)
        return float((best - lam).dot(z - self.gamma * (0.5 * (best + lam) - center)))

    def best_response(self, dual_set: DualSet, z: Vector) -> Vector:
        project = cast("HasProjection", dual_set).project
        # Without the common part of all losses, which would cancel digits in which they differ.
        return project(dual_set.tangent_part(z) / self.gamma + (1.0 / z.size if self.center is None else self.center))

    def proximal_distance(self, dual_set: DualSet, lam: Vector, center: Vector) -> float:
        """1/2 |lam - center|^2."""
        return squared_distance(lam, center)

    def proximal_response(self, dual_set: DualSet, z: Vector, gamma: float, center: Vector) -> ProximalResponse:
        """A projection: the two quadratics add up to one, of the sum of their gammas; also for gamma = 0."""
        total = self.gamma + gamma
        own = center + self._offset(np.zeros_like(z))
        middle = center - (self.gamma / total) * own
        response = cast("HasSmoothProjection", dual_set).smooth_project(dual_set.tangent_part(z) / total + middle)
        value = float(response.lam.dot(z)) - self.value(response.lam) - gamma * squared_distance(response.lam, center)
        return scaled_response(response, 1.0 / total, value)

    def quadratic_form(self, n: int) -> tuple[Vector, Vector]:
        return np.full(n, self.gamma), self.gamma * self._offset(np.zeros(n))
