"""Detecting that g is unbounded below: rays from the best point along which it falls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dnrm2

from .._types import Vector
from ..machine.clock import OutOfTime
from .evaluation import Evaluation
from .oracle import Oracle
from .recession import Slopes
from .run_state import RunState

# A decrease of this many times the magnitude at w0 counts as minus infinity ...
INFINITE_DECREASE = 1e9
# ... unless g rises again further out: this many powers of ten of a ray are evaluated.
N_DECADES = 30
# The evaluations that rays may take which lead no further than earlier ones: this share of the run's own and a few
# more; or, where the run ends by the answer, what suffices nearly always.
SHARE_OF_RUN, FEW_POINTS, THOROUGH_POINTS = 0.1, 5, 150
# The multiplications that directions may take: about a second's, or the same share of the run's own, which are a few
# for each entry of the data.
FREE_MULTIPLICATIONS, EVALUATION_MULTIPLICATIONS = 1e9, 8.0
# The number of rays: each corrects the direction at least once.
MOST_RAYS = 100
# Rounding errors of directions and of far points, in multiples of the precision of the losses.
POINT_ROUNDING = 1e3
# A convex g falls nowhere on a ray faster than at its beginning, up to this factor for rounding.
FASTEST_FACTOR = 1.01
# Where the slope of a rise is more than LARGEST_RISE times the predicted rate of decrease, a nearer point is taken,
# where it is about TARGET_RISE times; in at most MOST_DRAWS trials.
LARGEST_RISE, TARGET_RISE, MOST_DRAWS = 1e8, 1e6, 8
# Powers of ten by which a point is moved back where the losses overflow.
BACKTRACKING_DECADES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


def falls_forever(oracle: Oracle, run_state: RunState, *, thorough: bool = False) -> bool | None:
    """Whether g is unbounded below: True by a ray on which it falls as far as numbers reach, False by slopes of
    minorants that average to zero (up to rounding), None where neither was found.

    Rays start at the best point, in the direction in which all known slopes fall (`Slopes`). Where g rises again, the
    slope there corrects the direction: on x^2 - y an error of 1e-6 in x dominates at a distance of 1e12, where it shows
    as a slope of 1e6. Each ray leads further than the one before, up to where rounding errors of the points dominate.
    Without convexity slopes prove nothing: then one ray is tried against them, and one along the way from w0.
    """
    if oracle.bounded_below:
        return False
    with np.errstate(all="ignore"):
        try:
            most = THOROUGH_POINTS if thorough else SHARE_OF_RUN * oracle.n_evals + FEW_POINTS
            return _Search(oracle, run_state).verdict(most)
        except (_NoWitness, np.linalg.LinAlgError, ValueError, ArithmeticError):
            # Slopes that overflow or are nan.
            return None


class _NoWitness(Exception):
    """Raised where far points decide nothing: the losses refuse them, are not finite there, or are rounding errors."""


@dataclass(frozen=True, eq=False)
class _Rise:
    """Where g rose on a ray, or fell much less than its slopes predict."""

    at: Evaluation
    decade: int
    """The power of ten of its distance."""
    late: bool = False
    """Whether g had already fallen to minus infinity by INFINITE_DECREASE, and rounding explains the rise."""


class _Search:
    """Rays from the best point, each corrected by the slope where the one before it rose."""

    def __init__(self, oracle: Oracle, run_state: RunState) -> None:
        self._oracle, self._magnitude = oracle, run_state.magnitude
        self._convex = oracle.watch.violation is None
        own = oracle.n_evals * EVALUATION_MULTIPLICATIONS * oracle.n_entries
        flat = (oracle.strong_convexity == 0.0) | (not self._convex)
        self._slopes = Slopes(oracle.adversary.dual_set, flat, max(FREE_MULTIPLICATIONS, SHARE_OF_RUN * own))
        start, best = self._evaluate(oracle.w0), self._evaluate(run_state.best.w)
        if start is None or best is None:
            raise _NoWitness
        self._start, self._best = start, best
        self._slopes.learn(start)
        self._slopes.learn(best)
        if run_state.bound is not None:
            self._slopes.add(run_state.bound.slope)

    def verdict(self, allowance: float) -> bool | None:
        farthest, fell = -1, False
        for _ in range(MOST_RAYS):
            u = self._slopes.descent()
            if u is None or self._unseen(u) > 1.0:
                # Against a ray that fell, only an average of zero counts, not slopes below the rounding errors.
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
        """Whether g falls without bound along the way from w0."""
        way = self._best.w - self._oracle.w0
        return bool(way.any()) and self._walk(way, rate=0.0) is None

    def _walk(self, u: Vector, rate: float = 1.0) -> _Rise | None:
        """Where g rises on the ray along u, or falls at less than half the rate; None where it falls without bound."""
        best = self._best
        # The first point is where g should have fallen by the magnitude at w0. The way from w0 predicts nothing.
        step = self._magnitude if rate > 0.0 else 1.0
        fastest = -FASTEST_FACTOR * float(best.lam @ best.G @ u)
        lowest, reached, doubtful = best.value, False, None
        for decade in range(N_DECADES):
            t = step * 10.0**decade
            w = best.w + t * u
            value = self._value(w)
            predicted = min(lowest, best.value - 0.5 * rate * t)
            if not value < predicted:
                at = self._evaluate(w) if np.isfinite(value) else None
                if at is None:
                    return None if reached else self._drawn_back(u, t, rate, decade)
                rounding = value - predicted <= self._rounding(at, w)
                if reached or not rounding:
                    return _Rise(self._moderate(u, t, rate, at), decade, late=reached and rounding)
                doubtful = doubtful or _Rise(at, decade)
            lowest = min(lowest, value)
            fall = best.value - lowest
            if self._convex and fall > t * fastest + self._rounding(best, w):
                raise _NoWitness
            reached = min(fall, -lowest) > INFINITE_DECREASE * self._magnitude and fall > t * self._unseen(u)
        if not (reached or doubtful):
            raise _NoWitness
        return None if reached else doubtful

    def _drawn_back(self, u: Vector, t: float, rate: float, decade: int) -> _Rise:
        """The rise before a point where the losses overflow, or which they refuse."""
        for back in BACKTRACKING_DECADES:
            nearer = t * 10.0**-back
            at = self._evaluate(self._best.w + nearer * u)
            if at is not None:
                return _Rise(self._moderate(u, nearer, rate, at), decade)
        raise _NoWitness

    def _moderate(self, u: Vector, far: float, rate: float, at: Evaluation) -> Evaluation:
        """A point before ``at`` where g also rises, but with a slope whose rounding errors do not hide other slopes."""
        near = 0.0
        for _ in range(MOST_DRAWS):
            slope = float(at.lam @ at.G @ u)
            if not slope > LARGEST_RISE * rate > 0.0:
                break
            # g plus the predicted decrease grows about like a power of the distance.
            power = far * (slope + rate) / (at.value - self._best.value + rate * far) - 1.0
            t = far * (TARGET_RISE * rate / slope) ** (1.0 / max(power, 0.5))
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
        """A rate of decrease along u that rounding errors hide, for losses whose terms change as fast as at w0."""
        return (
            self._oracle.watch.tolerance * self._start.largest_weight * float((np.abs(self._start.G) @ np.abs(u)).max())
        )

    def _rounding(self, at: Evaluation, w: Vector) -> float:
        """How much rounding errors of the point w may change g, with the slope at ``at``."""
        largest = self._slopes.largest
        return POINT_ROUNDING * self._oracle.precision * float(dnrm2(at.lam @ at.G / largest) * dnrm2(largest * w))

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
