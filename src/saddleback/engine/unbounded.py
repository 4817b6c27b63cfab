"""Telling a problem without a lower bound from one that is slow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dnrm2

from .._types import Vector
from ..machine.clock import OutOfTime
from .evaluation import Evaluation
from .oracle import Oracle
from .recession import Slopes
from .record import Record

# A value this many times below the scale of the start is taken for minus infinity ...
FAR = 1e9
# ... unless g rises again further out: so many powers of ten of a ray are looked at.
DECADES = 30
# What rays may cost that lead no further than those before, in points: a part of the run's own, and a few; or what
# suffices nearly always, where a run would end by the answer.
SHARE, LEAST, ENOUGH = 0.1, 5, 150
# What the directions may cost, in multiplications: about a second, or the same part of the run's own, which took a few
# for each entry of the data.
LITTLE, FLOPS = 1e9, 8.0
# All rays: each of them is corrected in one direction at least.
RAYS = 100
# Rounding errors of directions and of far points, in units of the precision of the losses.
ROUNDING = 1e3
# A convex g falls nowhere on a ray faster than at its beginning, up to rounding.
FASTER = 1.01
# A rise more than STEEP times as steep as the fall that was promised is looked for nearer, where it is MODERATE times.
STEEP, MODERATE, DRAWS = 1e8, 1e6, 8
# Powers of ten by which a point is drawn back where the losses overflow.
BACK = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


def falls_forever(oracle: Oracle, record: Record, *, thorough: bool = False) -> bool | None:
    """Whether g is unbounded below: True by a ray on which it falls as far as numbers reach, False by slopes of
    minorants that average to zero (up to rounding), None where neither was found.

    Rays start at the best point, in the direction in which all known slopes fall (`Slopes`). Where g rises again, the
    slope there corrects the direction: on x^2 - y an error of 1e-6 in x wins at a distance of 1e12, and shows there as
    a slope of 1e6. Each ray leads further than the one before, up to where rounding errors of the points take over.
    Without convexity slopes prove nothing: one ray is tried against them, and one that goes on along the way from w0.
    """
    if oracle.bounded_below:
        return False
    with np.errstate(all="ignore"):
        try:
            return _Search(oracle, record).verdict(ENOUGH if thorough else SHARE * oracle.n_evals + LEAST)
        except (_NoWitness, np.linalg.LinAlgError, ValueError, ArithmeticError):
            # Slopes that overflow, or are no numbers.
            return None


class _NoWitness(Exception):
    """The losses cannot tell: they refuse far points, are not finite there, or answer with rounding errors."""


@dataclass(frozen=True, eq=False)
class _Rise:
    """Where g rose on a ray, or fell much less than its slopes promised."""

    at: Evaluation
    decade: int
    """How many powers of ten from the beginning of the ray."""
    late: bool = False
    """Whether g had fallen to what counts as minus infinity, and rounding errors of the point explain the rise."""


class _Search:
    """Rays from the best point, each corrected by the slope where the one before it rose."""

    def __init__(self, oracle: Oracle, record: Record) -> None:
        self._oracle, self._size = oracle, record.size
        self._convex = oracle.watch.violation is None
        work = max(LITTLE, SHARE * oracle.n_evals * FLOPS * oracle.n_entries)
        self._slopes = Slopes(oracle.adversary.dual_set, (oracle.curvature == 0.0) | (not self._convex), work)
        start, best = self._evaluate(oracle.w0), self._evaluate(record.best.w)
        if start is None or best is None:
            raise _NoWitness
        self._start, self._best = start, best
        self._slopes.learn(start)
        self._slopes.learn(best)
        if record.bound is not None:
            self._slopes.add(record.bound.slope)

    def verdict(self, allowance: float) -> bool | None:
        farthest, fell = -1, False
        for _ in range(RAYS):
            u = self._slopes.descent()
            if u is None or self._unseen(u) > 1.0:
                # Against a ray that fell only zero counts, not slopes that are merely too short to be seen.
                if self._convex and not (fell and u is not None):
                    return False
                break
            spent = self._n_points
            rise = self._walk(u)
            if rise is None or (rise.late and rise.decade <= farthest):
                return True
            fell |= rise.late
            if rise.decade <= farthest:
                allowance -= self._n_points - spent
            farthest = max(farthest, rise.decade)
            known = not self._slopes.learn(rise.at)
            if known or not self._convex or allowance <= 0.0 or self._slopes.exhausted:
                break
        return True if fell or (not self._convex and self._goes_on()) else None

    def _goes_on(self) -> bool:
        """Whether g falls for ever along the way from w0."""
        way = self._best.w - self._oracle.w0
        return bool(way.any()) and self._walk(way, rate=0.0) is None

    def _walk(self, u: Vector, rate: float = 1.0) -> _Rise | None:
        """Where g rises on the ray along u, or falls at less than half the rate; None where it falls for ever."""
        best = self._best
        # To where g should have fallen by the scale of the start. The way from w0 promises nothing.
        step = self._size if rate > 0.0 else 1.0
        fastest = -FASTER * float(best.lam @ best.G @ u)
        lowest, reached, doubtful = best.value, False, None
        for decade in range(DECADES):
            t = step * 10.0**decade
            w = best.w + t * u
            value = self._value(w)
            promised = min(lowest, best.value - 0.5 * rate * t)
            if not value < promised:
                at = self._evaluate(w) if np.isfinite(value) else None
                if at is None:
                    return None if reached else self._drawn_back(u, t, rate, decade)
                rounding = value - promised <= self._rounding(at, w)
                if reached or not rounding:
                    return _Rise(self._moderate(u, t, rate, at), decade, late=reached and rounding)
                doubtful = doubtful or _Rise(at, decade)
            lowest = min(lowest, value)
            fall = best.value - lowest
            if self._convex and fall > t * fastest + self._rounding(best, w):
                raise _NoWitness
            reached = min(fall, -lowest) > FAR * self._size and fall > t * self._unseen(u)
        if not (reached or doubtful):
            raise _NoWitness
        return None if reached else doubtful

    def _drawn_back(self, u: Vector, t: float, rate: float, decade: int) -> _Rise:
        """The rise towards a point where the losses overflow, or which they refuse."""
        for back in BACK:
            nearer = t * 10.0**-back
            at = self._evaluate(self._best.w + nearer * u)
            if at is not None:
                return _Rise(self._moderate(u, nearer, rate, at), decade)
        raise _NoWitness

    def _moderate(self, u: Vector, far: float, rate: float, at: Evaluation) -> Evaluation:
        """A point before ``at`` where g rises too, but not so steeply that rounding errors of its slope hide others."""
        near = 0.0
        for _ in range(DRAWS):
            slope = float(at.lam @ at.G @ u)
            if not slope > STEEP * rate > 0.0:
                break
            # What g adds to its fall grows about like a power of the distance.
            power = far * (slope + rate) / (at.value - self._best.value + rate * far) - 1.0
            t = far * (MODERATE * rate / slope) ** (1.0 / max(power, 0.5))
            if t <= near:
                t = np.sqrt(near * far)
            nearer = self._evaluate(self._best.w + t * u)
            if nearer is None:
                break
            if float(nearer.lam @ nearer.G @ u) > -0.5 * rate:
                far, at = t, nearer
            else:
                near = t
        return at

    def _unseen(self, u: Vector) -> float:
        """A rate along u that is lost in the rounding errors of losses whose terms change as fast as at the start."""
        return (
            self._oracle.watch.tolerance * self._start.largest_weight * float((np.abs(self._start.G) @ np.abs(u)).max())
        )

    def _rounding(self, at: Evaluation, w: Vector) -> float:
        """How much g may change by the errors of the point w, where its slope is that at ``at``."""
        unit = self._slopes.unit
        return ROUNDING * self._oracle.precision * float(dnrm2(at.lam @ at.G / unit) * dnrm2(unit * w))

    @property
    def _n_points(self) -> int:
        return self._oracle.n_evals + self._oracle.n_values

    def _value(self, w: Vector) -> float:
        """g at w; inf where it is not finite, or refused."""
        try:
            return self._oracle.point(w, watch=False).value
        except OutOfTime:
            raise
        except Exception:
            return np.inf

    def _evaluate(self, w: Vector) -> Evaluation | None:
        """The losses and their Jacobian at w; None where they are not finite, or refused."""
        try:
            at = self._oracle.evaluate(w, watch=False)
        except OutOfTime:
            raise
        except Exception:
            return None
        return at if at.finite else None
