"""The ball of distributions in total variation."""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1

import numpy as np
from numpy.typing import NDArray

from .._types import Vector
from .capped_simplex import clipped_to_sum
from .divergence_ball import DivergenceBall
from .interior import ROUNDING_RADIUS, BoundsForm, InteriorForm, PointForm, SumForm
from .priors import prior_of
from .proximal_response import EuclideanProximity, SmoothResponse, balanced_response

# Newton's steps increase to the root quadratically; the limit only guards against rounding errors.
MAX_STEPS = 50
# exp of more than 709 overflows.
LARGEST_EXPONENT = 700.0
# Larger radii are replaced by this one, as their squares would overflow; radius one already contains all distributions.
LARGEST_RADIUS = 1e100


@dataclass(frozen=True, eq=False)
class TVBall(DivergenceBall, EuclideanProximity):
    """{lam in the simplex : 1/2 sum_j |lam_j - p_j| <= rho}: the adversary moves a mass of at most rho.

    On the simplex the distance is sum_j (lam_j - p_j)_+, the least sum of s with s >= 0 and s >= u = lam - p. Barrier
    -sum log lam_j + min_s [-sum log s_j - sum log(s_j - u_j) - log(rho - sum s_j)], nu = 3 J - 1 (docs/mathematics.md,
    8): partial minimization keeps self-concordance (Nesterov and Nemirovskii 1994, Proposition 5.1.5). Every method
    costs a sort, or the few Newton steps of one multiplier.
    """

    @staticmethod
    def phi(v: Vector) -> Vector:
        return np.maximum(v, 0.0)

    def interior_form(self, n: int) -> InteriorForm:
        """rho times the simplex, and what is left of p when mass rho has been taken."""
        p = prior_of(self.prior, n)
        if self._is_point(n) or self.rho <= ROUNDING_RADIUS:
            return PointForm(p)
        rho = min(self.rho, 1.0)
        given = BoundsForm(0.0, rho, n, rho)
        # From radius one on nothing of p is left.
        return SumForm((given, BoundsForm(0.0, p, n, 1.0 - rho))) if rho < 1.0 else given

    @property
    def proves_gaps(self) -> bool:
        return True

    def barrier_parameter(self, n: int) -> float:
        return 0.0 if self._is_point(n) else 3.0 * n - 1.0

    def _ball_barrier(self, lam: Vector) -> float:
        if not self._gap(lam) > 0.0:
            return np.inf
        s, s_less_u, room = self._slacks(lam)
        return -float(np.log(s).sum() + np.log(s_less_u).sum() + np.log(room))

    def _ball_gradient(self, lam: Vector) -> Vector:
        """By the envelope theorem."""
        return 1.0 / self._slacks(lam)[1]

    def _ball_hessian(self, lam: Vector) -> tuple[Vector, Vector]:
        """By the Schur complement of s: with A = s^2 and B = (s - u)^2, diag 1 / (A + B) and the rank-one matrix of
        A / (A + B), over (rho - sum s)^2 + sum A B / (A + B).
        """
        s, s_less_u, room = self._slacks(lam)
        A, B = s * s, s_less_u * s_less_u
        v = A / (A + B)
        return 1.0 / (A + B), v / np.sqrt(room * room + v.dot(B))

    def _gap(self, lam: Vector) -> float:
        return min(self.rho, LARGEST_RADIUS) - float(np.maximum(lam - prior_of(self.prior, lam.size), 0.0).sum())

    def _slacks(self, lam: Vector) -> tuple[Vector, Vector, float]:
        """s, s - u and rho - sum s at the minimizing s.

        With theta = 1 / (rho - sum s), 1 / s + 1 / (s - u) = theta: the smaller of s and s - u, which differ by |u|,
        is (1 + 1 / (y + sqrt(1 + y^2))) / theta, y = theta |u| / 2. theta is the root of
        theta (rho - sum u_+) - 1 - J - sum_j 1 / (y_j + sqrt(1 + y_j^2)), a concave, increasing function that is
        negative at (1 + J) / (rho - sum u_+): Newton's steps increase to the root.
        """
        u = lam - prior_of(self.prior, lam.size)
        half = 0.5 * np.abs(u)
        gap = self._gap(lam)
        theta = (1.0 + u.size) / gap
        for _ in range(MAX_STEPS):
            y = theta * half
            r = np.sqrt(1.0 + y * y)
            shares = 1.0 / (y + r)
            step = (1.0 + u.size + shares.sum() - theta * gap) / (gap + half.dot(shares / r))
            if not step > 1e-15 * theta:
                break
            theta += float(step)
        least = (1.0 + shares) / theta
        most = least + 2.0 * half
        up = u > 0.0
        return np.where(up, most, least), np.where(up, least, most), 1.0 / theta

    def _ascend(self, p: Vector, x: Vector) -> Vector:
        """Mass rho moves from the smallest entries to the largest ones; equal entries change in proportion to p."""
        level = self._level(p, x)
        partial, top = x == level, x == 0.0
        lam = np.where(x < level, 0.0, p)
        lam[partial] *= 1.0 - min(1.0, (self.rho - float(p[x < level].sum())) / float(p[partial].sum()))
        lam[top] *= 1.0 + self.rho / float(p[top].sum())
        return lam

    def _level(self, p: Vector, x: Vector) -> float:
        """The entry of x up to which the smallest entries have mass rho."""
        if self.prior is None:
            # Without sorting, which would take longer than an evaluation of as many losses.
            k = min(max(int(np.ceil(self.rho * x.size)), 1), x.size) - 1
            return float(np.partition(x, k)[k])
        order = np.argsort(x)
        return float(x[order[min(int(p[order].cumsum().searchsorted(self.rho)), x.size - 1)]])

    # With multipliers theta of the mass and mu of the distance, a separable objective is maximized by the response
    # lam_j to theta + mu where that exceeds p_j, by the response to theta where that is below p_j, and else by p_j. The
    # increases and the decreases both sum to rho, so that the two multipliers are found one after the other.
    def _smooth_project(self, p: Vector, x: Vector) -> SmoothResponse:
        """The response to a multiplier theta is x - theta; the increases and the decreases keep their sums."""
        up, down = _increase(x - p, self.rho), _decrease(x, p, self.rho)
        rising, falling = (up > 0.0).astype(np.float64), ((down > 0.0) & (down < p)).astype(np.float64)
        return balanced_response(p + up - down, rising, falling)

    def _smooth_tilt(self, p: Vector, x: Vector) -> SmoothResponse:
        """The response to a multiplier theta is p exp(x - theta)."""
        lam, moved = p.copy(), np.zeros((2, p.size))
        for group, sign in zip(moved, (1.0, -1.0), strict=True):
            members = _movers(x, p, self.rho, sign)
            # Relative to the largest entry of the members, so that the exponentials do not overflow.
            shares = p[members] * np.exp(x[members] - x[members].max())
            lam[members] = shares * (max(0.0, float(p[members].sum()) + sign * self.rho) / shares.sum())
            group[members] = lam[members]
        return balanced_response(lam, *moved)


