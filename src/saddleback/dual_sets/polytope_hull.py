"""Affine hull, interior point and vertices of a polytope; refusal of empty and unbounded ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from .._types import EPS, Matrix, Vector
from ..errors import ProblemError
from ..machine.clock import UNLIMITED, Clock, OutOfTime

# Slacks below this are zero, in coordinates in which the set has an extent of about one.
NO_SLACK = 1e-9
# Singular values and rows below this, relative to rows of length one, are zero.
RANK_TOLERANCE = 1e-10
# Multipliers above this are not rounding errors: they sum to one over at most n + 1 rows.
POSITIVE_MULTIPLIER = 1e-7
# The smallest tolerances that HiGHS accepts. Objectives are multiplied by OBJECTIVE_SCALE, which makes the tolerance of
# the multipliers smaller by that factor.
TOLERANCES = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
OBJECTIVE_SCALE = 1e3
# Costs below this are rounding errors: the largest is at least one.
ZERO_COST = 1e-13
# Rounds in which bounds are propagated from row to row; bounds that need more are treated as infinite.
PROPAGATION_ROUNDS = 10
# In seconds: HiGHS refuses negative time limits.
SHORTEST_TIME_LIMIT = 1e-6


@dataclass(frozen=True, eq=False)
class PolytopeHull:
    """{A lam <= b, E lam = e}: rows of length one, E orthonormal, ``point`` in the relative interior.

    lam = point + T y are the points of the affine hull, in coordinates y in which the set has an extent of about one;
    the rows of ``across`` are normals of the hull, divided by the extent of the set.
    """

    A: Matrix
    b: Vector
    E: Matrix
    e: Vector
    T: Matrix
    across: Matrix
    point: Vector
    box: tuple[Vector, Vector]
    """Bounds on lam, as far as they follow from the rows one by one; infinite where they do not."""

    def slack(self, lam: Vector) -> Vector:
        return self.b - self.A @ lam

    def on_hull(self, lam: Vector) -> Vector:
        return lam - (self.E @ lam - self.e) @ self.E if len(self.E) else lam

    def extent(self, z: Vector) -> float:
        """An upper bound of the terms of T'z, and so of its rounding errors over EPS."""
        return float(np.abs(z) @ np.abs(self.T).max(axis=1, initial=0.0))

    def restored(self, lam: Vector) -> Vector:
        """lam moved to the affine hull, then towards the interior point until the inequalities hold."""
        # Residuals as small as rounding errors are left: correcting them would change tiny weights by more than their
        # magnitude.
        rounding = 4 * EPS * (np.abs(self.E) @ np.abs(lam))
        if (np.abs(self.E @ lam - self.e) > rounding).any():
            lam = self.on_hull(lam)
        slack = self.slack(lam)
        outside = slack < 0
        if not outside.any():
            return lam.copy()
        slack, inside = slack[outside], self._point_slack[outside]
        return lam + float((slack / (slack - inside)).max()) * (self.point - lam)

    @cached_property
    def _point_slack(self) -> Vector:
        return self.slack(self.point)

    @cached_property
    def _rows(self) -> tuple[Matrix, Vector]:
        """(G, h) such that A lam <= b is G y <= h, with rows of length one; rows constant on the hull are left out."""
        G = self.A @ self.T
        lengths = np.linalg.norm(G, axis=1)
        seen = lengths > RANK_TOLERANCE * np.linalg.norm(np.abs(self.A) @ np.abs(self.T), axis=1)
        return G[seen] / lengths[seen, None], self._point_slack[seen] / lengths[seen]

    def vertices(self, c: Vector, clock: Clock = UNLIMITED) -> list[Vector]:
        """Solutions of max <c, y>: the vertex given by the rows active at HiGHS's solution, and HiGHS's solution."""
        G, h = self._rows
        y: Vector = _program(-OBJECTIVE_SCALE * c, G, h, clock=clock).x
        active = h - G @ y <= NO_SLACK
        vertex = y
        for _ in range(2):
            vertex = vertex + np.linalg.lstsq(G[active], h[active] - G[active] @ vertex, rcond=RANK_TOLERANCE)[0]
        return [self.restored(self.point + self.T @ solution) for solution in (vertex, y)]


