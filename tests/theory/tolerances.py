"""Every tolerance of the theory, method and reference tests, and where it comes from."""

from __future__ import annotations

import numpy as np

EPS = float(np.finfo(np.float64).eps)

# Rounding of one evaluated inequality, relative to the largest term in it.
ROUNDING = 100 * EPS

# The fixed-point equation, relative to the losses: the accuracy that FixedPoint promises by default.
FIXED_POINT = 1e-10

# What every method must reach of the optimal value, relative to max(1, |value|).
OPTIMUM = 1e-6

# What the independent references are good for, relative to max(1, |value|): Clarabel stops at 1e-10 on
# second-order cones and near 1e-9 on exponential cones; 2e-8 leaves room for both.
REFERENCE = 2e-8

# Published optima are printed with 6 to 8 digits.
PUBLISHED = 1e-6


def relative(value: float) -> float:
    """max(1, |value|): what the tolerances above are relative to."""
    return max(1.0, abs(value))


def accumulated(n_steps: int, size: float) -> float:
    """Rounding of a bound that n_steps inequalities of this size were added up to."""
    return 16 * EPS * (n_steps + 8) * size
