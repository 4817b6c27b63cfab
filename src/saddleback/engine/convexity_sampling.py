"""Checking convexity at sampled points of the region before a run may end."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from scipy.linalg.blas import dnrm2

from .._types import Vector
from .certificates import Minorant, Region
from .evaluation import Evaluation, Point
from .oracle import Oracle
from .probing import random_directions, visit

# The distances of the sampled points from the answer, in radii of the region: one point beyond the answer on the line
# from w0, and pairs on opposite sides of it along random rays, so that functions of few variables are sampled on both
# sides.
DISTANCE_BEYOND = 0.6
RAY_DISTANCES = (1.0, -0.75, 0.5, -0.3)


@dataclass(frozen=True, eq=False)
class ConvexitySample:
    """The outcome of evaluating a few points across the region."""

    violation: str | None
    """Why the losses are not convex; None where no sampled point shows it."""
    lowest: Point | None
    """The sampled point of the lowest value, where that is below the value of the answer; else None."""


def sample_convexity(oracle: Oracle, best: Point, bound: Minorant | None, region: Region) -> ConvexitySample:
    """Compare linearizations at sampled points with that at the answer, and g there with the lower bound.

    The losses at the answer are evaluated once more, which detects functions that return different values for one w.
    """
    at = oracle.evaluate(best.w, watch=False)
    steepest = float(at.steepness.max())
    watch = oracle.new_watch()
    watch.allow_precision(oracle.precision)
    lowest: Point | None = None
    for v in _points_across(oracle, at, region):
        there = visit(oracle, v)
        if there is None:
            continue
        if watch.violation is None:
            watch.compare(at, there)
        below = -inf if bound is None else bound.at(v) - there.value
        # Most often g lies above the bound and above the answer, so that rounding errors need not be computed.
        if not (below > 0.0 or there.value < at.value):
            continue
        # Where |w| is large, rounding errors of w itself change the losses.
        rounding = oracle.rounding_at(there)
        if watch.violation is None:
            change = steepest * float(dnrm2(v - at.w))
            if below > watch.tolerance * (abs(there.value) + abs(at.value) + at.magnitude + change) + rounding:
                watch.violation = f"the objective lies {below:.3g} below a lower bound, so the losses are not convex"
        if there.value < min(at.value - rounding, inf if lowest is None else lowest.value):
            lowest = there.point
    again = visit(oracle, best.w, anew=True)
    for other in (at, again):
        if other is None or not _agree(other.f, best.f, watch.tolerance, oracle.reference):
            return ConvexitySample("the losses return other values when evaluated again at the same point", None)
    return ConvexitySample(watch.violation, lowest)


def _agree(f: Vector, known: Vector, tolerance: float, reference: Vector) -> bool:
    if f is known:
        return True
    size = np.abs(known) + np.abs(reference)
    return bool((np.abs(f - known) <= tolerance * (size + size.max())).all())


def _points_across(oracle: Oracle, at: Evaluation, region: Region) -> list[Vector]:
    d = at.w.size
    way = (at.w - oracle.w0) / region.scales
    length = float(dnrm2(way))
    radius = region.radius if np.isfinite(region.radius) else max(1.0, length)
    points = [at.w + DISTANCE_BEYOND * radius / length * (region.scales * way)] if length > 0.0 else []
    rays = random_directions(d, d + 1, len(RAY_DISTANCES) // 2)
    points += [at.w + t * radius * (region.scales * rays[k // 2]) for k, t in enumerate(RAY_DISTANCES)]
    return points
