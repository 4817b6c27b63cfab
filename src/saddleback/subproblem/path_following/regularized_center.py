"""argmin R + B, at which Algorithm 2 of the paper starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Vector
from ...regularizers import Zero
from ..factored_subproblem import FactoredSubproblem
from .central_path import CentralPath

NOTE = "argmin R + B"


@dataclass(frozen=True)
class RegularizedCenterControl:
    """The numbers of `regularized_center`."""

    full_from: float = 0.25
    """Full Newton steps are taken from this decrement on, where they converge quadratically."""
    converged: float = 1e-9
    """At this decrement the next step would be below rounding errors."""
    stagnant: float = 1e-5
    """From this decrement on, a step that does not reduce it consists of rounding errors."""
    sufficient: float = 0.25
    """Before, a step t d must lower R + B by this share of t delta^2, the decrease that its slope promises."""
    growth: float = 10.0
    """From the center, minimizers of R + B/c are followed for c that grow by this factor: at once, entropies with a
    large gamma on curved balls took more than 1,000 steps."""
    max_steps: int = 1000
    """Ten are enough on the pairs of tests/subproblem/geometries.py; Phase I goes on from where the steps end."""


CONTROL = RegularizedCenterControl()


def regularized_center(path: CentralPath) -> Vector:
    """argmin R + B on the affine hull: the analytic center where the gradient of R is normal to the hull there.

    It depends neither on Q nor on c, and is found once for each pair (Lambda, R).
    """
    adversary = path.subproblem.adversary
    if isinstance(adversary.regularizer, Zero):
        return path.center.copy()
    if NOTE not in adversary.notes:
        n = path.center.size
        adversary.notes[NOTE] = _minimize(CentralPath(FactoredSubproblem(np.zeros((n, 1)), np.zeros(n), adversary)))
    found: Vector = adversary.notes[NOTE]
    return found.copy()


def _minimize(path: CentralPath) -> Vector:
    """argmin of F_1 by Newton's method along the central path of R, from the center."""
    lam, smallest = path.center, np.inf
    square = float(path.local_products(lam, 0.0, path.slope(lam))[0, 0])
    # At this tau the decrement at the center is at most one.
    tau = min(1.0, 1.0 / np.sqrt(square)) if square > 0 else 1.0
    for _ in range(CONTROL.max_steps):
        direction, delta = path.newton_step(lam, tau)
        if tau < 1.0 and delta <= CONTROL.full_from:
            tau = min(1.0, CONTROL.growth * tau)
            continue
        if tau == 1.0 and (delta <= CONTROL.converged or smallest <= delta < CONTROL.stagnant):
            break
        smallest = min(smallest, delta) if tau == 1.0 else np.inf
        lam = lam + (1.0 if delta <= CONTROL.full_from else _length(path, lam, tau, direction, delta)) * direction
    return lam


def _length(path: CentralPath, lam: Vector, tau: float, direction: Vector, delta: float) -> float:
    """The longest of 1, 1/2, 1/4, ... that lowers F_tau sufficiently, or that of the damped step, which always does."""
    value, length, damped = path.value(lam, tau), 1.0, 1.0 / (1.0 + delta)
    while length > damped:
        if path.value(lam + length * direction, tau) <= value - CONTROL.sufficient * length * delta**2:
            return length
        length *= 0.5
    return damped
