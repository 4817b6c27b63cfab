"""A set of a single point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Vector
from .base import Interior, InteriorForm, InteriorModel

NONE = np.zeros(0)


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
