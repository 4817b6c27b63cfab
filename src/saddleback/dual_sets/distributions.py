"""Base class of sets of probability distributions."""

from __future__ import annotations

import numpy as np

from .._types import Vector
from .base import DualSet


class Distributions(DualSet):
    """A subset of the simplex: weights that are not negative and sum to one."""

    def weight_range(self, n: int) -> tuple[float, float]:
        return 1.0, 1.0

    def largest_weight(self, n: int) -> float:
        return 1.0

    def bounds(self, n: int) -> tuple[Vector, Vector]:
        return np.full(n, float(n == 1)), np.ones(n)

    def tangent_part(self, z: Vector) -> Vector:
        return z - z[z.argmax()]
