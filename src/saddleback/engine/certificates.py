"""Lower bounds of g: linear or quadratic minorants, their averages and their minima over a region."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import copysign, hypot, inf, sqrt

import numpy as np
from scipy.linalg.blas import dnrm2

from .._types import EPS, Params, Vector, Weights

EMPTY = np.zeros(0)


class Axes:
    """The coordinates with m_i = 0, called flat, and those with m_i > 0, called curved; the same for a whole run."""

    def __init__(self, strong_convexity: Vector) -> None:
        curved = strong_convexity > 0.0
        self.all_flat, self.all_curved = not curved.any(), bool(curved.all())
        self._flat, self._curved = (~curved).nonzero()[0], curved.nonzero()[0]
        self._roots = np.sqrt(strong_convexity[curved])

    def split(self, slope: Vector, scales: Vector | float) -> tuple[Vector, Vector]:
        """slope * scales along flat coordinates, and slope/sqrt(m) along curved ones."""
        if self.all_flat:
            return slope * scales, EMPTY
        if self.all_curved:
            return EMPTY, slope / self._roots
        return (slope * scales).take(self._flat), slope.take(self._curved) / self._roots


@dataclass(frozen=True, eq=False)
class Region:
    """Where a lower bound must hold: |v - center| <= radius along coordinates that are not strongly convex.

    Along strongly convex coordinates the region has no limit. Distances are measured in the scales of the parameters,
    |x|^2 = sum_i (x_i/scale_i)^2, so that the region does not depend on the units of the parameters.
    """

    center: Vector
    radius: float
    scales: Vector | float = 1.0
    axes: Axes | None = field(default=None, repr=False)
    """Those of the minorants, where the caller has them."""

    def axes_of(self, minorant: Minorant) -> Axes:
        return Axes(minorant.strong_convexity) if self.axes is None else self.axes

    def length(self, step: Vector, strong_convexity: Vector) -> float:
        """|step| in the region's scales, over the coordinates that are not strongly convex."""
        flat = (step / self.scales)[strong_convexity == 0.0]
        return float(dnrm2(flat)) if flat.size else 0.0


@dataclass(frozen=True, eq=False)
class Minorant:
    """l(v) = constant + <slope, v - origin> + 1/2 sum_i m_i (v_i - origin_i)^2 <= g(v) for every v.

    Any lam in Lambda gives one at any evaluated point u (docs/mathematics.md, 5):
    g(v) >= <lam, f(u)> - R(lam) + <G' lam, v - u> + 1/2 sum_i m_i (v_i - u_i)^2.
    Averages of minorants are minorants.
    """

    constant: float
    slope: Params
    lam: Weights
    """The weights that prove l: min over v of <lam, f(v)> - R(lam) is at least the minimum of l."""
    origin: Params
    strong_convexity: Params
    """m, the same for all minorants of a run."""

    def moved(self, origin: Vector) -> Minorant:
        """The same function written around another origin, lowered by a bound on the rounding error of the conversion.

        With an origin far from the region, the minimum over the region would be a difference of numbers as large as
        m |w - origin|^2, and most of its digits would cancel.
        """
        if origin is self.origin:
            return self
        step = origin - self.origin
        length = dnrm2(step)
        if length == 0.0:
            return self
        slope, second_order = self.slope, 0.0
        if not _is_flat(self.strong_convexity):
            slope_change = self.strong_convexity * step
            second_order = 0.5 * float(slope_change.dot(step))
            slope = slope + slope_change
        constant = self.constant + float(self.slope.dot(step)) + second_order
        margin = 2 * EPS * (abs(self.constant) + abs(constant)) + 8 * EPS * (dnrm2(self.slope) * length + second_order)
        return Minorant(constant - margin, slope, self.lam, origin, self.strong_convexity)

    def at(self, v: Vector) -> float:
        """l(v)."""
        step = v - self.origin
        return self.constant + float(self.slope.dot(step)) + 0.5 * float((self.strong_convexity * step).dot(step))

    def mix(self, other: Minorant, theta: float) -> Minorant:
        """(1 - theta) self + theta other, around the origin of the other."""
        mine, rest = self.moved(other.origin), 1.0 - theta
        return Minorant(
            rest * mine.constant + theta * other.constant,
            rest * mine.slope + theta * other.slope,
            rest * mine.lam + theta * other.lam,
            other.origin,
            self.strong_convexity,
        )

    def minimum(self, region: Region) -> float:
        """The least value of l over the region: a lower bound of g there."""
        here = self.moved(region.center)
        flat, curved = region.axes_of(self).split(here.slope, region.scales)
        # dnrm2 scales before it squares, so that small slopes do not underflow to zero. Without flat coordinates the
        # radius is infinite and must not be used.
        fall = region.radius * dnrm2(flat) if flat.size else 0.0
        return float(here.constant - fall - 0.5 * curved.dot(curved)) if curved.size else here.constant - fall

    def best_mix(self, other: Minorant, region: Region) -> Minorant:
        """The average of the two, around the region's center, whose bound on the region is the highest."""
        first, second = self.moved(region.center), other.moved(region.center)
        theta = best_weight(first, second, region)
        return first if theta == 0.0 else second if theta == 1.0 else first.mix(second, theta)


def best_weight(first: Minorant, second: Minorant, region: Region) -> float:
    """argmax over theta in [0, 1] of the bound of (1 - theta) first + theta second, both around the region's center.

    The bound is concave in theta. With a, b the slopes along flat coordinates times their scales, and u, v those along
    the others over sqrt(m), its derivative is
    rise - radius n t/hypot(t, delta) - <u, v - u> - theta |v - u|^2,  t = beta + theta n,
    where n = |b - a|, beta is the component of a along b - a and delta the length of the component across.
    """
    rise, radius, axes = second.constant - first.constant, region.radius, region.axes_of(first)
    flat, curved = axes.split(first.slope, region.scales)
    flat_change, curved_change = axes.split(second.slope - first.slope, region.scales)
    n, squared_change = 0.0, 0.0
    if curved.size:
        rise -= float(curved.dot(curved_change))
        squared_change = float(curved_change.dot(curved_change))
    if flat.size:
        n = float(dnrm2(flat_change))
    if n != 0.0:
        along = flat_change / n
        beta = float(flat.dot(along))
        # The norm of the difference: a difference of squares loses half of the digits where the slopes nearly cancel.
        delta = float(dnrm2(flat - beta * along))
    else:
        radius, beta, delta = 0.0, 0.0, 0.0

    def rate(theta: float) -> float:
        t = beta + theta * n
        length = hypot(t, delta)
        return rise - (radius * n * (t / length) if length != 0.0 else 0.0) - squared_change * theta

    # A rate of nan gives theta = 0: the second minorant is not used.
    if not rate(0.0) > 0:
        return 0.0
    if rate(1.0) > 0:
        return 1.0
    if n == 0.0:
        return rise / squared_change
    if squared_change == 0.0:
        if delta == 0.0:
            return min(1.0, max(0.0, -beta / n))  # the kink at t = 0
        # Solve t/hypot(t, delta) = k.
        k = rise / (radius * n)
        t = k * delta / sqrt(1.0 - k * k) if k * k < 1.0 else copysign(inf, k)
        return min(1.0, max(0.0, (t - beta) / n))
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rate(middle) > 0 else (low, middle)
    return low


def _is_flat(strong_convexity: Vector) -> bool:
    """Whether no coordinate is strongly convex."""
    return strong_convexity.item(strong_convexity.argmax()) == 0.0
