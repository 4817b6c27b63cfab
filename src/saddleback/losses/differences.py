"""Finite differences: Jacobians for losses that bring none, and a check for those that do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._types import EPS, Matrix, Vector
from .._validation import loss_pair
from ..errors import ProblemError
from .base import Losses

Values = Callable[[Vector], Vector]

# A length suits a parameter where the losses bend little over the step (cbrt(eps) lengths), and what rounding and third
# derivatives make of the slope is small: relative to the slope, or to that of a parabola as high as the losses.
BENT, NOISY = 3e-5, 1e-9
# Other lengths are tried in powers of ten, up to the first that suits; a few only where the losses do not change.
FACTOR, TRIES, STILL = 10.0, 24, 3
# The search stops after PATIENCE lengths that were worse than the best, once the best has a relative error below ROUGH.
PATIENCE, ROUGH = 2, 0.1
# A measured curvature is real where its parabola misses a fourth point by less than this share of the bend.
REAL = 0.1
# Later points may be far away: no length is less than this share of the parameter, whose own rounding errors would
# show in the differences.
LEAST = 1e-5


@dataclass(frozen=True, eq=False)
class Differences:
    """The Jacobian by central differences, 2 d calls each, with steps that suit the losses at ``w0``.

    The search for the steps runs at the first call, always at ``w0``: a resumed run finds the same steps.
    """

    values: Values
    w0: Vector

    def __call__(self, w: Vector) -> Matrix:
        fit = self._fit
        return fit.jacobian.copy() if np.array_equal(self.w0, w) else central_differences(self.values, w, self.steps(w))

    @property
    def lengths(self) -> Vector:
        """The length of each parameter, whose step is cbrt(eps) times as long."""
        return self._fit.lengths

    @property
    def precision(self) -> float:
        """The relative rounding error of the losses: that of their type."""
        return self._fit.precision

    def steps(self, w: Vector) -> Vector:
        return _share(self.precision) * np.maximum(self.lengths, LEAST * np.abs(w))

    def error(self, w: Vector) -> Matrix:
        """How wrong the Jacobian at w may be, (J, d): rounding, plus a third of what doubled steps change."""
        steps, G = self.steps(w), self(w)
        curvature = np.abs(central_differences(self.values, w, 2 * steps) - G) / 3.0
        error: Matrix = curvature + self.precision * np.abs(self.values(w))[:, None] / steps
        return error

    @cached_property
    def _fit(self) -> _Fit:
        f = np.asarray(self.values(self.w0))
        precision = float(np.finfo(f.dtype).eps) if f.dtype.kind == "f" else EPS
        found = [_Coordinate(self.values, self.w0, f, i, precision).fitted() for i in range(self.w0.size)]
        lengths = np.array([one.length for one in found])
        still = np.array([one.still for one in found])
        if still.any() and not still.all():
            # A parameter that changes nothing at w0 is taken to be as long as the others are on average.
            lengths[still] = np.exp(np.log(lengths[~still]).mean())
        return _Fit(lengths, precision, np.stack([one.slope for one in found], axis=1))


@dataclass(frozen=True, eq=False)
class _Fit:
    """Lengths that suit the losses at a point, and the Jacobian there."""

    lengths: Vector
    precision: float
    jacobian: Matrix


def central_differences(values: Values, w: Vector, steps: Vector | None = None) -> Matrix:
    """(f(w + h_i e_i) - f(w - h_i e_i))/(2 h_i), a column for each parameter; h = cbrt(eps) max(1, |w|) by default."""
    steps = _share(EPS) * np.maximum(1.0, np.abs(w)) if steps is None else steps
    columns = []
    for i, h in enumerate(steps):
        forward, backward = w.copy(), w.copy()
        forward[i] += h
        backward[i] -= h
        columns.append((values(forward) - values(backward)) / (forward[i] - backward[i]))
    return np.stack(columns, axis=-1).reshape(-1, w.size)


def _share(precision: float) -> float:
    """The step over the length, for which the errors of rounding and of curvature are alike."""
    return float(np.cbrt(precision))


@dataclass(frozen=True, eq=False)
class _Coordinate:
    """The search for the length of one parameter."""

    values: Values
    w: Vector
    f: Vector
    i: int
    precision: float

    def fitted(self) -> _Tried:
        """The length that suits, or the best one: longer where rounding shows, shorter where the losses bend.

        Losses may carry noise that they do not show: where shorter steps are worse, longer ones are tried as well.
        """
        first = best = self._tried(abs(float(self.w[self.i])) or 1.0)
        factors = (FACTOR,) if first.straight else (1.0 / FACTOR, FACTOR)
        for factor in factors:
            last, worse = first, 0
            for _ in range(STILL if first.still else TRIES):
                if best.suits:
                    return best
                last = self._tried(last.length * factor)
                worse = 0 if last.error < best.error else worse + 1
                best = min(best, last, key=lambda one: one.error)
                if worse >= PATIENCE and best.error < ROUGH:
                    break
        return best

    def _tried(self, length: float) -> _Tried:
        step = _share(self.precision) * length
        here = float(self.w[self.i])
        with np.errstate(all="ignore"):
            (ahead, h), (behind, _), (between, t) = (self._slopes(s * step) for s in (1.0, -1.0, 0.5))
            slope = 0.5 * (ahead + behind)
            curvature, steepest = np.abs(ahead - behind).max() / h, np.abs(slope).max()
            size, bend = float(np.abs(self.f).max()), curvature * h
            noise = self.precision * (size + steepest * abs(here)) / h
            # An odd function has no curvature at zero: the parabola through three points must hold at a fourth. Where
            # it does not, what seems to be curvature is noise, or that of another place.
            cubic = np.abs(between - (slope + 0.5 * t / h * (ahead - behind))).max()
            scale = max(steepest, np.sqrt(size * curvature) if cubic < REAL * bend else 0.0)
            still = not (ahead.any() or behind.any())
        if not (np.isfinite(scale) and np.isfinite(noise) and np.isfinite(cubic)):
            return _Tried(length, slope, straight=False, still=False, suits=False, error=np.inf)
        straight = bend <= BENT * scale + 4 * noise and cubic <= NOISY * scale + 4 * noise
        return _Tried(
            length,
            slope,
            straight=straight,
            still=still,
            suits=straight and not still and noise <= NOISY * scale,
            error=(bend / scale) ** 2 + (cubic + noise) / scale if scale > 0.0 and not still else np.inf,
        )

    def _slopes(self, step: float) -> tuple[Vector, np.float64]:
        """The slopes over a step, and its length as the numbers are; nan where the losses are not defined."""
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
class _Tried:
    """What differences over one length show."""

    length: float
    slope: Vector
    straight: bool
    """Whether the losses bend little over the step."""
    still: bool
    """Whether they do not change at all."""
    suits: bool
    error: float
    """A guess of the relative error; inf where the losses do not change, or are not finite."""


def check_jacobian(losses: Losses, w: Vector, rtol: float = 1e-4) -> None:
    """Raise a ProblemError that names the rows of the Jacobian that disagree with central differences.

    Allowed are ``rtol`` of the row, what a doubled step changes (curvature), and what rounding of the losses makes of
    the differences: no absolute number, so that the units of the losses and of the parameters do not matter.
    """
    f, G = loss_pair(losses.evaluate(w))
    differences = Differences(lambda v: loss_pair(losses.evaluate(v))[0], w)
    steps = differences.steps(w)
    reference = differences(w)
    doubled = central_differences(differences.values, w, 2 * steps)
    # Each entry counts in the length of its parameter.
    lengths = differences.lengths
    error = np.abs(G - reference) * lengths
    rounding = 100 * differences.precision / _share(differences.precision) * np.abs(f)
    allowed = (
        rtol * (np.abs(reference) * lengths).max(axis=1)
        + (np.abs(doubled - reference) * lengths).max(axis=1)
        + rounding
    )
    wrong = np.flatnonzero(~(error.max(axis=1) <= allowed))
    if wrong.size:
        j = int(wrong[0])
        i = int(np.argmax(error[j]))
        raise ProblemError(
            f"jac: row {j} is not the gradient of loss {j}: coordinate {i} is {G[j, i]:.6g}, finite differences "
            f"give {reference[j, i]:.6g}; rows that disagree: {wrong.tolist()}."
        )
