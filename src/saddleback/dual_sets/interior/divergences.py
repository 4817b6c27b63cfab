"""Balls of a smooth divergence around a prior, inside the simplex."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ..._types import Vector
from .base import BOUNDARY_SHARE, MOST_OFF_CENTER, Interior, InteriorForm, InteriorModel, interior_step

LEAST_EXPONENT = -600.0
"""Smaller weights would underflow, and their logarithms be infinite."""
KL_OFF_CENTER = 1.5
"""The factor within which weights of `KLForm` stay of their central values. Of 1, 1.5, 3 and 30 this one took the
fewest steps: 8 to 28 for radii from 0.01 to 6.5, where 30 often took more than 60."""


def positive_step(y: float, dy: float) -> float:
    """The share of dy, at most 1, that keeps y positive, with a margin."""
    return 1.0 if dy >= 0.0 else min(1.0, -BOUNDARY_SHARE * y / dy)


def moved_slack(slack: float, product: float, y: float, dy: float, after: float) -> float:
    """The slack of a constraint after a step of its multiplier y, from the linearized condition slack y = product."""
    slack = max(product / y - slack / y * dy, (1.0 - BOUNDARY_SHARE) * slack)
    center = product / after
    return min(max(slack, center / MOST_OFF_CENTER), center * MOST_OFF_CENTER)


@dataclass(frozen=True, eq=False)
class DivergenceForm(InteriorForm):
    """{v >= 0, sum v = 1, D(v) <= rho}, D(v) = sum_j d_j(v_j), with multipliers y = (nu, mu), mu > 0.

    phi_tau(z, y) = nu + rho mu - J tau log mu + sum_j max over v > 0 of v (z_j - nu) - mu d_j(v) + barrier. The
    logarithm of mu has the weight J tau, so that the ball takes as large a share of the gap as the bounds.
    """

    p: Vector
    rho: float

    def settled(self, z: Vector, y: Vector) -> Vector:
        """y with nu at its best value, where that has a formula."""
        return y

    def share(self, v: Vector, dv: Vector) -> float:
        """The share of the step dv that v takes."""
        return interior_step(v, dv, np.inf)

    def centered(self, v: Vector, z: Vector, y: Vector, tau: float) -> Vector:
        """v, kept near the response to z and y where its condition is not a product of v and a slack."""
        return v

    @abstractmethod
    def response(self, q: Vector, mu: float, tau: float) -> Vector:
        """The maximizing v of each term, for q = z - nu."""

    @abstractmethod
    def terms(self, v: Vector, q: Vector, mu: float, tau: float) -> float:
        """The sum of the terms at v."""

    @abstractmethod
    def divergence(self, v: Vector) -> tuple[float, Vector]:
        """D and its gradient."""

    @abstractmethod
    def curvature(self, v: Vector, q: Vector, mu: float, tau: float) -> Vector:
        """mu d''(v) and the primal-dual curvature of the barrier."""

    @abstractmethod
    def residual(self, v: Vector, slope: Vector, q: Vector, mu: float, tau: float) -> Vector:
        """q - mu d'(v) and the slope of the barrier: zero at the response."""

    @property
    def n(self) -> int:
        return self.p.size

    def start(self, z: Vector, scale: float) -> Interior:
        share = 0.5 if self.n_pairs > self.n else 1.0
        return Interior(np.array([self.p.dot(z), share * scale / self.rho]), self.p.copy(), self.rho)

    def value(self, z: Vector, y: Vector, tau: float) -> float:
        nu, mu = self.settled(z, y).tolist()
        if not mu > 0.0:
            return np.inf
        q = z - nu
        with np.errstate(over="ignore", invalid="ignore"):
            v = self.response(q, mu, tau)
            value = nu + self.rho * mu - self.n * tau * float(np.log(mu)) + self.terms(v, q, mu, tau)
        return value if np.isfinite(value) else np.inf

    def model(self, z: Vector, at: Interior, tau: float) -> InteriorModel:
        nu, mu = self.settled(z, at.y).tolist()
        q = z - nu
        central = self.response(q, mu, tau)
        gradient = np.array([1.0 - central.sum(), self.rho - self.n * tau / mu - self.divergence(central)[0]])
        theta = 1.0 / self.curvature(at.v, q, mu, tau)
        along = self.divergence(at.v)[1]
        cross = np.stack([-theta, -theta * along])
        mixed = float(theta.dot(along))
        border = np.array([[theta.sum(), mixed], [mixed, -float(cross[1].dot(along)) + at.slack / mu]])
        return InteriorModel(central, gradient, theta, cross, border, np.diag([0.0, at.slack / mu]))

    def moved(
        self, before: Vector, z: Vector, at: Interior, y: Vector, change: Vector, dy: Vector, tau: float
    ) -> Interior:
        nu, mu = self.settled(before, at.y).tolist()
        q, slope = before - nu, self.divergence(at.v)[1]
        dq = change - dy[0] - dy[1] * slope
        dv = (dq + self.residual(at.v, slope, q, mu, tau)) / self.curvature(at.v, q, mu, tau)
        share = self.share(at.v, dv)
        slack = moved_slack(at.slack, self.n * tau, mu, float(dy[1]), float(y[1]))
        return Interior(y, self.centered(at.v + share * dv, z, y, tau), slack)

    def lam(self, at: Interior) -> Vector:
        return at.v

    def longest_step(self, y: Vector, dy: Vector) -> float:
        return positive_step(float(y[1]), float(dy[1]))