def analyze_polytope(A: Matrix, b: Vector, A_eq: Matrix, b_eq: Vector) -> PolytopeHull:
    """The hull and the interior of {A lam <= b, A_eq lam = b_eq}; refused where that is empty or unbounded."""
    A, b, names = _unit_rows(A, b, "A", zero_is_wrong=b < 0)
    A_eq, b_eq, _ = _unit_rows(A_eq, b_eq, "A_eq", zero_is_wrong=b_eq != 0)
    n = A.shape[1]
    middle, d, box = _box_around(np.concatenate((A, A_eq, -A_eq)), np.concatenate((b, b_eq, -b_eq)))
    # lam = middle + d v: in v the set has an extent of about one. Slacks below the rounding errors of the shift are
    # zero.
    flat = NO_SLACK + 16 * EPS * float(np.abs(middle / d).max()) * n**0.5
    G, h, _ = _unit_rows(A * d, b - A @ middle)
    F, f, _ = _unit_rows(A_eq * d, b_eq - A_eq @ middle)
    implicit = np.zeros(len(A), dtype=np.bool_)
    while True:
        v, N, W, residual = _solutions(np.concatenate((F, G[implicit])), np.concatenate((f, h[implicit])))
        if not implicit.any() and residual > 10 * flat:
            raise ProblemError("Polytope is empty: its equations A_eq lam = b_eq contradict each other. Drop some.")
        slack, R = h - G @ v, G @ N
        lengths = np.linalg.norm(R, axis=1)
        constant = lengths <= RANK_TOLERANCE
        _refuse_empty(names[constant & (slack < -10 * flat)])
        implicit |= constant & (slack <= flat)
        moving = np.flatnonzero(~implicit & ~constant)
        R, slack = R[moving] / lengths[moving, None], slack[moving] / lengths[moving]
        if not N.shape[1]:
            break
        y, radius, multipliers = _deepest(R, slack)
        if radius > flat:
            v = v + N @ y
            _refuse_unbounded(R, d[:, None] * N)
            break
        holding = multipliers > POSITIVE_MULTIPLIER
        if radius < -flat:
            _refuse_empty(names[moving[holding]])
        implicit[moving[holding]] = True
    E, e = _orthonormal(np.concatenate((A_eq, A[implicit])), np.concatenate((b_eq, b[implicit])), rank=n - N.shape[1])
    hull = PolytopeHull(A[~implicit], b[~implicit], E, e, d[:, None] * N, W / d, middle + d * v, box)
    object.__setattr__(hull, "point", hull.on_hull(hull.point))
    return hull


def _unit_rows(
    A: Matrix, b: Vector, name: str = "", zero_is_wrong: NDArray[np.bool_] | None = None
) -> tuple[Matrix, Vector, NDArray[np.intp]]:
    """The rows of (A, b) that are not zero, with those of A of length one, and their numbers."""
    largest = np.abs(A).max(axis=1, initial=0.0)
    kept = np.flatnonzero(largest)
    if zero_is_wrong is not None and (wrong := np.flatnonzero((largest == 0) & zero_is_wrong)).size:
        i = int(wrong[0])
        raise ProblemError(
            f"Polytope is empty: row {i} of {name} is zero, and its right-hand side is {b[i]:g}: no lam satisfies "
            "it. Drop the row."
        )
    A, b = A[kept] / largest[kept, None], b[kept] / largest[kept]
    lengths = np.linalg.norm(A, axis=1)
    return A / lengths[:, None], b / lengths, kept


def _box_around(A: Matrix, b: Vector) -> tuple[Vector, Vector, tuple[Vector, Vector]]:
    """The center and the widths of a box around {A x <= b} (guesses where it is infinite), and the box.

    The box is found by propagation of bounds from row to row.
    """
    n = A.shape[1]
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    positive, negative = A > RANK_TOLERANCE, A < -RANK_TOLERANCE
    divisor = np.where(positive | negative, A, 1.0)
    for _ in range(PROPAGATION_ROUNDS):
        # The least possible term of entry j in row i, and whether it is -inf.
        least = np.where(positive, A, 0.0) * _finite(lower) + np.where(negative, A, 0.0) * _finite(upper)
        free = (positive & np.isinf(lower)) | (negative & np.isinf(upper))
        known = free.sum(axis=1, keepdims=True) - free == 0
        limit = (b[:, None] - (least.sum(axis=1, keepdims=True) - least)) / divisor
        below = np.where(positive & known, limit, np.inf).min(axis=0, initial=np.inf)
        above = np.where(negative & known, limit, -np.inf).max(axis=0, initial=-np.inf)
        lower, upper = np.maximum(lower, above), np.minimum(upper, below)
    box = lower, upper
    lower, upper = np.where(np.isinf(lower), upper, lower), np.where(np.isinf(upper), lower, upper)
    middle = 0.5 * (_finite(lower) + _finite(upper))
    widths = _finite(upper) - _finite(lower)
    # Unknown widths are guessed from the right-hand sides.
    used, intercepts = (positive | negative) & (b != 0)[:, None], np.abs(b[:, None] / divisor)
    largest = np.where(used, intercepts, 0.0).max(axis=0, initial=0.0)
    least = np.where(used, intercepts, np.inf).min(axis=0, initial=np.inf)
    guesses = np.where(largest > 0, np.sqrt(largest) * np.sqrt(np.where(largest > 0, least, 0.0)), 1.0)
    wide = widths > 16 * EPS * np.maximum(np.abs(_finite(lower)), np.abs(_finite(upper)))
    return middle, np.where(wide, widths, guesses), box


