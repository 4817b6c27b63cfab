"""The point of a set nearest to a given one, from the support function alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._types import EPS, Matrix, Vector

# Support points to ask for, beyond this many per dimension: polytopes need few, curved sets about 25 per dimension.
MAX_POINTS, POINTS_PER_DIMENSION = 100, 30
# Distances and gains below this, relative to the size of the points, are rounding errors.
ROUNDING = 4 * EPS
# Support points in a row that may bring x no nearer before rounding is taken for the reason.
STALLED = 5


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
    support: Callable[[Vector], tuple[float, Vector]], x: Vector, near: float = 0.0, far: float = np.inf
) -> NearestPoint:
    """The point of a compact convex set nearest to x (Wolfe 1976, Algorithm 1).

    Stops where the distance is at most ``near``, where its lower bound exceeds ``far``, at the nearest point, and
    where rounding ends progress. ``support(z)`` returns max <lam, z> and a maximizer. On a polytope the nearest point
    is found after finitely many support points, each of which costs a least-squares problem with at most n + 1 columns.
    """
    points, weights = support(x)[1][None, :], np.ones(1)
    best, stalled = NearestPoint(points[0], points, weights, np.inf, 0.0), 0
    for _ in range(MAX_POINTS + POINTS_PER_DIMENSION * x.size):
        y = weights @ points
        r = x - y
        distance = float(np.linalg.norm(r))
        stalled = 0 if distance < best.distance else stalled + 1
        if distance < best.distance:
            best = NearestPoint(y, points, weights, distance, best.lower_bound)
        size = float(np.abs(points).max()) + float(np.abs(x).max())
        if distance <= max(near, ROUNDING * size) or stalled >= STALLED:
            break
        v = support(r)[1]
        gain = float(r.dot(v - y))
        best = best._replace(lower_bound=max(best.lower_bound, (distance * distance - gain) / distance))
        if gain <= ROUNDING * size * distance or best.lower_bound > far:
            break
        points, weights = _corrected(np.vstack((points, v)), np.append(weights, 0.0), x)
    return best


def _corrected(points: Matrix, weights: Vector, x: Vector) -> tuple[Matrix, Vector]:
    """The convex combination of the points nearest to x, and those of them that it needs."""
    while True:
        # The nearest point of the affine hull; differences to one of the points, so that common parts do not round.
        shares = np.linalg.lstsq((points[1:] - points[0]).T, x - points[0], rcond=None)[0]
        affine = np.append(1.0 - shares.sum(), shares)
        outside = np.flatnonzero(affine <= 0.0)
        if not outside.size:
            return points, affine / affine.sum()
        # As far towards it as the weights stay positive; the first that vanishes leaves.
        before = weights[outside]
        steps = before / np.maximum(before - affine[outside], np.finfo(np.float64).tiny)
        step = float(steps.min())
        weights = weights + step * (affine - weights)
        weights[outside[steps <= step]] = 0.0
        kept = weights > 0.0
        points, weights = points[kept], weights[kept] / weights[kept].sum()
        if len(points) == 1:
            return points, np.ones(1)
