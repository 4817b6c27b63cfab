"""The capped simplex: conditional value at risk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil

import numpy as np
import scipy

from .._types import EPS, Matrix, Vector
from .._validation import number
from ..errors import ProblemError
from .distributions import Distributions, total_of
from .interior import BoundsForm, InteriorForm, PointForm
from .linear_constraints import LinearConstraints
from .priors import check_prior_length, checked_prior, prior_of
from .proximal_response import EuclideanProximity, SmoothResponse, balanced_response, constant_response

# With 1 - alpha at most this, prior and caps are equal up to rounding: the set is a point.
POINT_BELOW = 1e-13
# Sums of exponentials of this do not overflow (exp(709) is the largest number).
LARGEST_EXPONENT = 600.0


@dataclass(frozen=True, eq=False)
class CappedSimplex(EuclideanProximity, Distributions):
    """{lam >= 0, sum lam = 1, lam_j <= prior_j/alpha}: the adversary picks the worst alpha-share of the losses.

    Its support function is the conditional value at risk at level alpha, min over t of
    t + sum_j prior_j max(z_j - t, 0)/alpha (Rockafellar and Uryasev 2000, Theorem 1). For alpha = 1 it is {prior}.
    Barrier -sum log lam_j - sum log(prior_j/alpha - lam_j), nu = J: that of the box of its bounds (docs/mathematics.md,
    8). Every method costs at most a sort, except the center of a set with a prior, which is found by a root.
    """

    alpha: float
    prior: Vector | None = None

    def __post_init__(self) -> None:
        alpha = number(self.alpha, "alpha of CappedSimplex", minimum=0.0, strict=True)
        if alpha > 1.0:
            raise ProblemError(
                f"alpha of CappedSimplex must be a share in (0, 1]; got {alpha:g}. Pass 0.05 for the worst 5 percent."
            )
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "prior", checked_prior(self.prior, "CappedSimplex"))

    @property
    def size(self) -> int | None:
        return None if self.prior is None else self.prior.size

    @property
    def self_scaled(self) -> bool:
        return True

    @property
    def proves_gaps(self) -> bool:
        return True

    def validate(self, n: int) -> None:
        check_prior_length(self.prior, n, "CappedSimplex")

    def _is_point(self, n: int) -> bool:
        return n == 1 or 1.0 - self.alpha <= POINT_BELOW

    def _cap(self, n: int) -> Vector:
        return _uniform_cap(n, self.alpha) if self.prior is None else self._prior_cap

    @cached_property
    def _prior_cap(self) -> Vector:
        assert self.prior is not None
        return _cap(self.prior, self.alpha)

    def barrier_parameter(self, n: int) -> float:
        return 0.0 if self._is_point(n) else float(n)

    def barrier(self, lam: Vector) -> float:
        if self._is_point(lam.size):
            return 0.0
        slack = self._cap(lam.size) - lam
        return -float(np.log(lam).sum() + np.log(slack).sum()) if lam.min() > 0 and slack.min() > 0 else np.inf

    def barrier_gradient(self, lam: Vector) -> Vector:
        if self._is_point(lam.size):
            return np.zeros_like(lam)
        return 1.0 / (self._cap(lam.size) - lam) - 1.0 / lam

    def barrier_hessian(self, lam: Vector) -> Vector:
        if self._is_point(lam.size):
            return np.ones_like(lam)
        return 1.0 / lam**2 + 1.0 / (self._cap(lam.size) - lam) ** 2

    def interior_form(self, n: int) -> InteriorForm:
        if self._is_point(n):
            return PointForm(self._middle(n))
        return BoundsForm(0.0, np.minimum(self._cap(n), 1.0), n, 1.0)

    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        if self._is_point(n):
            return np.eye(n), self._middle(n).copy()
        return np.ones((1, n)), np.ones(1)

    def center(self, n: int) -> Vector:
        return self._middle(n).copy()

    def _middle(self, n: int) -> Vector:
        if self.prior is None or self._is_point(n):
            return prior_of(self.prior, n)
        return self._analytic_center

    @cached_property
    def _analytic_center(self) -> Vector:
        """lam(mu) with 1/(cap - lam) - 1/lam = mu, at the multiplier mu of sum lam = 1."""
        cap = self._prior_cap
        n, room = cap.size, (1.0 - self.alpha) / self.alpha

        def at(mu: float) -> Vector:
            m = mu * cap
            root = np.hypot(2.0, m)
            # 2 + m + root, without cancellation.
            return 0.5 * cap * (2.0 + np.where(m < 0, 4.0 / (root + np.abs(m)), m + root)) / (2.0 + root)

        def excess(mu: float) -> float:
            """sum lam - 1. For mu > 0 by the slack cap - lam = at(-mu), which may be tiny and sums to room."""
            return room - float(at(-mu).sum()) if mu > 0 else float(at(mu).sum()) - 1.0

        # lam < 1/|mu| for mu < 0, and cap - lam < 1/mu for mu > 0; twice these bounds leave room for rounding.
        # Errors of mu matter relative to mu, and relative to 1/cap.
        xtol = max(EPS / float(cap.max()), 1e-300)
        mu = scipy.optimize.brentq(excess, -2.0 * n, 2.0 * n / room, xtol=xtol, rtol=4 * EPS, maxiter=1000)
        return self.restore(cap - at(-mu) if mu > 0 else at(mu))

    def bounds(self, n: int) -> tuple[Vector, Vector]:
        if self._is_point(n):
            return self.center(n), self.center(n)
        cap = self._cap(n)
        return np.maximum(0.0, 1.0 - (cap.sum() - cap)), np.minimum(cap, 1.0)

    def _quantile(self, z: Vector) -> float:
        """The upper alpha-quantile of z: the smallest of the largest entries whose caps sum to one."""
        n = z.size
        if self.prior is None:
            rank = n - min(max(ceil(self.alpha * n * (1.0 - n * EPS)), 1), n)
            return float(np.partition(z, rank).item(rank))
        order = z.argsort()[::-1]
        share = self.prior.take(order).cumsum()
        return float(z.item(order[min(int(share.searchsorted(self.alpha - n * EPS)), n - 1)]))

    def support(self, z: Vector) -> tuple[float, Vector]:
        """The caps at the largest entries; entries equal to the quantile share the rest in proportion to their caps."""
        if self._is_point(z.size):
            lam = self.center(z.size)
            return float(lam.dot(z)), lam
        cap, t = self._cap(z.size), self._quantile(z)
        excess = z - t
        lam = cap * (excess > 0)
        value = t + float(lam.dot(excess))
        tied = (excess == 0).nonzero()[0]
        shares = cap.take(tied)
        lam[tied] = min(max(1.0 - total_of(lam), 0.0) / (total_of(shares) or 1.0), 1.0) * shares
        return value, lam

    def support_value(self, z: Vector) -> float:
        if self._is_point(z.size):
            return float(self._middle(z.size).dot(z))
        t = self._quantile(z)
        return t + float(self._cap(z.size).dot(np.maximum(z - t, 0.0)))

    def regret(self, lam: Vector, z: Vector) -> float:
        """A sum of nonnegative terms: cap - lam times the excess above the quantile, and lam times that below it."""
        if self._is_point(z.size):
            return float((self._middle(z.size) - lam).dot(self.tangent_part(z)))
        excess = z - self._quantile(z)
        return float((self._cap(z.size) * (excess > 0) - lam).dot(excess))

    def contains(self, lam: Vector, tol: float = 1e-12) -> bool:
        n = lam.size
        if self._is_point(n):
            return bool(np.abs(lam - self._middle(n)).max() <= tol)
        within = lam.min() >= -tol and (lam - self._cap(n)).max() <= tol
        return bool(within and abs(lam.sum() - 1.0) <= tol * n)

    def restore(self, lam: Vector) -> Vector:
        if self._is_point(lam.size):
            return self.center(lam.size)
        cap = self._cap(lam.size)
        lam = np.minimum(np.maximum(lam, 0.0), cap)
        total = total_of(lam)
        if total > 1.0:
            return lam / total
        if total < 1.0:
            slack = cap - lam
            return np.minimum(lam + slack * ((1.0 - total) / total_of(slack)), cap)
        return lam

    def project(self, x: Vector) -> Vector:
        """clip(x - theta, 0, cap), with theta from the sorted kinks of its sum (Wang and Lu 2015, Algorithm 1)."""
        return self.center(x.size) if self._is_point(x.size) else self.restore(self._projected(x)[0])

    def smooth_project(self, x: Vector) -> SmoothResponse:
        if self._is_point(x.size):
            return constant_response(self.center(x.size))
        lam, moving = self._projected(x)
        return balanced_response(self.restore(lam), moving)

    def _projected(self, x: Vector) -> tuple[Vector, Vector]:
        """The projection, feasible up to rounding errors, and 1 where it is between its bounds, else 0."""
        n = x.size
        cap = np.minimum(self._cap(n), 1.0)
        largest = cap.item(cap.argmax())
        x = x - self._quantile(x)
        # theta is between the quantile and the largest cap below it: entries further away are at a bound for any such
        # theta.
        lam = cap * (x >= largest)
        near = (np.abs(x) < largest).nonzero()[0]
        if not near.size:
            # The quantile itself is near, so that x is nan.
            return np.full(n, np.nan), np.zeros(n)
        bounds, moving = cap.take(near), np.zeros(n)
        lam[near] = clipped = clipped_to_sum(x.take(near), bounds, max(1.0 - total_of(lam), 0.0))
        moving[near] = (clipped > 0.0) & (clipped < bounds)
        return lam, moving

    def smooth_tilt(self, prior: Vector, z: Vector) -> SmoothResponse:
        lam = self.tilt(prior, z)
        if self._is_point(z.size):
            return constant_response(lam)
        return balanced_response(lam, np.where(lam < self._cap(z.size), lam, 0.0))

    def tilt(self, prior: Vector, z: Vector) -> Vector:
        """min(cap, s prior exp(z)), with s from the sorted ratios prior exp(z)/cap: the largest are capped."""
        n = z.size
        if self._is_point(n):
            return self.center(n)
        cap = self._cap(n)
        # Finite, also where an entry of z is -inf.
        ratio = np.maximum(np.log(prior / cap) + z, -1e300)
        order = ratio.argsort()[::-1]
        ratio, weight = ratio.take(order), cap.take(order)
        filled = weight.cumsum()
        # The caps of the largest ratios, up to this one, sum to one or more, so that no smaller ratio is capped.
        last = min(int(filled.searchsorted(1.0 - n * EPS)), n - 1)
        grown = np.exp(np.minimum(ratio - ratio.item(last), LARGEST_EXPONENT))
        weight *= grown
        rest = weight[::-1].cumsum()[::-1]
        left = 1.0 - np.concatenate(([0.0], filled[:last]))
        uncapped = (left * grown[: last + 1] <= rest[: last + 1]).nonzero()[0]
        k = int(uncapped[0]) if uncapped.size else last
        weight *= left.item(k) / rest.item(k)
        lam = np.empty(n)
        lam[order] = weight
        # Not restored: that would change tiny weights by more than their magnitude.
        return np.minimum(lam, cap)

    def linear_constraints(self, n: int) -> LinearConstraints:
        E, e = self.affine_hull(n)
        return LinearConstraints(E, e, lower=np.zeros(n), upper=self._cap(n).copy())


def _cap(prior: Vector, alpha: float) -> Vector:
    cap: Vector = prior / max(alpha, 1e-290)
    cap.flags.writeable = False
    return cap


@lru_cache(maxsize=64)
def _uniform_cap(n: int, alpha: float) -> Vector:
    return _cap(np.full(n, 1.0 / n), alpha)


def clipped_to_sum(x: Vector, cap: Vector, total: float) -> Vector:
    """clip(x - theta, 0, cap) with the theta for which it sums to total."""
    # As theta falls, entry j starts to grow at theta = x_j and stops at x_j - cap_j.
    kinks = np.concatenate((-x, cap - x))
    order = kinks.argsort()
    kinks = kinks.take(order)
    slopes = (1.0 - 2.0 * (order >= x.size)).cumsum()
    sums = (slopes[:-1] * (kinks[1:] - kinks[:-1])).cumsum()
    k = min(int(sums.searchsorted(total)), sums.size - 1)
    theta = -(kinks.item(k) + (total - (sums.item(k - 1) if k else 0.0)) / (slopes.item(k) or 1.0))
    # Between two kinks a Newton step is exact: it corrects the rounding errors of the running sums.
    grown = x - theta
    clipped = np.minimum(np.maximum(grown, 0.0), cap)
    free = int(np.count_nonzero(clipped == grown))
    if free:
        grown += (total - total_of(clipped)) / free
        clipped = np.minimum(np.maximum(grown, 0.0), cap)
    return clipped
