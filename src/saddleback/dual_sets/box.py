"""Boxes: independent bounds on each weight."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import EPS, Matrix, Vector
from .._validation import finite_vector, n_axes, number
from ..errors import IncompatibleError, ProblemError
from .base import DualSet, HasSmoothTilt, HasTilt, check_magnitude
from .interior import BoundsForm, HasInteriorForm, InteriorForm, PointForm
from .linear_constraints import LinearConstraints
from .proximal_response import EuclideanProximity, SmoothResponse

# Bounds closer than this, relative to their magnitude, are equal: no number would be strictly between them.
FIXED = 8 * EPS


@dataclass(frozen=True, eq=False)
class Box(EuclideanProximity, DualSet):
    """{lower <= lam <= upper}; bounds that are numbers hold in any dimension.

    Barrier -sum log(lam_j - lower_j) - sum log(upper_j - lam_j) over the free coordinates, nu = 1 for each of them
    (docs/mathematics.md, 8); coordinates with lower_j = upper_j are equations of the affine hull. Every method costs
    O(n).
    """

    lower: float | Vector
    upper: float | Vector

    def __post_init__(self) -> None:
        lower, upper = _bound(self.lower, "lower bound of Box"), _bound(self.upper, "upper bound of Box")
        if np.ndim(lower) and np.ndim(upper) and np.size(lower) != np.size(upper):
            raise ProblemError(
                f"bounds of Box must have equal lengths; got {np.size(lower)} lower and {np.size(upper)} upper bounds."
            )
        lowers, uppers = np.broadcast_arrays(*np.atleast_1d(lower, upper))
        crossed = np.flatnonzero(lowers > uppers)
        if crossed.size:
            j = int(crossed[0])
            raise ProblemError(
                f"Box is empty: its lower bound {lowers[j]:g} is above its upper bound {uppers[j]:g} at position {j}. "
                "Pass lower <= upper."
            )
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    @property
    def size(self) -> int | None:
        return self._middle.size if self._middle.ndim else None

    @property
    def self_scaled(self) -> bool:
        return True

    @property
    def proves_gaps(self) -> bool:
        return True

    def validate(self, n: int) -> None:
        if n < 1:
            raise ProblemError(f"Box in R^{n} is empty; expected at least one loss.")
        if self.size is not None and self.size != n:
            raise ProblemError(
                f"bounds of Box have {self.size} entries for {n} losses; pass one per loss, or a number."
            )

    def interior_form(self, n: int) -> InteriorForm:
        middle = np.broadcast_to(self._middle, (n,))
        if np.broadcast_to(self._fixed, (n,)).all():
            return PointForm(middle.copy())
        width = np.broadcast_to(np.asarray(self.upper, dtype=np.float64) - self.lower, (n,))
        return BoundsForm(np.broadcast_to(np.asarray(self.lower, dtype=np.float64), (n,)), width, n)

    @cached_property
    def _middle(self) -> NDArray[np.float64]:
        return np.asarray(0.5 * np.asarray(self.lower) + 0.5 * np.asarray(self.upper))

    @cached_property
    def _magnitude(self) -> NDArray[np.float64]:
        return np.asarray(np.maximum(np.abs(self.lower), np.abs(self.upper)))

    @cached_property
    def _fixed(self) -> NDArray[np.bool_]:
        """Which coordinates have no interior."""
        return np.asarray(self._middle - self.lower <= 0.5 * FIXED * self._magnitude)

    @cached_property
    def _all_free(self) -> bool:
        return not self._fixed.any()

    def _fixed_in(self, n: int) -> NDArray[np.bool_]:
        return np.broadcast_to(self._fixed, n)

    def _slacks(self, lam: Vector) -> tuple[Vector, Vector]:
        """lam - lower and upper - lam; inf at the fixed coordinates, which have no barrier."""
        below, above = lam - self.lower, self.upper - lam
        if not self._all_free:
            below[self._fixed_in(lam.size)] = above[self._fixed_in(lam.size)] = np.inf
        return below, above

    def barrier_parameter(self, n: int) -> float:
        return float(n - self._fixed_in(n).sum())

    def barrier(self, lam: Vector) -> float:
        below, above = self._slacks(lam)
        if not (below.min() > 0 and above.min() > 0):
            return np.inf
        if not self._all_free:
            below, above = below[np.isfinite(below)], above[np.isfinite(above)]
        return -float(np.log(below).sum() + np.log(above).sum())

    def barrier_gradient(self, lam: Vector) -> Vector:
        below, above = self._slacks(lam)
        return 1.0 / above - 1.0 / below

    def barrier_hessian(self, lam: Vector) -> Vector:
        below, above = self._slacks(lam)
        diagonal = below**-2 + above**-2
        # Off the affine hull any positive second derivative is allowed.
        return diagonal if self._all_free else np.where(self._fixed_in(lam.size), 1.0, diagonal)

    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        fixed = np.flatnonzero(self._fixed_in(n))
        rows = np.zeros((fixed.size, n))
        rows[np.arange(fixed.size), fixed] = 1.0
        return rows, self.center(n)[fixed]

    def center(self, n: int) -> Vector:
        return np.broadcast_to(self._middle, n).copy()

    def bounds(self, n: int) -> tuple[Vector, Vector]:
        return np.broadcast_to(self.lower, n).copy(), np.broadcast_to(self.upper, n).copy()

    def tangent_part(self, z: Vector) -> Vector:
        return z if self._all_free else np.where(self._fixed_in(z.size), 0.0, z)

    def support(self, z: Vector) -> tuple[float, Vector]:
        """The upper bound where z_j > 0, the lower where z_j < 0; the middle where z_j = 0."""
        lam = np.where(z > 0, self.upper, np.where(z < 0, self.lower, self._middle))
        return float(lam.dot(z)), lam

    def contains(self, lam: Vector, tol: float = 1e-12) -> bool:
        allowed = tol * np.maximum(self._magnitude, 1.0)
        return bool(((lam >= self.lower - allowed) & (lam <= self.upper + allowed)).all())

    def restore(self, lam: Vector) -> Vector:
        return np.minimum(np.maximum(lam, self.lower), self.upper)

    def project(self, x: Vector) -> Vector:
        return self.restore(x)

    def lacks(self, capability: type) -> str | None:
        if capability in (HasTilt, HasSmoothTilt) and np.min(self.lower) < 0:
            return (
                f"Box allows the weight {np.min(self.lower):g} at position {int(np.argmin(self.lower))}, and entropies "
                "are defined for weights >= 0 only"
            )
        if capability is HasInteriorForm and self._fixed.any() and not self._fixed.all():
            return "some weights of Box are fixed and others are not"
        return None

    def tilt(self, prior: Vector, z: Vector) -> Vector:
        """prior_j exp(z_j - 1), clipped."""
        reason = self.lacks(HasTilt)
        if reason is not None:
            raise IncompatibleError(f"{reason}. Raise the lower bounds to 0, or use a Quadratic regularizer.")
        with np.errstate(over="ignore"):
            return self.restore(np.exp(np.log(prior) + z - 1.0))

    def smooth_project(self, x: Vector) -> SmoothResponse:
        moving = (x > self.lower) & (x < self.upper)
        return SmoothResponse(self.restore(x), moving.astype(np.float64), np.zeros((0, x.size)))

    def smooth_tilt(self, prior: Vector, z: Vector) -> SmoothResponse:
        lam = self.tilt(prior, z)
        moving = (lam > self.lower) & (lam < self.upper)
        return SmoothResponse(lam, np.where(moving, lam, 0.0), np.zeros((0, z.size)))

    def linear_constraints(self, n: int) -> LinearConstraints:
        """Fixed coordinates have an equation and no bounds: with both, interior-point solvers would fail."""
        E, e = self.affine_hull(n)
        lower, upper = self.bounds(n)
        fixed = self._fixed_in(n)
        lower[fixed], upper[fixed] = -np.inf, np.inf
        return LinearConstraints(E, e, lower=lower, upper=upper)


def _bound(bound: Any, name: str) -> float | Vector:
    checked = number(bound, name) if n_axes(bound) == 0 else finite_vector(bound, name)
    check_magnitude(checked, name)
    return checked
