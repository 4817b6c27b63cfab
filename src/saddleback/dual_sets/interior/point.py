"""A set of a single point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Vector
from .base import Interior, InteriorForm, InteriorModel

NONE = np.zeros(0)
ROUNDING_RADIUS = 1e-15
"""Balls whose weights differ from their center by sums of at most this are that point: weights round by as much.
Chi-square and relative entropy grow with the square of that difference."""
KL_ROUNDING_RADIUS = 1e-8
"""The same for relative entropy, whose weights p exp(x) lose half of the digits of x here. What the ball adds to the
losses' mean, at most 1e-8 times their spread, then stays in the gap."""


@dataclass(frozen=True, eq=False)
class PointForm(InteriorForm):
    """{point}: phi = <point, z>, without multipliers."""

    point: Vector
    n_pairs = 1.0

    def start(self, z: Vector, scale: float) -> Interior:
        return Interior(NONE, NONE)

    def value(self, z: Vector, y: Vector, tau: float) -> float:
        return float(self.point.dot(z))

    def model(self, z: Vector, at: Interior, tau: float) -> InteriorModel:
        none = np.zeros((0, 0))
        return InteriorModel(self.point, NONE, np.zeros(z.size), np.zeros((0, z.size)), none, none)

    def moved(
        self, before: Vector, z: Vector, at: Interior, y: Vector, change: Vector, dy: Vector, tau: float
    ) -> Interior:
        return at

    def lam(self, at: Interior) -> Vector:
        return self.point
