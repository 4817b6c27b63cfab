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

# A decrease of this many times the magnitude at w0 counts as infinite, unless g rises again further out.
INFINITE_DECREASE = 1e9
# A ray is evaluated at this many distances, each ten times the one before.
N_DECADES = 30
# The evaluations allowed on rays that lead no further than earlier ones: SHARE_OF_RUN times the run's own plus
# FEW_POINTS; or THOROUGH_POINTS where the run ends by the answer.
SHARE_OF_RUN, FEW_POINTS, THOROUGH_POINTS = 0.1, 5, 150
# The multiplications allowed for computing directions: FREE_MULTIPLICATIONS (about a second), or SHARE_OF_RUN times
# those of the run, EVALUATION_MULTIPLICATIONS for each entry of the data and evaluation.
FREE_MULTIPLICATIONS, EVALUATION_MULTIPLICATIONS = 1e9, 8.0
# The largest number of rays; each corrects the direction at least once.
MOST_RAYS = 100
# Rounding errors of directions and of far points, in multiples of the precision of the losses.
POINT_ROUNDING = 1e3
# A convex g falls fastest at the beginning of a ray; this factor allows for rounding errors.
FASTEST_FACTOR = 1.01
# Where g rises with a slope above LARGEST_RISE times the predicted rate of decrease, a nearer point with a slope of
# about TARGET_RISE times that rate is used instead; it is sought in at most MOST_TRIALS trials.
LARGEST_RISE, TARGET_RISE, MOST_TRIALS = 1e8, 1e6, 8
# Powers of ten by which a point is moved back where the losses overflow.
BACKTRACKING_DECADES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


def is_unbounded_below(oracle: Oracle, run_state: RunState, *, thorough: bool = False) -> bool | None:
    """Whether g is unbounded below; None where this could not be decided.

    True: g falls on a ray as far as it can be evaluated. False: slopes of minorants average to zero up to rounding.
    Rays start at the best point, in a direction in which all known slopes fall (`Slopes`). Where g rises again, the
    slope there corrects the direction: on x^2 - y an error of 1e-6 in x dominates at a distance of 1e12, where it gives
    a slope of 1e6. Each ray leads further than the one before, up to where rounding errors of the points dominate.
    Without convexity slopes prove nothing: then one ray against the slopes and one in the direction from w0 to the best
    point are tried.
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
    """Raised where far points decide nothing: the losses raise, are not finite there, or consist of rounding errors."""


@dataclass(frozen=True, eq=False)
class _Rise:
    """A point of a ray at which g rose, or fell much less than its slopes predict."""

    at: Evaluation
    decade: int
    """The power of ten of its distance."""
    late: bool = False
    """Whether g had already fallen by INFINITE_DECREASE, and rounding errors explain the rise."""


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
            if u is None or self._hidden_rate(u) > 1.0:
                # After a ray on which g fell, only an average of zero proves boundedness; slopes below the rounding
                # errors do not.
                if self._convex and not (fell and u is not None):
                    return False
                break
            spent = self._n_points
            rise = self._follow(u)
            if rise is None or (rise.late and rise.decade <= farthest):
                return True
            fell |= rise.late
            if rise.decade <= farthest:
                allowance -= self._n_points - spent
            farthest = max(farthest, rise.decade)
            known = not self._slopes.learn(rise.at)
            if known or not self._convex or allowance <= 0.0 or self._slopes.exhausted:
                break
        return True if fell or (not self._convex and self._falls_away_from_start()) else None

    def _falls_away_from_start(self) -> bool:
        """Whether g falls without bound in the direction from w0 to the best point."""
        u = self._best.w - self._oracle.w0
        return bool(u.any()) and self._follow(u, rate=0.0) is None

    def _follow(self, u: Vector, rate: float = 1.0) -> _Rise | None:
        """Where g rises on the ray along u, or falls at less than half the rate; None where it falls without bound."""
        best = self._best
        # At the first point g should have fallen by the magnitude at w0; without a predicted rate its distance is one.
        step = self._magnitude if rate > 0.0 else 1.0
        fastest = -FASTEST_FACTOR * float(best.slope(best.lam) @ u)
        lowest, infinite, doubtful = best.value, False, None
        for decade in range(N_DECADES):
            t = step * 10.0**decade
            w = best.w + t * u
            value = self._value(w)
            predicted = min(lowest, best.value - 0.5 * rate * t)
            if not value < predicted:
                at = self._evaluate(w) if np.isfinite(value) else None
                if at is None:
                    return None if infinite else self._rise_before(u, t, rate, decade)
                rounding = value - predicted <= self._rounding(at, w)
                if infinite or not rounding:
                    return _Rise(self._moderate(u, t, rate, at), decade, late=infinite and rounding)
                doubtful = doubtful or _Rise(at, decade)
            lowest = min(lowest, value)
            fall = best.value - lowest
            if self._convex and fall > t * fastest + self._rounding(best, w):
                raise _NoWitness
            infinite = min(fall, -lowest) > INFINITE_DECREASE * self._magnitude and fall > t * self._hidden_rate(u)
        if not (infinite or doubtful):
            raise _NoWitness
        return None if infinite else doubtful

    def _rise_before(self, u: Vector, t: float, rate: float, decade: int) -> _Rise:
        """The rise at a point before t u, where the losses overflow or raise."""
        for back in BACKTRACKING_DECADES:
            nearer = t * 10.0**-back
            at = self._evaluate(self._best.w + nearer * u)
            if at is not None:
                return _Rise(self._moderate(u, nearer, rate, at), decade)
        raise _NoWitness

    def _moderate(self, u: Vector, far: float, rate: float, at: Evaluation) -> Evaluation:
        """A point before ``at`` where g also rises, with a slope whose rounding errors are below the other slopes."""
        near = 0.0
        for _ in range(MOST_TRIALS):
            slope = float(at.slope(at.lam) @ u)
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
            if float(nearer.slope(nearer.lam) @ u) > -0.5 * rate:
                far, at = t, nearer
            else:
                near = t
        return at

    def _hidden_rate(self, u: Vector) -> float:
        """The rate of decrease along u below the rounding errors of losses whose terms change as fast as at w0."""
        return self._oracle.watch.tolerance * self._start.largest_weight * float(self._start.magnitudes(u).max())

    def _rounding(self, at: Evaluation, w: Vector) -> float:
        """A bound on how much rounding errors of w change g, with the slope at ``at``."""
        largest = self._slopes.largest
        return POINT_ROUNDING * self._oracle.precision * float(dnrm2(at.slope(at.lam) / largest) * dnrm2(largest * w))

    @property
    def _n_points(self) -> int:
        return self._oracle.n_evals + self._oracle.n_values

    def _value(self, w: Vector) -> float:
        """g at w; inf where it is not finite or the losses raise."""
        try:
            return self._oracle.point(w, watch=False).value
        except OutOfTime:
            raise
        except Exception:
            return np.inf

    def _evaluate(self, w: Vector) -> Evaluation | None:
        """The losses and their Jacobian at w; None where they are not finite or raise."""
        try:
            at = self._oracle.evaluate(w, watch=False)
        except OutOfTime:
            raise
        except Exception:
            return None
        return at if at.finite else None