def _finite(x: Vector) -> Vector:
    return np.where(np.isinf(x), 0.0, x)


def _solutions(F: Matrix, f: Vector) -> tuple[Vector, Matrix, Matrix, float]:
    """(v, N, W, residual): v + N y solves F v = f in the least-squares sense; the rows of N' and W are orthonormal."""
    U, sigma, Vt = np.linalg.svd(F)
    rank = int(np.count_nonzero(sigma > RANK_TOLERANCE))
    v: Vector = (U[:, :rank].T @ f / sigma[:rank]) @ Vt[:rank]
    return v, Vt[rank:].T, Vt[:rank], float(np.abs(F @ v - f).max(initial=0.0))


def _orthonormal(F: Matrix, f: Vector, rank: int) -> tuple[Matrix, Vector]:
    """(E, e): the equations F v = f with orthonormal rows."""
    U, sigma, Vt = np.linalg.svd(F, full_matrices=False)
    return Vt[:rank], U[:, :rank].T @ f / sigma[:rank]


def _deepest(G: Matrix, h: Vector) -> tuple[Vector, float, Vector]:
    """The center and radius (at most 1) of the largest ball in {G y <= h}, and the multipliers, which sum to one.

    A negative radius proves that the set is empty. With radius zero, rows with a positive multiplier hold with equality
    on the whole set (complementary slackness).
    """
    m, k = G.shape
    cost = np.zeros(k + 1)
    cost[k] = -OBJECTIVE_SCALE
    bounds = [(None, None)] * k + [(None, 1.0)]
    solution = _program(cost, np.hstack((G, np.ones((m, 1)))), h, bounds)
    return solution.x[:k], float(solution.x[k]), -solution.ineqlin.marginals / OBJECTIVE_SCALE


def _program(cost: Vector, G: Matrix, h: Vector, bounds: Any = (None, None), clock: Clock = UNLIMITED) -> Any:
    """min <cost, y> subject to G y <= h, by HiGHS."""
    # HiGHS's simplex method fails on some costs that are rounding errors.
    cost = np.where(np.abs(cost) <= ZERO_COST, 0.0, cost)
    for method, presolve in (("highs", True), ("highs", False), ("highs-ipm", True)):
        clock.check()
        options = {**TOLERANCES, "presolve": presolve, "time_limit": max(clock.left, SHORTEST_TIME_LIMIT)}
        solution = scipy.optimize.linprog(cost, G, h, bounds=bounds, method=method, options=options)
        if solution.status == 0:
            return solution
        if solution.status == 1 and clock.left < np.inf:
            raise OutOfTime
    raise ProblemError(
        f"HiGHS could not solve a linear program over a Polytope: {solution.message} Divide its rows by their sizes."
    )


def _refuse_empty(rows: NDArray[np.intp]) -> None:
    if rows.size:
        raise ProblemError(
            f"Polytope is empty: no lam meets the inequalities {', '.join(map(str, rows[:8].tolist()))} of A lam <= b "
            "(counted from 0) and the equations at once. Relax or drop some."
        )


def _refuse_unbounded(G: Matrix, T: Matrix) -> None:
    """Refuse {G y <= h} where it has a direction of recession: one with G y = 0, or with G y <= 0."""
    _, sigma, Vt = np.linalg.svd(G)
    k = G.shape[1]
    if np.count_nonzero(sigma > RANK_TOLERANCE) < k:
        direction = Vt[-1]
    else:
        # The least sum of G y over the y with -1 <= G y <= 0: zero, or at most -1 where there is such a direction.
        steepest = _program(G.sum(axis=0), np.vstack((G, -G)), np.repeat([0.0, 1.0], len(G)))
        if steepest.fun > -0.5:
            return
        direction = steepest.x
    direction = T @ direction
    shown = np.array2string(direction / np.abs(direction).max(), precision=3, suppress_small=True, threshold=8)
    raise ProblemError(
        f"Polytope is unbounded in the direction {shown}: the adversary's weights must be. Add bounds on lam."
    )
