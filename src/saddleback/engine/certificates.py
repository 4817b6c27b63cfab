"""Certificates: how far a point can be from the optimum, by linear (or quadratic) minorants of g."""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, hypot, inf, sqrt

import numpy as np
from scipy.linalg.blas import dnrm2

from .._types import EPS, Params, Vector, Weights

EMPTY = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Region:
    """Where a lower bound is asked: anywhere along strongly convex coordinates, elsewhere |v - center| <= radius.

    Distances are measured in units of the parameters, |x|^2 = sum_i (x_i/unit_i)^2: the same parameters in other units
    have the same region.
    """

    center: Vector
    radius: float
    unit: Vector | float = 1.0

    def length(self, step: Vector, curvature: Vector) -> float:
        """|step| in the region's units, over the coordinates that are not strongly convex."""
        flat = (step / self.unit)[curvature == 0.0]
        return float(dnrm2(flat)) if flat.size else 0.0


@dataclass(frozen=True, eq=False)
class Minorant:
    """l(v) = constant + <slope, v - origin> + 1/2 sum_i m_i (v_i - origin_i)^2 <= g(v) for every v.

    Any lam in Lambda gives one at any evaluated point u (docs/mathematics.md, 5):
    g(v) >= <lam, f(u)> - R(lam) + <G' lam, v - u> + 1/2 sum_i m_i (v_i - u_i)^2.
    Minorants are closed under averages; an accelerated method's average is as good as its rate.
    """

    constant: float
    slope: Params
    lam: Weights
    """The same average of the lam: min over v of <lam, f(v)> - R(lam) is at least the minimum of l."""
    origin: Params
    curvature: Params
    """m, the same for all minorants of a run."""

    def moved(self, origin: Vector) -> Minorant:
        """The same function written around another origin, lowered by what rounding may add.

        Minorants live near where they are used: around a far origin, constants would be differences of numbers of
        size m |w - origin|^2, and a bound nothing but their rounding errors.
        """
        if origin is self.origin:
            return self
        step = origin - self.origin
        length = dnrm2(step)
        if length == 0.0:
            return self
        bend = self.curvature * step
        lift = 0.5 * float(bend.dot(step))
        constant = self.constant + float(self.slope.dot(step)) + lift
        margin = 2 * EPS * (abs(self.constant) + abs(constant)) + 8 * EPS * (dnrm2(self.slope) * length + lift)
        return Minorant(constant - margin, self.slope + bend, self.lam, origin, self.curvature)

    def at(self, v: Vector) -> float:
        """l(v)."""
        step = v - self.origin
        return self.constant + float(self.slope.dot(step)) + 0.5 * float((self.curvature * step).dot(step))

    def mix(self, other: Minorant, theta: float) -> Minorant:
        """(1 - theta) self + theta other, around the origin of the other."""
        mine, rest = self.moved(other.origin), 1.0 - theta
        return Minorant(
            rest * mine.constant + theta * other.constant,
            rest * mine.slope + theta * other.slope,
            rest * mine.lam + theta * other.lam,
            other.origin,
            self.curvature,
        )

    def minimum(self, region: Region) -> float:
        """The least value of l over the region: a lower bound of g there."""
        here = self.moved(region.center)
        flat, curved = _split(here.slope, self.curvature, region.unit)
        # BLAS scales before it squares: a square that underflows would pass for a flat minorant. Without flat
        # coordinates the radius is infinite and plays no part.
        fall = region.radius * dnrm2(flat) if flat.size else 0.0
        return float(here.constant - fall - 0.5 * curved.dot(curved)) if curved.size else here.constant - fall

    def best_mix(self, other: Minorant, region: Region) -> Minorant:
        """The average of the two, around the region's center, whose bound on the region is the highest."""
        first, second = self.moved(region.center), other.moved(region.center)
        theta = best_weight(first, second, region.radius, region.unit)
        return first if theta == 0.0 else second if theta == 1.0 else first.mix(second, theta)


def best_weight(first: Minorant, second: Minorant, radius: float, unit: Vector | float = 1.0) -> float:
    """argmax over theta in [0, 1] of the bound of (1 - theta) first + theta second, both around the region's center.

    The bound is concave in theta. With a, b the slopes along flat coordinates, per unit, and u, v those along the
    others over sqrt(m), it rises at the rate
    rise - radius n t/hypot(t, delta) - <u, v - u> - theta |v - u|^2,  t = beta + theta n,
    where n = |b - a|, beta is a's part along b - a and delta the length of its part across.
    """
    rise = second.constant - first.constant
    flat, curved = _split(first.slope, first.curvature, unit)
    flat_change, curved_change = _split(second.slope - first.slope, first.curvature, unit)
    bend, n = 0.0, 0.0
    if curved.size:
        rise -= float(curved.dot(curved_change))
        bend = float(curved_change.dot(curved_change))
    if flat.size:
        n = float(dnrm2(flat_change))
    if n != 0.0:
        along = flat_change / n
        beta = float(flat.dot(along))
        # From the vector itself: differences of squares would lose half of the digits where the slopes nearly cancel.
        delta = float(dnrm2(flat - beta * along))
    else:
        radius, beta, delta = 0.0, 0.0, 0.0

    def rate(theta: float) -> float:
        t = beta + theta * n
        size = hypot(t, delta)
        return rise - (radius * n * (t / size) if size != 0.0 else 0.0) - bend * theta

    # Also where a rate is not a number: such a minorant is not taken.
    if not rate(0.0) > 0:
        return 0.0
    if rate(1.0) > 0:
        return 1.0
    if n == 0.0:
        return rise / bend
    if bend == 0.0:
        if delta == 0.0:
            return min(1.0, max(0.0, -beta / n))  # the kink at t = 0
        # t/hypot(t, delta) = k.
        k = rise / (radius * n)
        t = k * delta / sqrt(1.0 - k * k) if k * k < 1.0 else copysign(inf, k)
        return min(1.0, max(0.0, (t - beta) / n))
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rate(middle) > 0 else (low, middle)
    return low


def _split(slope: Vector, curvature: Vector, unit: Vector | float) -> tuple[Vector, Vector]:
    """The slope per unit along flat coordinates, and that along the others over the square root of their curvature."""
    if curvature.item(curvature.argmax()) == 0.0:
        return slope * unit, EMPTY
    if curvature.item(curvature.argmin()) > 0.0:
        return EMPTY, slope / np.sqrt(curvature)
    flat = curvature == 0
    return (slope * unit)[flat], slope[~flat] / np.sqrt(curvature[~flat])
