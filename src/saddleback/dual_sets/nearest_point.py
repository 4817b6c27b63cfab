"""The point of a set nearest to a given one, from the support function alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._types import EPS, Matrix, Vector

# The most support points: MAX_POINTS + POINTS_PER_DIMENSION n. Polytopes need few more than n, curved sets about 2 n.
MAX_POINTS, POINTS_PER_DIMENSION = 100, 10
# Distances and improvements below this, relative to the magnitude of the points, are rounding errors.
ROUNDING = 4 * EPS
# Stop after this many steps in a row without a smaller distance: rounding errors dominate then.
MOST_STALLED = 5
TINY = float(np.finfo(np.float64).tiny)


class NearestPoint(NamedTuple):
    """A convex combination ``weights @ points`` of support points, in the set by construction."""

    point: Vector
    points: Matrix
    weights: Vector
    distance: float
    """From x to ``point``: an upper bound of the distance from x to the set."""
    lower_bound: float
    """Of the distance from x to the set."""


def nearest_point(
    support: Callable[[Vector], tuple[float, Vector]],
    x: Vector,
    *,
    near: float = 0.0,
    far: float = np.inf,
    max_points: int | None = None,
) -> NearestPoint:
    """The point of a compact convex set nearest to x (Wolfe 1976, Algorithm 1).

    Keeps support points, finds the point y of their convex hull nearest to x, and adds the support point in the
    direction x - y. Stops where the distance is at most ``near``, where its lower bound exceeds ``far``, at the nearest
    point, and where rounding errors dominate. ``support(z)`` returns max <lam, z> and a maximizer. On a polytope the
    nearest point is found after finitely many support points. For a boundary point x of a curved set this alone would
    take about 20 n points. There the maximizer is a smooth function of z, so that the support point in the direction
    sum_i weight_i direction_i, with the weights of y, is close to x: it is added as well. Every point costs a
    least-squares problem with at most n + 1 columns.
    """
    hull = _SupportPoints(x, support(x)[1])
    best, stalled = NearestPoint(x, hull.points, hull.weights, np.inf, 0.0), 0
    if max_points is None:
        max_points = MAX_POINTS + POINTS_PER_DIMENSION * x.size
    while True:
        y = hull.weights @ hull.points
        r = x - y
        distance = float(np.linalg.norm(r))
        stalled = 0 if distance < best.distance else stalled + 1
        if distance < best.distance:
            best = NearestPoint(y, hull.points, hull.weights, distance, best.lower_bound)
        magnitude = float(np.abs(hull.points).max()) + float(np.abs(x).max())
        if distance <= max(near, ROUNDING * magnitude) or stalled >= MOST_STALLED or hull.n_added >= max_points:
            return best
        v = support(r)[1]
        improvement = float(r.dot(v - y))
        best = best._replace(lower_bound=max(best.lower_bound, (distance * distance - improvement) / distance))
        if improvement <= ROUNDING * magnitude * distance or best.lower_bound > far:
            return best
        mixed = hull.weights @ hull.directions
        hull.add(v, r / distance)
        v = support(mixed)[1]
        if float(r.dot(v - y)) > 0.0:
            hull.add(v, mixed)


class _SupportPoints:
    """Support points, the directions in which they were found, and the weights of the combination nearest to x."""

    def __init__(self, x: Vector, point: Vector) -> None:
        self.x, self.points, self.weights, self.n_added = x, point[None, :], np.ones(1), 0
        self.directions = x[None, :] / (float(np.linalg.norm(x)) or 1.0)

    def add(self, point: Vector, direction: Vector) -> None:
        self.n_added += 1
        self.points = np.vstack((self.points, point))
        self.directions = np.vstack((self.directions, direction))
        self.weights = np.append(self.weights, 0.0)
        while len(self.points) > 1:
            # The nearest point of the affine hull, from differences to one of the points, which avoids rounding errors
            # of common terms.
            first = self.points[0]
            shares = np.linalg.lstsq((self.points[1:] - first).T, self.x - first, rcond=None)[0]
            affine = np.append(1.0 - shares.sum(), shares)
            outside = np.flatnonzero(affine <= 0.0)
            if not outside.size:
                self.weights = affine / affine.sum()
                return
            # The longest step towards it that keeps all weights nonnegative; points of zero weight are dropped.
            before = self.weights[outside]
            steps = before / np.maximum(before - affine[outside], TINY)
            step = float(steps.min())
            weights = self.weights + step * (affine - self.weights)
            weights[outside[steps <= step]] = 0.0
            kept = weights > 0.0
            self.points, self.directions = self.points[kept], self.directions[kept]
            self.weights = weights[kept] / weights[kept].sum()
