"""The steps of finite differences: a search for the length scale of each parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._types import Vector
from ..errors import ProblemError

Values = Callable[[Vector], Vector]

# A length is accepted where over one step (cbrt(eps) lengths) the slope changes by less than MAX_SLOPE_CHANGE, and the
# errors of rounding and of third derivatives are below MAX_NOISE: relative to the slope, or to that of a parabola with
# the losses' magnitude and second derivative.
MAX_SLOPE_CHANGE, MAX_NOISE = 3e-5, 1e-9
# Other lengths are tried, LENGTH_RATIO apart, until one is accepted; only a few where the losses are constant.
LENGTH_RATIO, MAX_TRIES, MAX_TRIES_CONSTANT = 10.0, 24, 3
# The search stops after MAX_WORSE lengths with a larger error than the best, once the best is below MAX_ERROR.
MAX_WORSE, MAX_ERROR = 2, 0.1
# A measured second derivative is used where its parabola misses a fourth point by less than this share of the change of
# the slope.
PARABOLA_MISS = 0.1


def step_share(precision: float) -> float:
    """The step over the length scale at which rounding and truncation errors are equal."""
    return float(np.cbrt(precision))


@dataclass(frozen=True, eq=False)
class LengthSearch:
    """The search for the length scale of one parameter."""

    values: Values
    w: Vector
    f: Vector
    i: int
    precision: float

    def fitted(self) -> TriedLength:
        """The first accepted length, or the best one tried.

        Longer ones are tried against rounding errors, shorter ones against changes of the slope. Losses may have errors
        larger than rounding: then longer ones are tried as well.
        """
        first = best = self._tried(abs(float(self.w[self.i])) or 1.0)
        factors = (LENGTH_RATIO,) if first.straight else (1.0 / LENGTH_RATIO, LENGTH_RATIO)
        for factor in factors:
            last, worse = first, 0
            for _ in range(MAX_TRIES_CONSTANT if first.constant else MAX_TRIES):
                if best.accepted:
                    return best
                last = self._tried(last.length * factor)
                worse = 0 if last.error < best.error else worse + 1
                best = min(best, last, key=lambda one: one.error)
                if worse >= MAX_WORSE and best.error < MAX_ERROR:
                    break
        return best

    def _tried(self, length: float) -> TriedLength:
        step = step_share(self.precision) * length
        here = float(self.w[self.i])
        with np.errstate(all="ignore"):
            (ahead, h), (behind, _), (between, t) = (self._slopes(s * step) for s in (1.0, -1.0, 0.5))
            slope = 0.5 * (ahead + behind)
            second_derivative, steepest = np.abs(ahead - behind).max() / h, np.abs(slope).max()
            magnitude, slope_change = float(np.abs(self.f).max()), second_derivative * h
            noise = self.precision * (magnitude + steepest * abs(here)) / h
            # The parabola through three points must predict a fourth: otherwise the second difference is noise, or
            # third derivatives dominate, as for an odd function at zero.
            cubic = np.abs(between - (slope + 0.5 * t / h * (ahead - behind))).max()
            parabolic = cubic < PARABOLA_MISS * slope_change
            reference = max(steepest, np.sqrt(magnitude * second_derivative) if parabolic else 0.0)
            constant = not (ahead.any() or behind.any())
        if not (np.isfinite(reference) and np.isfinite(noise) and np.isfinite(cubic)):
            return TriedLength(length, slope, straight=False, constant=False, accepted=False, error=np.inf)
        straight = (
            slope_change <= MAX_SLOPE_CHANGE * reference + 4 * noise and cubic <= MAX_NOISE * reference + 4 * noise
        )
        return TriedLength(
            length,
            slope,
            straight=straight,
            constant=constant,
            accepted=straight and not constant and noise <= MAX_NOISE * reference,
            error=(slope_change / reference) ** 2 + (cubic + noise) / reference
            if reference > 0.0 and not constant
            else np.inf,
        )

    def _slopes(self, step: float) -> tuple[Vector, np.float64]:
        """The slopes over a step, and its length after rounding; nan where the losses are not defined."""
        there = self.w.copy()
        there[self.i] += step
        h = there[self.i] - self.w[self.i]
        try:
            return (np.asarray(self.values(there), dtype=np.float64) - self.f) / h, h
        except ProblemError:
            raise
        except Exception:  # losses that refuse a point are not defined there
            return np.full(self.f.shape, np.nan), h


@dataclass(frozen=True, eq=False)
class TriedLength:
    """The differences over one length, and whether it is accepted."""

    length: float
    slope: Vector
    straight: bool
    """Whether the slope changes little over the step."""
    constant: bool
    """Whether the losses do not change at all."""
    accepted: bool
    error: float
    """An estimate of the relative error; inf where the losses are constant or not finite."""
