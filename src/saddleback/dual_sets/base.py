"""Dual sets Lambda: the members of every set, and the optional capabilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from .._types import Matrix, Vector
from .._validation import finite_vector
from ..capabilities import offers
from ..errors import ProblemError
from ..linalg.hessians import AnyHessian
from ..machine.clock import Clock
from .linear_constraints import LinearConstraints
from .nearest_point import nearest_point
from .proximal_response import ProximalResponse, SmoothResponse

# The distance, relative to the magnitude of the point, that `nearest_point` may report for a boundary point of a set
# that is flat in some directions and curved in others.
UNDECIDED = 1e-7
# Support points after which `contains` and `restore` end: boundary points of curved sets take up to 60 n.
DECISIVE_POINTS, DECISIVE_POINTS_PER_DIMENSION = 1000, 100


def _decisive_points(n: int) -> int:
    return DECISIVE_POINTS + DECISIVE_POINTS_PER_DIMENSION * n


# Larger weights overflow in the squares of barriers.
WEIGHT_LIMIT = 1e150


def check_magnitude(x: ArrayLike, name: str) -> None:
    """Refuse parameters of a set that are so large that squares of weights overflow."""
    largest = float(np.abs(x).max())
    if largest > WEIGHT_LIMIT:
        raise ProblemError(
            f"{name} must be at most {WEIGHT_LIMIT:g} in absolute value; got {largest:g}. Multiply the losses by a "
            "constant instead of the set."
        )


class DualSet(ABC):
    """A compact convex set, given by its support function h(z) = max over lam in Lambda of <lam, z>.

    A subclass must define only ``support``. The other methods have defaults that call it, some of them up to 2n times
    or iteratively: override those for which the set has a formula. A set need not store its dimension n: methods
    without an argument of that length take n. Optional capabilities are `HasBarrier` (path following), `HasProjection`
    (best responses to quadratic regularizers, projected gradient steps), `HasTilt` (best responses to entropies),
    `Polyhedral` (quadratic programs), and `HasProximalResponse` (Newton's method in R^d, for (D) with many losses).
    On a set without any of them, (D) is solved by Frank-Wolfe steps.
    """

    @abstractmethod
    def support(self, z: Vector) -> tuple[float, Vector]:
        """max over lam in Lambda of <lam, z>, and a maximizer."""

    def support_value(self, z: Vector) -> float:
        """The support function without its maximizer."""
        return self.support(z)[0]

    def regret(self, lam: Vector, z: Vector) -> float:
        """max over mu in Lambda of <mu - lam, z>, from differences: terms common to all mu add no rounding errors."""
        return float((self.support(z)[1] - lam).dot(self.tangent_part(z)))

    @property
    def size(self) -> int | None:
        """The dimension, where the set itself fixes it (by a prior, by bounds); None where it does not."""
        return None

    def validate(self, n: int) -> None:
        """Raise a ProblemError unless the set is a non-empty subset of R^n."""
        if self.size not in (None, n):
            raise ProblemError(f"{self!r} has dimension {self.size}; got {n} losses.")

    def center(self, n: int) -> Vector:
        """A point of the relative interior: the analytic center argmin B of a set with a barrier B.

        By default the average of the maximizers of lam_j and of -lam_j over all j.
        """
        units = np.eye(n)
        return np.mean([self.support(z)[1] for z in (*units, *-units)], axis=0)

    def contains(self, lam: Vector, tol: float = 1e-12) -> bool:
        """Whether lam lies in Lambda up to ``tol``; by default ``tol`` is relative to the larger of 1, lam and Lambda.

        Without a projection, a point very near to Lambda that no support function value separates from it counts as one
        of Lambda.
        """
        magnitude = max(1.0, float(np.linalg.norm(lam)), float(np.linalg.norm(self.support(lam)[1])))
        allowed = tol * magnitude
        if self._has_projection:
            return bool(np.linalg.norm(lam - self.project(lam)) <= allowed)  # type: ignore[attr-defined]
        found = nearest_point(self.support, lam, near=allowed, far=allowed, max_points=_decisive_points(lam.size))
        return found.distance <= (max(allowed, UNDECIDED * magnitude) if found.lower_bound <= allowed else allowed)

    def restore(self, lam: Vector) -> Vector:
        """A point of Lambda, feasible to rounding, next to an almost feasible lam: by default the nearest one."""
        if self._has_projection:
            return cast("Vector", self.project(lam))  # type: ignore[attr-defined]
        return nearest_point(self.support, lam, max_points=_decisive_points(lam.size)).point

    @cached_property
    def _has_projection(self) -> bool:
        return offers(self, HasProjection)

    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        """(E, e) such that E lam = e for all lam in Lambda, with E of full row rank.

        A set with a barrier returns all such equations: none for a set with an interior, n for a single point. By
        default there are none.
        """
        return np.zeros((0, n)), np.zeros(0)

    def tangent_part(self, z: Vector) -> Vector:
        """z less a normal of the affine hull: <lam, z> changes by the same constant for every lam in Lambda."""
        E, _ = self.affine_hull(z.size)
        return z - E.T @ np.linalg.lstsq(E.T, z, rcond=None)[0] if len(E) else z

    def bounds(self, n: int) -> tuple[Vector, Vector]:
        """A box that contains Lambda: the smallest one, unless another is much cheaper to compute."""
        extremes, unit = np.empty((2, n)), np.zeros(n)
        for row, sign in zip(extremes, (-1.0, 1.0), strict=True):
            for j in range(n):
                unit[j] = sign
                row[j] = sign * self.support(unit)[0]
                unit[j] = 0.0
        return extremes[0], extremes[1]

    def largest_weight(self, n: int) -> float:
        """The largest |lam_j| on Lambda, or a little more."""
        lower, upper = self.bounds(n)
        return float(max(-lower.min(), upper.max()))

    def weight_range(self, n: int) -> tuple[float, float]:
        """The least sum of lam and the largest sum of |lam| on Lambda, which scale the constants m and L of the losses.

        With negative weights <lam, f> is convex only where f is affine, and not strongly convex.
        """
        lower, upper = self.bounds(n)
        if lower.min() >= 0.0:
            ones = np.ones(n)
            return -self.support(-ones)[0], self.support(ones)[0]
        return 0.0, float(np.maximum(np.abs(lower), np.abs(upper)).sum())

    @property
    def costly_support(self) -> bool:
        """Whether ``support`` takes longer than a Newton step, so that solvers should call it seldom."""
        return False

    @property
    def takes_matrices(self) -> bool:
        """Whether some or all of the losses are svec coordinates of symmetric matrices, as for `Spectrahedron`."""
        return False

    @property
    def self_scaled(self) -> bool:
        """Whether Lambda is a slice of an orthant or of the semidefinite cone, with the barrier of that cone.

        Such cones are self-scaled (Nesterov and Todd 1997), which allows path following longer steps.
        """
        return False

    @property
    def proves_gaps(self) -> bool:
        """Whether a full Newton step of path following proves a gap of nu/tau, for quadratic regularizers and none.

        For all mu in the relative interior, mu + p in its affine hull with p'B''(mu)p <= 1, and lam in Lambda:

            <B'(mu) + B''(mu) p, lam - mu - p> <= nu.

        It holds where B is the barrier -log det of a symmetric cone on a slice of the cone, or the least value of such
        a barrier over more variables (docs/mathematics.md, 8). `saddleback.testing.check_dual_set` tests it where it is
        claimed.
        """
        return False

    def to_user(self, lam: Vector) -> Vector | Matrix:
        """lam, or losses, as results show them: as a matrix where Lambda is a set of matrices."""
        return lam

    def from_user(self, z: Any, name: str, n: int) -> Vector:
        """What a user passes for lam, or for losses, as a vector of n coordinates."""
        return finite_vector(z, name, n)

    def timed(self, clock: Clock) -> DualSet:
        """This set under the clock of a run, for sets whose methods may take long."""
        return self


class Polyhedral(Protocol):
    """a polyhedral description ``linear_constraints(n)``: lets quadratic programs in."""

    def linear_constraints(self, n: int) -> LinearConstraints:
        """The polyhedron in R^n."""


class HasBarrier(Protocol):
    """a self-concordant barrier ``barrier(lam)`` with its derivatives: lets path following in."""

    def barrier(self, lam: Vector) -> float:
        """B(lam); inf outside the relative interior."""

    def barrier_parameter(self, n: int) -> float:
        """nu of the nu-self-concordant barrier."""

    def barrier_gradient(self, lam: Vector) -> Vector:
        """Gradient of B at an interior point."""

    def barrier_hessian(self, lam: Vector) -> AnyHessian:
        """Hessian of B at an interior point: its diagonal when it is diagonal, else the matrix or a structured one.

        Positive definite on all of R^n, also off the affine hull.
        """

    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        """(E, e) with aff(Lambda) = {lam : E lam = e}."""

    def center(self, n: int) -> Vector:
        """The analytic center argmin B."""

    # Path following also calls these; `DualSet` has defaults.
    def tangent_part(self, z: Vector) -> Vector: ...
    @property
    def self_scaled(self) -> bool: ...
    @property
    def proves_gaps(self) -> bool: ...


class HasProjection(Protocol):
    """the Euclidean projection ``project(x)``: gives quadratic regularizers their best response."""

    def project(self, x: Vector) -> Vector:
        """The point of Lambda nearest to x."""


class HasTilt(Protocol):
    """the entropic best response ``tilt(prior, z)``: gives entropic regularizers theirs."""

    def tilt(self, prior: Vector, z: Vector) -> Vector:
        """argmax over lam of <lam, z> - sum_j lam_j log(lam_j/prior_j), for any positive prior."""


class HasProximalResponse(Protocol):
    """a proximal best response ``proximal_response(z, gamma, center)``: lets Newton's method in R^d on (D) in."""

    def proximal_distance(self, lam: Vector, center: Vector) -> float:
        """D(lam, center) >= 0, strongly convex in lam, zero where lam is the center."""

    def proximal_response(self, z: Vector, gamma: float, center: Vector) -> ProximalResponse:
        """max over lam of <lam, z> - gamma D(lam, center), its maximizer and the derivative of that, for gamma > 0.

        The set chooses the distance D for which this costs no more than a sort. ``center`` is in Lambda.
        """


class HasSmoothSupport(Protocol):
    """a differentiable maximizer ``smooth_support(z)`` of <lam, z>: on balls that are curved."""

    def smooth_support(self, z: Vector) -> SmoothResponse:
        """The maximizer of ``support`` and its derivative, which is zero where all entries of z are equal."""


class HasSmoothProjection(Protocol):
    """the derivative of the projection, ``smooth_project(x)``: gives quadratic regularizers a proximal response."""

    def smooth_project(self, x: Vector) -> SmoothResponse:
        """The point of Lambda nearest to x, and its derivative."""


class HasSmoothTilt(Protocol):
    """the derivative of the entropic best response, ``smooth_tilt(prior, z)``: gives entropies a proximal response."""

    def smooth_tilt(self, prior: Vector, z: Vector) -> SmoothResponse:
        """The maximizer of ``tilt``, and its derivative with respect to z."""
