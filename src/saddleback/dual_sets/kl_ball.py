"""The Kullback-Leibler ball of distributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlog1py

from .._types import Vector
from .divergence_ball import SmoothDivergenceBall
from .interior import KL_ROUNDING_RADIUS, InteriorForm, KLForm, PointForm
from .multipliers import Conditions, Response, best_in_ball, deviation, increasing_root, log_linear
from .priors import prior_of
from .proximal_response import (
    ProximalResponse,
    SmoothResponse,
    balanced_response,
    response_on_sphere,
    scaled_response,
)

# For |v| up to SERIES_BELOW, these terms of (atanh s - s) / s^3 = 1/3 + s^2/5 + ... are exact to rounding.
SERIES_BELOW = 0.1
SERIES = (1 / 13, 1 / 11, 1 / 9, 1 / 7, 1 / 5, 1 / 3)
# Below this the terms of sum lam log(lam / p), of either sign, cancel more than a digit of it.
CANCELS_BELOW = 1e-2
# A weight of zero in the center of a relative entropy could never grow again.
SMALLEST_WEIGHT = 1e-300


@dataclass(frozen=True, eq=False)
class KLBall(SmoothDivergenceBall):
    """{lam in the simplex : sum_j lam_j log(lam_j / p_j) <= rho}: weights within a relative entropy of the prior.

    Its best response to losses z is p_j exp(z_j / mu), normalized (Hu and Hong 2013). Barrier
    -sum log lam_j - log(rho - D), nu = J, with D written as sum lam log(lam / p) - lam + p: its third derivative
    sum h^3 / lam^2 is at most its second, sum h^2 / lam, times sqrt(sum (h / lam)^2), so that D is compatible with
    -sum log lam_j (Nesterov and Nemirovskii 1994, 5.1). ``support`` and ``tilt`` cost one root, ``project`` two nested.
    """

    def interior_form(self, n: int) -> InteriorForm:
        p = prior_of(self.prior, n)
        return (
            PointForm(p)
            if self._is_point(n) or self.rho <= KL_ROUNDING_RADIUS**2
            else KLForm(p, min(self.rho, 1.0 - float(np.log(p.min()))))
        )

    @staticmethod
    def phi(v: Vector) -> Vector:
        """(1 + v) log(1 + v) - v; where v is small, with s = v / (2 + v) and log(1 + v) = 2 atanh s."""
        near = np.abs(v) <= SERIES_BELOW
        s = np.where(near, v, 0.0)
        s = s / (2.0 + s)
        square = s * s
        tail = SERIES[0] * square
        for term in SERIES[1:-1]:
            tail = (tail + term) * square
        small = 2.0 * square * (1.0 + (s + square) * (tail + SERIES[-1])) / (1.0 - s)
        return small if near.all() else np.where(near, small, xlog1py(1.0 + v, v) - v)

    @staticmethod
    def derivatives(lam: Vector, p: Vector) -> tuple[Vector, Vector]:
        v = (lam - p) / p
        near = np.abs(v) < 0.5
        return np.where(near, np.log1p(np.where(near, v, 0.0)), np.log(lam) - np.log(p)), 1.0 / lam

    def _ascend(self, p: Vector, x: Vector) -> Vector:
        return self._tempered(p, x, np.inf)[0]

    def _smooth_ascent(self, p: Vector, x: Vector) -> tuple[Vector, Vector]:
        lam, beta = self._tempered(p, x, np.inf)
        return lam, beta * lam

    def _smooth_tilt(self, p: Vector, x: Vector) -> SmoothResponse:
        """p exp(beta x) with a smaller beta than that of the simplex: the multiplier adds to the temperature 1/beta."""
        spread = -float(x.min())
        if spread == 0.0:
            return balanced_response(p.copy(), p)
        lam, beta = self._tempered(p, x / spread, spread)
        return response_on_sphere(lam, (beta / spread) * lam, x / spread)

    def proximal_distance(self, lam: Vector, center: Vector) -> float:
        """The relative entropy sum lam log(lam / center)."""
        return relative_entropy(lam, center)

    def proximal_response(self, z: Vector, gamma: float, center: Vector) -> ProximalResponse:
        """argmax over lam of <lam, z> - gamma sum lam log(lam / center), for gamma > 0: a tilt of the center."""
        response = self.smooth_tilt(np.maximum(center, SMALLEST_WEIGHT), z / gamma)
        value = float(response.lam.dot(z)) - gamma * self.proximal_distance(response.lam, center)
        return scaled_response(response, 1.0 / gamma, value)

    def _tempered(self, p: Vector, x: Vector, upper: float) -> tuple[Vector, float]:
        """p exp(beta x - L) of divergence rho, for x from -1 to 0, and beta: a root, with d D / d beta = beta Var x."""

        def excess(beta: float) -> tuple[float, float, Vector]:
            s = beta * x
            grown = float(p.dot(np.expm1(s)))
            # log sum p exp(s), by the form in which no digits cancel.
            log_sum = np.log1p(grown) if grown > -0.5 else np.log(p.dot(np.exp(s)))
            t = s - log_sum
            lam = p * np.exp(t)
            D = float(lam.dot(t))
            if D < CANCELS_BELOW:
                D = float(p.dot(self.phi(np.expm1(t))))
            if D == 0.0:
                return -1.0, 0.0, lam
            root = np.sqrt(D / self.rho)
            variance = float(lam.dot((x - lam.dot(x)) ** 2))
            return float(root - 1.0), float(0.5 * root * beta * variance / D), lam

        start = min(float(np.sqrt(2.0 * self.rho)) / deviation(p, x), upper)
        beta, lam = increasing_root(excess, start, 0.0, upper)
        return lam, beta

    def _smooth_project(self, p: Vector, x: Vector) -> SmoothResponse:
        """p v + mu log(1 + v) = x - p + tau."""

        def respond(mu: float, k: Vector) -> Response:
            v, ratio = log_linear(p / mu, k / mu)
            return Response(v, ratio, (k - p * v) / mu, ratio / (p * ratio + mu))

        k = x - p
        # mu rho <= mu <phi', lam - p> <= <k, lam - p> <= (max k - min k) sqrt(rho / 2), by Pinsker's inequality.
        upper = float(np.ptp(k) / np.sqrt(2.0 * self.rho))
        start = min(deviation(p, k) / float(np.sqrt(2.0 * self.rho)), upper)
        return best_in_ball(Conditions(p, self.rho, self.phi, respond, upper), k, start)


def relative_entropy(lam: Vector, center: Vector) -> float:
    """sum lam log(lam / center) - lam + center, without cancellation where lam is near to the center."""
    center = np.maximum(center, SMALLEST_WEIGHT)
    return float(center.dot(KLBall.phi((lam - center) / center)))
