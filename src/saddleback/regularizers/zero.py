"""No regularizer: the plain worst case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from .._types import Vector
from ..dual_sets import DualSet, HasProximalResponse, ProximalResponse
from .base import Regularizer


@dataclass(frozen=True)
class Zero(Regularizer):
    """R = 0, so that h is the support function of Lambda: on the simplex, the largest loss."""

    proximal_needs: ClassVar[tuple[type, ...] | None] = (HasProximalResponse,)

    @property
    def strong_convexity(self) -> float:
        return 0.0

    def value(self, lam: Vector) -> float:
        return 0.0

    def gradient(self, lam: Vector) -> Vector:
        return np.zeros_like(lam)

    def hessian(self, lam: Vector) -> Vector:
        return np.zeros_like(lam)

    def best_response(self, dual_set: DualSet, z: Vector) -> Vector:
        return dual_set.support(z)[1]

    def respond(self, dual_set: DualSet, z: Vector) -> tuple[float, Vector]:
        # The support function itself, without the rounding errors of <lam, z> where several losses tie.
        return dual_set.support(z)

    def conjugate(self, dual_set: DualSet, z: Vector) -> float:
        return dual_set.support_value(z)

    def gap(self, dual_set: DualSet, lam: Vector, z: Vector) -> float:
        return dual_set.regret(lam, z)

    def proximal_distance(self, dual_set: DualSet, lam: Vector, center: Vector) -> float:
        """That of the set."""
        return cast("HasProximalResponse", dual_set).proximal_distance(lam, center)

    def proximal_response(self, dual_set: DualSet, z: Vector, gamma: float, center: Vector) -> ProximalResponse:
        """That of the set."""
        return cast("HasProximalResponse", dual_set).proximal_response(z, gamma, center)

    def quadratic_form(self, n: int) -> tuple[Vector, Vector]:
        return np.zeros(n), np.zeros(n)
