"""The contamination set: between the average loss and the worst one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from .._types import EPS, Matrix, Vector
from .._validation import number
from ..errors import ProblemError
from .distributions import Distributions, total_of
from .interior import BoundsForm, InteriorForm, PointForm
from .linear_constraints import LinearConstraints
from .priors import check_prior_length, checked_prior, prior_of
from .proximal_response import EuclideanProximity, SmoothResponse, balanced_response, constant_response
from .simplex import Simplex

SIMPLEX = Simplex()
# The set is a point where p/n, the distance of the center from its facets, is at most this many rounding errors of the
# largest weight of the prior: the set is then as small as the rounding errors of its points.
POINT_BELOW = 64 * EPS
# The logarithm is taken of weights from this one on, as the smallest numbers have few digits.
SMALLEST_WEIGHT = 1e-300


@dataclass(frozen=True, eq=False)
class Contamination(EuclideanProximity, Distributions):
    """{(1 - p) prior + p q : q in the simplex}: a share p of the weight is the adversary's, the rest is fixed.

    Huber's contamination set (Huber 1964, section 1). Its support function is (1 - p) <prior, z> + p max_j z_j. It is
    {prior} for p = 0 and the simplex for p = 1; between them it is the simplex, shrunk by p and shifted, and every
    method works on lam less its floor (1 - p) prior. Barrier -sum log(lam_j - (1 - p) prior_j), nu = J - 1. Every
    method costs J, projection and tilt a sort.

    Parameters
    ----------
    worst_weight : float
        p in [0, 1], the weight of the worst loss.
    prior : (J,) array, optional
        Positive numbers that sum to one, the weights of the average; uniform unless given.
    """

    worst_weight: float
    prior: Vector | None = None

    def __post_init__(self) -> None:
        worst_weight = number(self.worst_weight, "worst_weight of Contamination", minimum=0.0)
        if worst_weight > 1.0:
            raise ProblemError(
                f"worst_weight of Contamination must be a share in [0, 1]; got {worst_weight:g}. Pass 0.3 to give "
                "the worst loss 30 percent of the weight."
            )
        object.__setattr__(self, "worst_weight", worst_weight)
        object.__setattr__(self, "prior", checked_prior(self.prior, "Contamination"))

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
        check_prior_length(self.prior, n, "Contamination")

    def _is_point(self, n: int) -> bool:
        return self._share(n) == 0.0

    def _share(self, n: int) -> float:
        """p, or zero where the set is a point."""
        largest = 1.0 / n if self.prior is None else self._largest_prior
        return 0.0 if n == 1 or self.worst_weight <= POINT_BELOW * n * largest else self.worst_weight

    @cached_property
    def _largest_prior(self) -> float:
        assert self.prior is not None
        return float(self.prior.max())

    def _floor(self, n: int) -> Vector:
        """(1 - p) prior: the least weights."""
        return _uniform_floor(n, self._share(n)) if self.prior is None else self._prior_floor

    @cached_property
    def _prior_floor(self) -> Vector:
        assert self.prior is not None
        return _floor(self.prior, self._share(self.prior.size))

    def barrier_parameter(self, n: int) -> float:
        return 0.0 if self._is_point(n) else SIMPLEX.barrier_parameter(n)

    def barrier(self, lam: Vector) -> float:
        return 0.0 if self._is_point(lam.size) else SIMPLEX.barrier(lam - self._floor(lam.size))

    def barrier_gradient(self, lam: Vector) -> Vector:
        if self._is_point(lam.size):
            return np.zeros_like(lam)
        return SIMPLEX.barrier_gradient(lam - self._floor(lam.size))

    def barrier_hessian(self, lam: Vector) -> Vector:
        if self._is_point(lam.size):
            return np.ones_like(lam)
        return SIMPLEX.barrier_hessian(lam - self._floor(lam.size))

    def interior_form(self, n: int) -> InteriorForm:
        if self._is_point(n):
            return PointForm(self.center(n))
        share = self._share(n)
        return BoundsForm(self._floor(n), share, n, share)

    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        return (np.eye(n), self.center(n)) if self._is_point(n) else SIMPLEX.affine_hull(n)

    def center(self, n: int) -> Vector:
        """The floor plus p/n; the uniform distribution where that is the prior."""
        return prior_of(None, n) if self.prior is None else self._floor(n) + self._share(n) / n

    def bounds(self, n: int) -> tuple[Vector, Vector]:
        floor = self._floor(n)
        return floor.copy(), floor + self._share(n)

    def support(self, z: Vector) -> tuple[float, Vector]:
        """The floor, and p on the largest entry; equal largest entries share it equally."""
        return self.support_value(z), self._floor(z.size) + self._share(z.size) * SIMPLEX.support(z)[1]

    def support_value(self, z: Vector) -> float:
        floor = self._floor(z.size)
        if self._is_point(z.size):
            return float(floor.dot(z))
        top = SIMPLEX.support_value(z)
        return top + float(floor.dot(z - top))

    def regret(self, lam: Vector, z: Vector) -> float:
        """A sum of nonnegative terms: lam less the floor, times the distance from the largest entry."""
        return float((self._floor(z.size) - lam).dot(self.tangent_part(z)))

    def contains(self, lam: Vector, tol: float = 1e-12) -> bool:
        floor = self._floor(lam.size)
        if self._is_point(lam.size):
            return bool(np.abs(lam - floor).max() <= tol)
        return bool((lam - floor).min() >= -tol and abs(lam.sum() - 1.0) <= tol * lam.size)

    def restore(self, lam: Vector) -> Vector:
        """What lam has above the floor, scaled to the sum p."""
        floor = self._floor(lam.size)
        excess = np.maximum(lam - floor, 0.0)
        total = total_of(excess)
        # Errors of lam that exceed p may leave nothing above the floor.
        return self.center(lam.size) if total == 0.0 else floor + self._share(lam.size) * (excess / total)

    def project(self, x: Vector) -> Vector:
        """The projection on the simplex of (x - floor)/p, shrunk and shifted back."""
        floor, p = self._floor(x.size), self._share(x.size)
        return floor.copy() if p == 0.0 else floor + p * self._shares(x, floor, p)

    def _shares(self, x: Vector, floor: Vector, p: float) -> Vector:
        """The projection q on the simplex of (x - floor)/p."""
        # Entries that are p or more below the largest one get nothing; cut off, they do not overflow when divided by p.
        return SIMPLEX.project(np.maximum(self.tangent_part(x - floor), -2.0 * p) / p)

    def smooth_project(self, x: Vector) -> SmoothResponse:
        floor, p = self._floor(x.size), self._share(x.size)
        if p == 0.0:
            return constant_response(floor.copy())
        q = self._shares(x, floor, p)
        return balanced_response(floor + p * q, (q > 0.0).astype(np.float64))

    def smooth_tilt(self, prior: Vector, z: Vector) -> SmoothResponse:
        lam = self.tilt(prior, z)
        if self._is_point(z.size):
            return constant_response(lam)
        return balanced_response(lam, np.where(lam > self._floor(z.size), lam, 0.0))

    def tilt(self, prior: Vector, z: Vector) -> Vector:
        """max(floor, s prior exp(z)), with s from the sorted ratios prior exp(z)/floor: the smallest stay."""
        floor, p = self._floor(z.size), self._share(z.size)
        if p == 0.0:
            return floor.copy()
        lam = SIMPLEX.tilt(prior, z)
        if not (lam < floor).any():
            return lam
        # Finite, also where an entry of z is -inf.
        exponents = np.maximum(np.log(prior) + z, -1e300)
        order = (np.log(np.maximum(floor, SMALLEST_WEIGHT)) - exponents).argsort()
        weight, least = np.exp(exponents - exponents.max()).take(order), floor.take(order)
        # With the k largest ratios above the floor, these share p and their own floors.
        left, total = p + least.cumsum(), weight.cumsum()
        k = int((left * weight >= least * total).nonzero()[0][-1])
        weight *= left.item(k) / total.item(k)
        lam[order] = np.maximum(weight, least)
        return lam

    def linear_constraints(self, n: int) -> LinearConstraints:
        E, e = self.affine_hull(n)
        lower = np.zeros(n) if self._is_point(n) else self._floor(n).copy()
        return LinearConstraints(E, e, lower=lower, upper=np.full(n, np.inf))


def _floor(prior: Vector, share: float) -> Vector:
    floor: Vector = (1.0 - share) * prior
    floor.flags.writeable = False
    return floor


@lru_cache(maxsize=64)
def _uniform_floor(n: int, share: float) -> Vector:
    return _floor(np.full(n, 1.0 / n), share)