def _movers(x: Vector, p: Vector, rho: float, sign: float) -> NDArray[np.intp]:
    """The largest entries of x whose p exp(x - theta) - p sum to rho, or for sign = -1 the smallest, with sum -rho.

    When theta moves from one entry to the next, at a distance d, the sum G over the entries so far, of mass P, becomes
    exp(d) (P + G) - P, or P - exp(-d) (P - G). It is computed from positive terms only.
    """
    order = np.argsort(-sign * x)
    entries, masses = x[order].tolist(), p[order].tolist()
    moved, mass = 0.0, masses[0]
    for k in range(1, len(entries)):
        d = min(abs(entries[k] - entries[k - 1]), LARGEST_EXPONENT)
        moved += sign * expm1(sign * d) * (mass + sign * moved)
        if moved >= rho:
            return order[:k]
        mass += masses[k]
    return order


def _increase(k: Vector, rho: float) -> Vector:
    """max(k - theta, 0) with sum rho."""
    k = k - k.max()
    u = np.sort(k)[::-1]
    thetas = (u.cumsum() - rho) / np.arange(1.0, u.size + 1.0)
    theta = thetas[max(0, int(np.count_nonzero(u > thetas)) - 1)]
    return np.maximum(k - theta, 0.0)


def _decrease(x: Vector, p: Vector, rho: float) -> Vector:
    """min(max(theta + p - x, 0), p) with sum rho, for rho < 1."""
    # theta is between the level at which the mass of larger entries reaches rho and the largest p below it; relative to
    # that level, large x have no rounding errors.
    order = np.argsort(x - p)
    level = order[min(int(p[order].cumsum().searchsorted(rho)), x.size - 1)]
    return clipped_to_sum((x[level] - x) - (p[level] - p), p, rho)
