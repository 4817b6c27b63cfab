"""Certificates: how far a point can be from the optimum, by linear (or quadratic) minorants of g."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._types import Vector

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Region:
    """Where a lower bound is asked: anywhere along strongly convex coordinates, elsewhere |v - center| <= radius."""

    center: Vector
    radius: float


@dataclass(frozen=True, eq=False)
class Minorant:
    """l(v) = constant + <slope, v - origin> + 1/2 sum_i m_i (v_i - origin_i)^2 <= g(v) for every v.

    Any lam in Lambda gives one at any evaluated point u (docs/mathematics.md, 5):
    g(v) >= <lam, f(u)> - R(lam) + <G' lam, v - u> + 1/2 sum_i m_i (v_i - u_i)^2.
    Minorants are closed under averages; an accelerated method's average is as good as its rate.
    """

    constant: float
    slope: Vector
    lam: Vector
    """The same average of the lam: min over v of <lam, f(v)> - R(lam) is at least the minimum of l."""
    origin: Vector
    curvature: Vector
    """m, the same for all minorants of a run."""

    def moved(self, origin: Vector) -> Minorant:
        """The same function written around another origin, lowered by what rounding may add.

        Minorants live near where they are used: around a far origin, constants would be differences of numbers of
        size m |w - origin|^2, and a bound nothing but their rounding errors.
        """
        step = origin - self.origin
        if not step.any():
            return self
        bend = self.curvature * step
        lift = 0.5 * float(bend @ step)
        constant = self.constant + float(self.slope @ step) + lift
        margin = 2 * EPS * (abs(self.constant) + abs(constant))
        margin += 8 * EPS * (float(np.abs(self.slope) @ np.abs(step)) + lift)
        return Minorant(constant - margin, self.slope + bend, self.lam, origin, self.curvature)

    def mix(self, other: Minorant, theta: float) -> Minorant:
        """(1 - theta) self + theta other, around the origin of the other."""
        mine = self.moved(other.origin)
        return Minorant(
            (1.0 - theta) * mine.constant + theta * other.constant,
            (1.0 - theta) * mine.slope + theta * other.slope,
            (1.0 - theta) * mine.lam + theta * other.lam,
            other.origin,
            self.curvature,
        )

    def minimum(self, region: Region) -> float:
        """The least value of l over the region: a lower bound of g there."""
        here = self.moved(region.center)
        return _Pair(here, here, region.radius).bound(0.0)

    def best_mix(self, other: Minorant, region: Region) -> Minorant:
        """The average of the two, around the region's center, whose bound on the region is the highest."""
        first, second = self.moved(region.center), other.moved(region.center)
        theta = _Pair(first, second, region.radius).best_weight()
        return first if theta == 0.0 else second if theta == 1.0 else first.mix(second, theta)


class _Pair:
    """The bound of (1 - theta) first + theta second as a concave function of theta, from a few inner products."""

    def __init__(self, first: Minorant, second: Minorant, radius: float) -> None:
        flat = first.curvature == 0
        slopes = np.array([first.slope, second.slope])
        along, across = slopes[:, flat], slopes[:, ~flat]
        self.height = np.array([first.constant, second.constant])
        # Slopes of size one, in a ball that makes up for it: a square that underflows would pass for a flat minorant.
        size = float(np.abs(along).max(initial=0.0)) or 1.0
        # Without flat coordinates the radius is infinite and plays no part.
        self.radius = radius * size if flat.any() else 0.0
        self.flat = (along / size) @ (along / size).T
        self.curved = (across / first.curvature[~flat]) @ across.T

    def bound(self, theta: float) -> float:
        t = np.array([1.0 - theta, theta])
        return float(self.height @ t - self.radius * np.sqrt(max(0.0, t @ self.flat @ t)) - 0.5 * (t @ self.curved @ t))

    def best_weight(self) -> float:
        """argmax over [0, 1], by bisection on the derivative."""
        direction = np.array([-1.0, 1.0])
        rise = float(direction @ self.height)

        def increasing(theta: float) -> bool:
            t = np.array([1.0 - theta, theta])
            norm = np.sqrt(max(0.0, float(t @ self.flat @ t)))
            bend = self.radius * float(direction @ self.flat @ t) / norm if norm > 0 else 0.0
            return rise - bend - float(direction @ self.curved @ t) > 0

        if not increasing(0.0):
            return 0.0
        if increasing(1.0):
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if increasing(middle) else (low, middle)
        return low
