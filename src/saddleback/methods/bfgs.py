"""BFGS as a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from .._types import Matrix, Vector
from .metric import CholeskySystem, DenseMetric

# Without curvature along a step the next may be this many times longer.
LONGER = 10.0
# Curvature that has fallen by more than this is of another place: beside it the new one would be lost to rounding.
OBSOLETE = 1e10


@dataclass(frozen=True, eq=False)
class DenseBFGS:
    """B+ = B - B s s'B/(s'B s) + y y'/(y's) (Nocedal and Wright 2006, eq. 6.19), as a matrix."""

    B: Matrix
    n_pairs: int = 0

    @staticmethod
    def start(d: int, delta: float) -> DenseBFGS:
        return DenseBFGS(delta * np.eye(d))

    @property
    def least_curvature(self) -> float:
        """A bound from above on the least eigenvalue."""
        return float(self.B.diagonal().min())

    def flattened(self) -> DenseBFGS:
        return DenseBFGS(self.B / LONGER, self.n_pairs)

    def updated(self, s: Vector, y: Vector) -> DenseBFGS:
        sy = float(s.dot(y))
        delta = float(y.dot(y)) / sy
        largest = self.B.diagonal()
        # The first pair sets the scale of the directions that none has seen (ibid., eq. 6.20).
        known = self.n_pairs > 0 and largest.item(largest.argmax()) <= OBSOLETE * delta
        B = self.B if known else delta * np.eye(s.size)
        Bs = B.dot(s)
        # Squares, so that B stays symmetric to the bit.
        z, v = y / sqrt(sy), Bs / sqrt(float(s.dot(Bs)))
        return DenseBFGS(B + z[:, None] * z - v[:, None] * v, self.n_pairs + 1)

    def system(self, G: Matrix, sigma: float) -> CholeskySystem | None:
        return DenseMetric(self.B).system(G, sigma)
