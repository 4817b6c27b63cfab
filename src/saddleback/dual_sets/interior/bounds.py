"""Weights between bounds, with or without a given sum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Vector
from .base import Interior, InteriorForm, InteriorModel, moved_within, near_center, primal_dual_step, two_sided


@dataclass(frozen=True, eq=False)
class BoundsForm(InteriorForm):
    """{lower + v : 0 <= v <= width, sum v = total}, or without the sum: boxes, simplices, capped simplices.

    phi_tau(z, nu) = <lower, z> + total nu + sum_j max over v of v (z_j - nu) + tau log v + tau log(width_j - v).
    """

    lower: Vector | float
    width: Vector | float
    n: int
    total: float | None = None

    @property
    def n_pairs(self) -> float:
        return 2.0 * self.n

    def start(self, z: Vector, scale: float) -> Interior:
        if self.total is None:
            return Interior(np.zeros(0), np.full(self.n, 0.5) * self.width)
        width = np.broadcast_to(self.width, (self.n,))
        order = z.argsort()[::-1]
        filled = width[order].cumsum()
        last = min(int(filled.searchsorted(self.total)), self.n - 1)
        return Interior(z[order[last : last + 1]], width * (self.total / filled[-1]))

    def value(self, z: Vector, y: Vector, tau: float) -> float:
        s, t = two_sided(z - y[0] if y.size else z, self.width, tau)
        fixed = float(np.dot(self.lower, z)) if np.ndim(self.lower) else float(self.lower) * float(z.sum())
        free = float(np.dot(self.width, t)) if np.ndim(self.width) else float(self.width) * float(t.sum())
        constrained = self.total * float(y[0]) if self.total is not None else 0.0
        return fixed + constrained + free - tau * float(np.log(s).sum() + np.log(t).sum())

    def model(self, z: Vector, at: Interior, tau: float) -> InteriorModel:
        s, t = two_sided(z - at.y[0] if at.y.size else z, self.width, tau)
        central = np.where(s > t, tau / s, self.width - tau / t)
        theta = 1.0 / (s / at.v + t / (self.width - at.v))
        weights = self.lower + central
        if self.total is None:
            none = np.zeros((0, 0))
            return InteriorModel(weights, np.zeros(0), theta, np.zeros((0, self.n)), none, none)
        gradient = np.array([self.total - central.sum()])
        return InteriorModel(weights, gradient, theta, -theta[None], np.array([[theta.sum()]]), np.zeros((1, 1)))

    def moved(
        self, before: Vector, z: Vector, at: Interior, y: Vector, change: Vector, dy: Vector, tau: float
    ) -> Interior:
        q, dq = (before, change) if self.total is None else (before - at.y[0], change - dy[0])
        s, t = two_sided(q, self.width, tau)
        dv = primal_dual_step(at.v, self.width, q + dq, s, t, tau)
        del q, dq
        s, t = two_sided(z - y[0] if y.size else z, self.width, tau)
        return Interior(y, near_center(moved_within(at.v, dv, self.width), s, t, self.width, tau))

    def lam(self, at: Interior) -> Vector:
        return self.lower + at.v
