"""Base class of sets of probability distributions."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dasum

from .._types import Vector
from .base import DualSet

# Up to this many numbers BLAS is faster. It adds longer vectors in an order that depends on their place in memory: two
# runs would not have the same bits.
LONGEST_OF_BLAS = 32


def total_of(weights: Vector) -> float:
    """The sum of weights that are not negative."""
    return float(dasum(weights) if weights.size <= LONGEST_OF_BLAS else weights.sum())


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
