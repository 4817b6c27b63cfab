"""BFGS as a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from .._types import Matrix, ParamMatrix, ParamRows, Vector
from ..linalg.hessian_models import CholeskySystem, DenseMetric

# Without curvature along a step the next may be this many times longer.
LONGER = 10.0
# Curvature that has fallen by more than this is of another place: beside it the new one would be lost to rounding.
OBSOLETE = 1e10
# Where the model has nothing left to promise, directions that no pair has seen are taken to be this much flatter.
LOOSER = 1e-2


@dataclass(frozen=True, eq=False)
class DenseBFGS:
    """B+ = B - B s s'B/(s'B s) + y y'/(y's) (Nocedal and Wright 2006, eq. 6.19), as a matrix: O(d^2) per pair.

    The last d pairs are kept beside B, to make it anew from a flatter start.
    """

    B: ParamMatrix
    delta: float
    """B before the first pair, over the identity."""
    S: ParamRows
    Y: ParamRows
    whole: bool = False
    """Whether B began as the losses' own Hessian, so that no direction is unseen."""

    @staticmethod
    def start(d: int, delta: float) -> DenseBFGS:
        return DenseBFGS(delta * np.eye(d), delta, np.empty((0, d)), np.empty((0, d)))

    @staticmethod
    def known(H: Matrix) -> DenseBFGS:
        """From the losses' own Hessian."""
        none = np.empty((0, len(H)))
        return DenseBFGS(H, float(H.diagonal().max()), none, none, whole=True)

    @property
    def least_curvature(self) -> float:
        """A bound from above on the least eigenvalue."""
        return float(self.B.diagonal().min())

    @property
    def least_shift(self) -> float:
        return DenseMetric(self.B).least_shift

    def flattened(self) -> DenseBFGS:
        """After a step without curvature: everything is flatter, and the pairs are of another place."""
        return DenseBFGS(self.B / LONGER, self.delta / LONGER, self.S[:0], self.Y[:0])

    def loosened(self) -> DenseBFGS:
        """The same pairs on a flatter start."""
        if self.whole:
            return self
        looser = DenseBFGS.start(self.B.shape[0], LOOSER * self.delta)
        for s, y in zip(self.S, self.Y, strict=True):
            looser = looser._with(s, y)
        return looser

    def updated(self, s: Vector, y: Vector) -> DenseBFGS:
        delta = float(y.dot(y)) / float(s.dot(y))
        largest = self.B.diagonal()
        # The first pair sets the scale of the directions that none has seen (ibid., eq. 6.20).
        if (len(self.S) or self.whole) and largest.item(largest.argmax()) <= OBSOLETE * delta:
            return self._with(s, y)
        return DenseBFGS.start(s.size, delta)._with(s, y)

    def _with(self, s: Vector, y: Vector) -> DenseBFGS:
        B, Bs = self.B, self.B.dot(s)
        sBs = float(s.dot(Bs))
        # Squares, so that B stays symmetric to the bit. Where rounding has eaten s'Bs there is nothing to take away.
        z = y / sqrt(float(s.dot(y)))
        B = B + z[:, None] * z
        if sBs > 0:
            v = Bs / sqrt(sBs)
            B -= v[:, None] * v
        kept = max(0, len(self.S) + 1 - s.size)
        S, Y = np.concatenate((self.S[kept:], s[None])), np.concatenate((self.Y[kept:], y[None]))
        return DenseBFGS(B, self.delta, S, Y, whole=self.whole)

    def system(self, G: Matrix, sigma: float) -> CholeskySystem | None:
        return DenseMetric(self.B).system(G, sigma)