class Chi2Form(DivergenceForm):
    """d_j(v) = (v - p_j)^2/p_j, with the barrier tau log v."""

    @property
    def n_pairs(self) -> float:
        return 2.0 * self.n

    def response(self, q: Vector, mu: float, tau: float) -> Vector:
        """The positive root of (2 mu/p) v^2 - (q + 2 mu) v - tau = 0, without cancellation."""
        b = q + 2.0 * mu
        root = np.sqrt(b * b + 8.0 * mu * tau / self.p)
        above = b > 0.0
        larger = np.abs(b) + root
        return np.where(above, larger * self.p / (4.0 * mu), 2.0 * tau / larger)

    def terms(self, v: Vector, q: Vector, mu: float, tau: float) -> float:
        return float(v.dot(q)) - mu * self.divergence(v)[0] + tau * float(np.log(v).sum())

    def divergence(self, v: Vector) -> tuple[float, Vector]:
        slope = (v - self.p) / self.p
        return float((v - self.p).dot(slope)), 2.0 * slope

    def curvature(self, v: Vector, q: Vector, mu: float, tau: float) -> Vector:
        return 2.0 * mu / self.p + tau / (self.response(q, mu, tau) * v)

    def residual(self, v: Vector, slope: Vector, q: Vector, mu: float, tau: float) -> Vector:
        return q - mu * slope + tau / v


class KLForm(DivergenceForm):
    """d_j(v) = v log(v/p_j) - v + p_j, which keeps v positive without a barrier.

    nu is always the best one, mu log sum_j p_j exp(z_j/mu): for any other, the exponentials soon overflow.
    """

    @property
    def n_pairs(self) -> float:
        return float(self.n)

    def settled(self, z: Vector, y: Vector) -> Vector:
        mu, top = float(y[1]), float(z.max())
        if not mu > 0.0:
            return y
        return np.array([top + mu * np.log(self.p.dot(np.exp((z - top) / mu))), mu])

    def response(self, q: Vector, mu: float, tau: float) -> Vector:
        return self.p * np.exp(np.maximum(q / mu, LEAST_EXPONENT))

    def share(self, v: Vector, dv: Vector) -> float:
        """All of it: `centered` keeps v positive, and the smallest weights must not shorten the step of the others."""
        return 1.0

    def centered(self, v: Vector, z: Vector, y: Vector, tau: float) -> Vector:
        nu, mu = self.settled(z, y).tolist()
        center = self.response(z - nu, mu, tau)
        return np.minimum(np.maximum(v, center / KL_OFF_CENTER), center * KL_OFF_CENTER)

    def terms(self, v: Vector, q: Vector, mu: float, tau: float) -> float:
        """sum_j mu (v_j - p_j) = 0, as nu is settled."""
        return 0.0

    def divergence(self, v: Vector) -> tuple[float, Vector]:
        slope = np.log(v / self.p)
        return float(v.dot(slope) - v.sum() + self.p.sum()), slope

    def curvature(self, v: Vector, q: Vector, mu: float, tau: float) -> Vector:
        return mu / v

    def residual(self, v: Vector, slope: Vector, q: Vector, mu: float, tau: float) -> Vector:
        return np.maximum(q, LEAST_EXPONENT * mu) - mu * slope
