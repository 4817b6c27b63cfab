"""Derivatives along lines by extrapolated central differences, with error estimates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import EPS, Matrix, Vector

# Errors are multiplied by this: the disagreement of the table's entries may underestimate them.
ERROR_MARGIN = 10.0
# A formula this close to the differences, relative to the variation of the function, is accepted.
CLOSENESS = 1e-7
# Differences with a larger relative error do not verify a formula.
LARGEST_ERROR = 1e-3
# Relative errors of the values of phi below this do not count as roughness.
RELATIVE_GRAIN = 1e-9
# Rounding errors of the entries with long steps, in units of the rounding error of one value.
ROUNDING_UNITS = 32.0
# Pairs of the smallest steps between which a kink may lie.
N_KINK_PAIRS = 2


@dataclass(frozen=True, eq=False)
class Slope:
    """phi'(0) of a function of one variable, component by component."""

    value: Vector
    error: Vector
    """The disagreement of the entries of the extrapolation table, plus the rounding errors of the differences."""
    variation: Vector
    """The variation of phi over one step, divided by the step: an estimate of the magnitude of its derivative."""
    grain: Vector
    """The slope that rounding errors of phi alone can produce; errors below it do not count as roughness."""

    kink: Vector
    """The difference of the one-sided slopes at the smallest steps, which central differences do not detect."""

    def tolerance(self, scale: Vector | float) -> Vector:
        """The error allowed to a formula, for a derivative of this magnitude."""
        return ERROR_MARGIN * self.error + CLOSENESS * scale

    def rough(self, scale: Vector | float) -> Vector:
        """By how much the error exceeds what can verify a formula of this magnitude; positive where it does."""
        return self.error - np.maximum(LARGEST_ERROR * scale, self.grain)


def slope(
    phi: Callable[[float], Any],
    step: float,
    *,
    levels: int = 5,
    ratio: float = 2.0,
    noise: Vector | float = 0.0,
    rounding: Vector | float = 0.0,
) -> Slope:
    """phi'(0) from steps ``step``, ``step/ratio``, ... (Ridders 1982): the entry of Richardson's table that agrees
    best with its neighbours.

    Errors of phi's values beyond the rounding of the value itself: ``noise`` are errors of phi, which may make it
    rough; ``rounding`` are the float64 rounding errors of its argument and terms, which do not.
    """
    noise = noise + rounding
    steps = step / ratio ** np.arange(levels)
    ahead = np.array([np.asarray(phi(t), dtype=np.float64) for t in steps])
    behind = np.array([np.asarray(phi(-t), dtype=np.float64) for t in steps])
    size = np.maximum(np.abs(ahead), np.abs(behind))
    size = np.where(np.isfinite(size), size, 0.0).max(axis=0)
    t = steps.reshape(-1, *[1] * (ahead.ndim - 1))
    differences = (ahead - behind) / (2.0 * t)
    value = np.full(ahead.shape[1:], np.nan)
    error = np.full(ahead.shape[1:], np.inf)
    above: list[Vector] = []
    for i in range(levels):
        unsure = (4.0 * EPS * size + noise) / steps[i]
        row = [differences[i]]
        for j in range(1, i + 1):
            weight = ratio ** (2 * j)
            row.append((weight * row[-1] - above[j - 1]) / (weight - 1.0))
            off = np.maximum(np.abs(row[j] - row[j - 1]), np.abs(row[j] - above[j - 1])) + unsure
            better = off < error
            value, error = np.where(better, row[j], value), np.where(better, off, error)
        above = row
    samples = np.concatenate((ahead, behind))
    variation = np.where(np.isfinite(samples).all(axis=0), np.ptp(samples, axis=0), 0.0) / step
    # (phi(t) - 2 phi(0) + phi(-t)) / t vanishes like t where phi is smooth: its extrapolation to t = 0 is the kink.
    bends = (ahead + behind - 2.0 * np.asarray(phi(0.0), dtype=np.float64)) / t
    kinks = np.abs(ratio * bends[1:] - bends[:-1]) / (ratio - 1.0) - 8.0 * (4.0 * EPS * size + noise) / t[1:]
    kink = np.maximum(kinks[-N_KINK_PAIRS:], 0.0).max(axis=0)
    return Slope(value, error, variation, np.maximum(RELATIVE_GRAIN * size, ROUNDING_UNITS * rounding) / step, kink)


def along(function: Callable[[Vector], Any], x: Vector, u: Vector) -> Callable[[float], Any]:
    """t -> function(x + t u)."""
    return lambda t: function(x + t * u)


def noise_level(phi: Callable[[float], Any], spacing: float) -> Vector:
    """The size of the errors in phi's values, from sixth differences on a grid where phi is nearly linear (Hamming
    1971; Moré and Wild 2011).
    """
    values = np.array([np.asarray(phi(i * spacing), dtype=np.float64) for i in range(-3, 4)])
    # The variance of sixth differences of white noise is 12! / 6!^2 = 924 times its own.
    return np.asarray(np.abs(np.diff(values, 6, axis=0)[0]) / np.sqrt(924.0))


def worst_direction(error: Matrix) -> tuple[Vector, float]:
    """The unit direction u with the largest |u' error u|, and that number."""
    values, vectors = np.linalg.eigh(0.5 * (error + error.T))
    k = int(np.argmax(np.abs(values)))
    u = vectors[:, k]
    return u * np.sign(u[np.argmax(np.abs(u))]), float(values[k])
