"""The chi-square ball of distributions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._types import EPS, Vector
from .divergence_ball import SmoothDivergenceBall
from .interior import ROUNDING_RADIUS, Chi2Form, InteriorForm, PointForm
from .multipliers import Conditions, Response, best_in_ball, deviation, log_linear
from .priors import prior_of
from .proximal_response import (
    ProximalResponse,
    SmoothResponse,
    balanced_response,
    constant_response,
)


@dataclass(frozen=True, eq=False)
class Chi2Ball(SmoothDivergenceBall):
    """{lam in the simplex : sum_j (lam_j - p_j)^2 / p_j <= rho}: weights within a chi-square distance of the prior.

    Away from the boundary of the simplex the support function is <p, z> + sqrt(rho Var_p z) (Duchi and Namkoong 2019,
    Theorem 1). Barrier -sum log lam_j - log(rho - D), nu = J (docs/mathematics.md, 8).
    ``support`` costs a sort; ``project`` and ``tilt`` two nested roots.
    """

    shrinks_as: ClassVar[float] = 2.0

    @property
    def proves_gaps(self) -> bool:
        return True

    def interior_form(self, n: int) -> InteriorForm:
        p = prior_of(self.prior, n)
        return (
            PointForm(p)
            if self._is_point(n) or self.rho <= ROUNDING_RADIUS**2
            else Chi2Form(p, min(self.rho, 1.0 / float(p.min())))
        )

    @staticmethod
    def phi(v: Vector) -> Vector:
        return v * v

    @staticmethod
    def derivatives(lam: Vector, p: Vector) -> tuple[Vector, Vector]:
        return 2.0 * (lam - p) / p, 2.0 / p

    def _ascend(self, p: Vector, x: Vector) -> Vector:
        return self._ascended(p, x)[0]

    def _ascended(self, p: Vector, x: Vector) -> tuple[Vector, float]:
        """The best of the candidates p max(a + b (x - m), 0) on the k largest entries of x, for all k.

        With mass P, mean m and sum V of squares about it on those entries, the constraints require a = 1 / P and
        b^2 V = 1 + rho - 1 / P. A candidate without negative entries is feasible, the solution is one of them, and
        <lam, x> = m + b V. Returns it with its b.
        """
        order = np.argsort(-x, kind="stable")
        x_, p_ = x[order], p[order]
        P = p_.cumsum()
        rest = np.append(p_[:0:-1].cumsum()[::-1], 0.0)
        m = (p_ * x_).cumsum() / P
        # Sums of squares by positive increments (Welford 1962), without cancellation.
        V = np.append(0.0, p_[1:] * (P[:-1] / P[1:]) * (x_[1:] - m[:-1]) ** 2).cumsum()
        room = self.rho - rest / P
        # For very many losses these arrays are the largest of a run.
        del p_, rest
        # Allow for rounding errors, which could otherwise exclude the only candidate where its last entry, or the rest
        # of rho, is exactly zero.
        rounding = 16 * EPS * x.size
        feasible = (room >= -rounding * (1.0 + self.rho)) & (V > 0.0)
        np.maximum(room, 0.0, out=room)
        b = np.divide(room, V, out=np.zeros_like(V), where=V > 0.0)
        np.sqrt(b, out=b)
        feasible &= 1.0 / P + b * (x_ - m) >= -rounding / P
        k = int(np.where(feasible, m + b * V, -np.inf).argmax())
        # Subtract the mean twice: where one entry has nearly all of the mass, the first difference has rounding errors.
        members = order[: k + 1]
        q, y = p[members], x[members] - m[k]
        y -= q.dot(y) / P[k]
        slope = np.sqrt(room[k] / q.dot(y * y))
        lam = np.zeros_like(p)
        lam[members] = q * np.maximum(1.0 / P[k] + slope * y, 0.0)
        return lam, float(slope)

    def _smooth_ascent(self, p: Vector, x: Vector) -> tuple[Vector, Vector]:
        lam, slope = self._ascended(p, x)
        return lam, np.where(lam > 0.0, slope * p, 0.0)

    def proximal_distance(self, lam: Vector, center: Vector) -> float:
        """1/2 sum (lam - center)^2 / p."""
        offset = lam - center
        return 0.5 * float(offset.dot(offset / prior_of(self.prior, lam.size)))

    def proximal_response(self, z: Vector, gamma: float, center: Vector) -> ProximalResponse:
        """argmax over lam of <lam, z> - gamma/2 sum (lam - center)^2 / p.

        Where the ball is active, p (1 + v) has (gamma + 2 mu) v = y + tau with y = z + gamma (center/p - 1), clipped
        at v = -1: the maximizer of <lam, y>. Else mu = 0.
        """
        p = prior_of(self.prior, z.size)
        if self._is_point(z.size):
            response = constant_response(p.copy())
        else:
            response = self._nearest(p, self.tangent_part(z + gamma * ((center - p) / p)), gamma)
        value = float(response.lam.dot(z)) - gamma * self.proximal_distance(response.lam, center)
        return ProximalResponse(value, *response)

    def _nearest(self, p: Vector, y: Vector, gamma: float) -> SmoothResponse:
        lam = _weighted_projection(p, y / gamma)
        if self.divergence(lam) <= self.rho:
            return balanced_response(lam, np.where(lam > 0.0, p / gamma, 0.0))
        return self.smooth_support(y)

    def smooth_project(self, x: Vector) -> SmoothResponse:
        p = prior_of(self.prior, x.size)
        if self._is_point(x.size):
            return constant_response(p.copy())
        if self.prior is None:
            # The proximal response to z = 0 with center x and gamma = 1/n.
            return self._nearest(p, self.tangent_part(x), 1.0 / x.size)
        return super().smooth_project(x)

    def _smooth_project(self, p: Vector, x: Vector) -> SmoothResponse:
        """(p + 2 mu) v = x - p + tau, clipped at v = -1."""

        def respond(mu: float, k: Vector) -> Response:
            d = p + 2.0 * mu
            v = k / d
            inside = v > -1.0
            v = np.maximum(v, -1.0)
            return Response(v, 1.0 + v, 2.0 * v, inside / d)

        return self._best(p, x - p, respond)

    def _smooth_tilt(self, p: Vector, x: Vector) -> SmoothResponse:
        """log(1 + v) + 2 mu v = x + tau."""

        def respond(mu: float, k: Vector) -> Response:
            v, ratio = log_linear(2.0 * mu, k)
            return Response(v, ratio, 2.0 * v, ratio / (1.0 + 2.0 * mu * ratio))

        return self._best(p, x, respond)

    def _best(self, p: Vector, k: Vector, respond: Callable[[float, Vector], Response]) -> SmoothResponse:
        """2 mu rho = mu <phi', lam - p> <= <k, lam - p> <= sqrt(rho Var_p k), as the objective is concave."""
        upper = 0.5 * deviation(p, k) / float(np.sqrt(self.rho))
        return best_in_ball(Conditions(p, self.rho, self.phi, respond, upper), k, upper)


def _weighted_projection(p: Vector, x: Vector) -> Vector:
    """p max(x - theta, 0) with sum one; x <= 0, and its largest entry is 0."""
    order = np.argsort(-x, kind="stable")
    x_, p_ = x[order], p[order]
    P = p_.cumsum()
    thetas = ((p_ * x_).cumsum() - 1.0) / P
    k = max(int(np.count_nonzero(x_ > thetas)) - 1, 0)
    # Once more on the members alone: running sums of large entries have rounding errors.
    members = order[: k + 1]
    q, y = p[members], x[members]
    grown = y - (q.dot(y) - 1.0) / P[k]
    lam = np.zeros_like(p)
    lam[members] = q * np.maximum(grown, 0.0)
    return lam / lam.sum()
