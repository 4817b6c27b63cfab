"""Polytopes, given by inequalities and equations."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .._types import EPS, Matrix, Vector
from .._validation import finite_vector, real_array
from ..errors import ProblemError
from ..linalg.hessians import Gram
from ..machine.clock import UNLIMITED, Clock
from .analytic_center import analytic_center
from .base import DualSet, check_magnitude
from .linear_constraints import LinearConstraints
from .polytope_hull import PolytopeHull, analyze_polytope


@dataclass(frozen=True, eq=False, repr=False)
class Polytope(DualSet):
    """{A lam <= b, A_eq lam = b_eq}, which must be bounded and not empty.

    Barrier -sum log(b - A lam), with rows of length one, over the rows that do not hold with equality on the whole set;
    nu is their number less one (docs/mathematics.md, 8). Construction solves a linear program for the point whose
    smallest slack is largest. While that slack is zero, rows with a positive multiplier hold with equality on the whole
    set and are added to the affine hull. ``support`` is a linear program as well: milliseconds.
    """

    A: Matrix
    b: Vector
    A_eq: Matrix | None = None
    b_eq: Vector | None = None
    _hull: PolytopeHull = field(init=False)
    _clock: Clock = field(init=False, default=UNLIMITED)
    _known_bounds: list[tuple[Vector, Vector]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        A, b = _system(self.A, self.b, "A", "b")
        if (self.A_eq is None) != (self.b_eq is None):
            given, missing = ("b_eq", "A_eq") if self.A_eq is None else ("A_eq", "b_eq")
            raise ProblemError(f"Polytope got {given} but no {missing}; pass both, or neither.")
        if self.A_eq is not None:
            A_eq, b_eq = _system(self.A_eq, self.b_eq, "A_eq", "b_eq")
            if A_eq.shape[1] != A.shape[1]:
                raise ProblemError(
                    f"A and A_eq of Polytope must have as many columns; got {A.shape[1]} and {A_eq.shape[1]}."
                )
            object.__setattr__(self, "A_eq", A_eq)
            object.__setattr__(self, "b_eq", b_eq)
        else:
            A_eq, b_eq = np.zeros((0, A.shape[1])), np.zeros(0)
        object.__setattr__(self, "A", A)
        object.__setattr__(self, "b", b)
        object.__setattr__(self, "_hull", analyze_polytope(A, b, A_eq, b_eq))
        box = np.concatenate(self._hull.box)
        check_magnitude(np.where(np.isfinite(box), box, 0.0), "weights in Polytope")

    def __repr__(self) -> str:
        equations = 0 if self.A_eq is None else len(self.A_eq)
        return f"Polytope(<{len(self.A)} inequalities and {equations} equations in R^{self.size}>)"

    @property
    def size(self) -> int:
        return self.A.shape[1]

    @property
    def costly_support(self) -> bool:
        return True

    @property
    def self_scaled(self) -> bool:
        return True

    @property
    def proves_gaps(self) -> bool:
        return True

    def timed(self, clock: Clock) -> Polytope:
        """The same set, whose linear programs raise `OutOfTime` at the time limit of the clock."""
        polytope = copy(self)
        object.__setattr__(polytope, "_clock", clock)
        return polytope

    def validate(self, n: int) -> None:
        if n != self.size:
            raise ProblemError(f"Polytope lies in R^{self.size}, for {n} losses; A must have one column per loss.")

    def barrier_parameter(self, n: int) -> float:
        return max(0.0, len(self._hull.A) - 1.0)

    def barrier(self, lam: Vector) -> float:
        slack = self._hull.slack(lam)
        return -float(np.log(slack).sum()) if (slack > 0).all() else np.inf

    def barrier_gradient(self, lam: Vector) -> Vector:
        return (1.0 / self._hull.slack(lam)) @ self._hull.A

    def barrier_hessian(self, lam: Vector) -> Gram:
        """A' diag(slack)^-2 A plus a term that is zero on the affine hull, without which the matrix may be singular.

        Its magnitude is 1/(extent of the set)^2. With 1/slack^2 instead, its rounding errors would exceed the other
        terms near the boundary.
        """
        rows = self._hull.A / self._hull.slack(lam)[:, None]
        return Gram(np.concatenate((rows, self._hull.across)))

    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        return self._hull.E.copy(), self._hull.e.copy()

    def center(self, n: int) -> Vector:
        return self._center.copy()

    @cached_property
    def _center(self) -> Vector:
        hull = self._hull
        return hull.on_hull(analytic_center(self, hull.point)) if hull.T.shape[1] else hull.point

    def bounds(self, n: int) -> tuple[Vector, Vector]:
        lower, upper = self._bounds
        return lower.copy(), upper.copy()

    @property
    def _bounds(self) -> tuple[Vector, Vector]:
        # Shared with copies that have another clock: computing the bounds may take two linear programs per loss.
        if not self._known_bounds:
            self._known_bounds.append(self._find_bounds())
        return self._known_bounds[0]

    def _find_bounds(self) -> tuple[Vector, Vector]:
        """The bounds from the rows where these are finite and show that weights are nonnegative; else the smallest box,
        by linear programs."""
        lower, upper = (bound.copy() for bound in self._hull.box)
        if not (lower.min() >= 0.0 and np.isfinite(upper).all()):
            lower, upper = (bound.copy() for bound in self._row_bounds)
            unit = np.zeros(self.size)
            for sign, bound in ((-1.0, lower), (1.0, upper)):
                for j in np.flatnonzero(np.isinf(bound)):
                    unit[j] = sign
                    bound[j] = sign * self.support_value(unit)
                    unit[j] = 0.0
        # Bounds that are zero up to rounding are set to zero.
        rounding = 64 * EPS * np.maximum(np.abs(lower), np.abs(upper))
        return np.where(np.abs(lower) <= rounding, 0.0, lower), np.where(np.abs(upper) <= rounding, 0.0, upper)

    def largest_weight(self, n: int) -> float:
        lower, upper = self._hull.box
        if not np.isfinite(lower).all() or not np.isfinite(upper).all():
            lower, upper = self._bounds
        return float(max(-lower.min(), upper.max()))

    def weight_range(self, n: int) -> tuple[float, float]:
        # Where the rows show that no weight is negative, the bounds need no linear programs.
        if self._row_bounds[0].min() >= 0.0:
            ones = np.ones(n)
            return -self.support_value(-ones), self.support_value(ones)
        return super().weight_range(n)

    def tangent_part(self, z: Vector) -> Vector:
        E = self._hull.E
        return z - (E @ z) @ E if len(E) else z

    def support(self, z: Vector) -> tuple[float, Vector]:
        """By a linear program; the vertex is then recomputed from its active constraints."""
        if not np.isfinite(z).all():
            with np.errstate(invalid="ignore"):
                return float(self._center.dot(z)), self.center(z.size)
        largest = float(np.abs(z).max()) or 1.0
        c = (z / largest) @ self._hull.T
        length = float(np.linalg.norm(c))
        if length <= 4 * EPS * z.size * self._hull.extent(z / largest):
            return float(self._center.dot(z)), self.center(z.size)
        lam = max(self._hull.vertices(c / length, self._clock), key=lambda lam: float((lam - self._hull.point).dot(z)))
        lam = self._clipped(lam)
        return float(lam.dot(z)), lam

    def contains(self, lam: Vector, tol: float = 1e-12) -> bool:
        hull = self._hull
        magnitudes = np.abs(lam)
        within = hull.slack(lam) >= -tol * np.maximum(1.0, np.abs(hull.A) @ magnitudes)
        on_hull = np.abs(hull.E @ lam - hull.e) <= tol * np.maximum(1.0, np.abs(hull.E) @ magnitudes)
        return bool(within.all() and on_hull.all())

    def restore(self, lam: Vector) -> Vector:
        return self._clipped(self._hull.restored(lam))

    def _clipped(self, lam: Vector) -> Vector:
        """lam clipped to its bounds: entropies are not defined for weights that rounding errors made negative."""
        lower, upper = self._row_bounds
        return np.minimum(np.maximum(lam, lower), upper)

    @cached_property
    def _row_bounds(self) -> tuple[Vector, Vector]:
        rows = self.linear_constraints(self.size)
        return rows.lower, rows.upper

    def linear_constraints(self, n: int) -> LinearConstraints:
        """Rows with one nonzero entry as bounds, the others unchanged."""
        A, b = self._hull.A, self._hull.b
        single = np.count_nonzero(A, axis=1) == 1
        bound, column = A[single].sum(axis=1), np.abs(A[single]).argmax(axis=1)
        value, above = b[single] / bound + 0.0, bound > 0
        lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
        np.minimum.at(upper, column[above], value[above])
        np.maximum.at(lower, column[~above], value[~above])
        E, e = self.affine_hull(n)
        if single.all():
            return LinearConstraints(E, e, lower=lower, upper=upper)
        return LinearConstraints(E, e, lower=lower, upper=upper, A=A[~single], b=b[~single])


def _system(A: Any, b: Any, A_name: str, b_name: str) -> tuple[Matrix, Vector]:
    """New copies of A and b, refused unless they fit and are finite."""
    try:
        matrix = np.array(real_array(A), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{A_name} of Polytope must be a matrix of numbers; got {type(A).__name__}.") from error
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ProblemError(
            f"{A_name} of Polytope must be a matrix with one column per loss; got an array of shape {matrix.shape}."
        )
    if not np.isfinite(matrix).all():
        i, j = (int(index[0]) for index in np.nonzero(~np.isfinite(matrix)))
        raise ProblemError(
            f"{A_name} of Polytope must be finite; got {matrix[i, j]} in row {i}, column {j}. Leave out such rows."
        )
    if not len(matrix) and np.size(b) == 0:
        return matrix, np.zeros(0)
    vector = finite_vector(b, f"{b_name} of Polytope")
    if vector.size != len(matrix):
        raise ProblemError(
            f"{b_name} of Polytope must have one entry per row of {A_name}; got {vector.size} entries for "
            f"{len(matrix)} rows."
        )
    return matrix, vector
