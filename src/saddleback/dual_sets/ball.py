"""Euclidean balls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dnrm2

from .._types import Matrix, Vector
from .._validation import finite_vector, n_axes, number
from ..errors import ProblemError
from ..linalg.hessians import LowRank
from .base import DualSet, check_magnitude


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Ball(DualSet):
    """{|lam - center|_2 <= radius}; a center that is a number holds in any dimension.

    Barrier -log(radius^2 - |lam - center|^2), nu = 1 (docs/mathematics.md, 8).
    The method ``center(n)`` returns the argument ``center`` as a vector. Every method costs O(n).
    """

    radius: float
    _middle: NDArray[np.float64]

    def __init__(self, center: Any, radius: float) -> None:
        name = "center of Ball"
        middle = np.asarray(number(center, name)) if n_axes(center) == 0 else finite_vector(center, name)
        object.__setattr__(self, "_middle", middle)
        object.__setattr__(self, "radius", number(radius, "radius of Ball", minimum=0.0))
        check_magnitude(middle, name)
        check_magnitude(self.radius, "radius of Ball")

    def __repr__(self) -> str:
        middle = self._middle.tolist() if self._middle.size <= 8 else f"<vector of length {self._middle.size}>"
        return f"Ball(center={middle}, radius={self.radius!r})"

    @property
    def size(self) -> int | None:
        return self._middle.size if self._middle.ndim else None

    def validate(self, n: int) -> None:
        if n < 1:
            raise ProblemError(f"Ball in R^{n} is empty; expected at least one loss.")
        if self.size is not None and self.size != n:
            raise ProblemError(
                f"center of Ball has {self.size} entries for {n} losses; pass one per loss, or a number."
            )

    @property
    def proves_gaps(self) -> bool:
        return True

    def _slack(self, offset: Vector) -> float:
        """radius^2 - |offset|^2 as a product, whose digits do not cancel near the boundary."""
        norm = float(dnrm2(offset))
        return (self.radius - norm) * (self.radius + norm)

    def barrier_parameter(self, n: int) -> float:
        return 0.0 if self.radius == 0 else 1.0

    def barrier(self, lam: Vector) -> float:
        if self.radius == 0:
            return 0.0
        slack = self._slack(lam - self._middle)
        return -float(np.log(slack)) if slack > 0 else np.inf

    def barrier_gradient(self, lam: Vector) -> Vector:
        if self.radius == 0:
            return np.zeros_like(lam)
        offset = lam - self._middle
        return offset * (2.0 / self._slack(offset))

    def barrier_hessian(self, lam: Vector) -> Vector | LowRank:
        if self.radius == 0:
            return np.ones_like(lam)
        offset = lam - self._middle
        second = 2.0 / self._slack(offset)
        return LowRank(np.full_like(lam, second), (second * offset)[None])

    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        return (np.eye(n), self.center(n)) if self.radius == 0 else (np.zeros((0, n)), np.zeros(0))

    def center(self, n: int) -> Vector:
        return np.broadcast_to(self._middle, n).copy()

    def bounds(self, n: int) -> tuple[Vector, Vector]:
        center = self.center(n)
        return center - self.radius, center + self.radius

    def tangent_part(self, z: Vector) -> Vector:
        return np.zeros_like(z) if self.radius == 0 else z

    def support(self, z: Vector) -> tuple[float, Vector]:
        """<center, z> + radius |z|; the center where z = 0."""
        center = self.center(z.size)
        largest = float(np.abs(z).max())
        if largest == 0:
            return 0.0, center
        # Scale z first: the norm of subnormal numbers loses all digits.
        direction = z / largest
        norm = float(dnrm2(direction))
        return float(center.dot(z)) + self.radius * (largest * norm), center + direction * (self.radius / norm)

    def contains(self, lam: Vector, tol: float = 1e-12) -> bool:
        scale = max(1.0, self.radius, float(np.abs(self._middle).max()))
        return bool(dnrm2(lam - self._middle) <= self.radius + tol * scale)

    def restore(self, lam: Vector) -> Vector:
        return self.project(lam)

    def project(self, x: Vector) -> Vector:
        offset = x - self._middle
        norm = float(dnrm2(offset))
        return x.copy() if norm <= self.radius else self._middle + offset * (self.radius / norm)
