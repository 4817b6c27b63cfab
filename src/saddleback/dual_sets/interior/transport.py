"""The ball of total variation: mass that is moved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Vector
from .base import Interior, InteriorForm, InteriorModel, interior_step, near_center, primal_dual_step, two_sided
from .divergences import moved_slack, positive_step


@dataclass(frozen=True, eq=False)
class TransportForm(InteriorForm):
    """{p + a - b : 0 <= a <= 1, 0 <= b <= p, sum a = sum b, sum (a + b) <= 2 rho}, multipliers y = (nu, kappa).

    v holds a, then b: the terms of a see z - nu - kappa, those of b see nu - z - kappa.
    """

    p: Vector
    rho: float

    @property
    def n(self) -> int:
        return self.p.size

    @property
    def n_pairs(self) -> float:
        return 5.0 * self.n

    @property
    def width(self) -> Vector:
        return np.concatenate([np.ones(self.n), self.p])

    def start(self, z: Vector, scale: float) -> Interior:
        moved = min(self.rho, 1.0)
        v = np.tile(0.5 * moved * self.p, 2)
        return Interior(np.array([self.p.dot(z), 0.2 * scale / self.rho]), v, 2.0 * self.rho - moved)

    def value(self, z: Vector, y: Vector, tau: float) -> float:
        nu, kappa = y.tolist()
        if not kappa > 0.0:
            return np.inf
        s, t = two_sided(self._seen(z, nu, kappa), self.width, tau)
        logs = float(np.log(s).sum() + np.log(t).sum()) + self.n * float(np.log(kappa))
        return float(self.p.dot(z)) + 2.0 * self.rho * kappa + float(self.width.dot(t)) - tau * logs

    def model(self, z: Vector, at: Interior, tau: float) -> InteriorModel:
        nu, kappa = at.y.tolist()
        n, width = self.n, self.width
        s, t = two_sided(self._seen(z, nu, kappa), width, tau)
        central = np.where(s > t, tau / s, width - tau / t)
        change = central[:n] - central[n:]
        gradient = np.array([-change.sum(), 2.0 * self.rho - self.n * tau / kappa - central.sum()])
        theta = 1.0 / (s / at.v + t / (width - at.v))
        both, net = theta[:n] + theta[n:], theta[:n] - theta[n:]
        mixed = float(net.sum())
        border = np.array([[both.sum(), mixed], [mixed, both.sum() + at.slack / kappa]])
        # a and b see kappa with the same sign: their two terms have rank two, of which cross and theta hold one.
        second = float((4.0 * theta[:n] * (theta[n:] / both)).sum())
        rest = np.diag([0.0, second + at.slack / kappa])
        return InteriorModel(self.p + change, gradient, both, np.stack([-both, -net]), border, rest)

    def moved(
        self, before: Vector, z: Vector, at: Interior, y: Vector, change: Vector, dy: Vector, tau: float
    ) -> Interior:
        nu, kappa = at.y.tolist()
        width = self.width
        q, dq = self._seen(before, nu, kappa), self._seen(change, *dy.tolist())
        s, t = two_sided(q, width, tau)
        dv = primal_dual_step(at.v, width, q + dq, s, t, tau)
        del q, dq
        share = interior_step(at.v, dv, width)
        s, t = two_sided(self._seen(z, *y.tolist()), width, tau)
        slack = moved_slack(at.slack, self.n * tau, kappa, float(dy[1]), float(y[1]))
        return Interior(y, near_center(at.v + share * dv, s, t, width, tau), slack)

    def lam(self, at: Interior) -> Vector:
        return self.p + at.v[: self.n] - at.v[self.n :]

    def longest_step(self, y: Vector, dy: Vector) -> float:
        return positive_step(float(y[1]), float(dy[1]))

    def _seen(self, z: Vector, nu: float, kappa: float) -> Vector:
        return np.concatenate([z - nu - kappa, nu - z - kappa])
