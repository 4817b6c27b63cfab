"""Certificates: how far a point can be from the optimum, by linear (or quadratic) minorants of g."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._types import Vector


@dataclass(frozen=True, eq=False)
class Region:
    """Where a lower bound is asked: anywhere along coordinates with curvature m_i > 0, elsewhere |v - w| <= radius."""

    curvature: Vector
    offset: Vector
    """w - w0, the center of the ball relative to the minorants' origin."""
    radius: float

    @property
    def flat(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """The coordinates without strong convexity."""
        return self.curvature == 0


@dataclass(frozen=True, eq=False)
class Minorant:
    """l(v) = constant + <slope, v - w0> + 1/2 sum_i m_i (v_i - w0_i)^2 <= g(v) for every v.

    Any lam in Lambda gives one at any evaluated point u (docs/mathematics.md, 5):
    g(v) >= <lam, f(u)> - R(lam) + <G' lam, v - u> + 1/2 sum_i m_i (v_i - u_i)^2.
    Minorants are closed under averages; an accelerated method's average is as good as its rate.
    """

    constant: float
    slope: Vector
    lam: Vector
    """The same average of the lam: min over v of <lam, f(v)> - R(lam) is at least the minimum of l."""

    @staticmethod
    def at(offset: Vector, value: float, slope: Vector, curvature: Vector, lam: Vector) -> Minorant:
        """The minorant with value <lam, f(u)> - R(lam) and slope G' lam at u = w0 + offset."""
        bend = curvature * offset
        return Minorant(value - float(slope @ offset) + 0.5 * float(bend @ offset), slope - bend, lam)

    def mix(self, other: Minorant, theta: float) -> Minorant:
        """(1 - theta) self + theta other."""
        return Minorant(
            (1.0 - theta) * self.constant + theta * other.constant,
            (1.0 - theta) * self.slope + theta * other.slope,
            (1.0 - theta) * self.lam + theta * other.lam,
        )

    def minimum(self, region: Region) -> float:
        """The least value of l over the region: a lower bound of g there."""
        return _Pair(self, self, region).bound(0.0)

    def best_mix(self, other: Minorant, region: Region) -> Minorant:
        """The average of the two whose bound on the region is the highest."""
        pair = _Pair(self, other, region)
        theta = pair.best_weight()
        return self if theta == 0.0 else other if theta == 1.0 else self.mix(other, theta)


class _Pair:
    """The bound of (1 - theta) first + theta second as a concave function of theta, from a few inner products."""

    def __init__(self, first: Minorant, second: Minorant, region: Region) -> None:
        flat, curved = region.flat, ~region.flat
        slopes = np.array([first.slope, second.slope])
        along, across = slopes[:, flat], slopes[:, curved]
        self.height = np.array([first.constant, second.constant]) + along @ region.offset[flat]
        # Slopes of size one, in a ball that makes up for it: a square that underflows would pass for a flat minorant.
        size = float(np.abs(along).max(initial=0.0)) or 1.0
        # Without flat coordinates the radius is infinite and plays no part.
        self.radius = region.radius * size if flat.any() else 0.0
        self.flat = (along / size) @ (along / size).T
        self.curved = (across / region.curvature[curved]) @ across.T

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
