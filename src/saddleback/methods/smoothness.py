"""Finding L: given, asked from the losses, or measured along the way."""

from __future__ import annotations

import numpy as np

from ..oracle import Evaluation, Oracle
from .base import Breakdown
from .prox_step import ProxStep, prox_step

# Trials at one iteration before the losses are given up as not smooth.
MAX_TRIALS = 60
# Steps may be this many times longer than one that would take the losses to zero. On piecewise-linear losses
# nothing else stops L from shrinking, until Q dwarfs c in (D) and rounding decides.
LONGEST = 1e6


def known_smoothness(oracle: Oracle, given: float | None) -> float | None:
    """L as given or as the losses offer it; None when it has to be measured (0 bounds no step, so it is too)."""
    L = oracle.smoothness if given is None else given
    return L or None


def first_guess(at: Evaluation) -> float:
    """|grad|^2 / |f|: the L of a quadratic that falls to zero in one step. It scales as L does."""
    largest = float(np.sqrt(np.diag(at.gram).max()))
    height = float(np.abs(at.f).max())
    L = largest**2 / height if height > 0 else largest / max(1.0, float(np.linalg.norm(at.w)))
    return L if L > 0 and np.isfinite(L) else 1.0


def calibrate(oracle: Oracle, at: Evaluation, tol: float) -> float:
    """An L near w0 that its own proximal step admits and that is within about ten times of the least such L."""
    L = first_guess(at)
    rising = False
    for _ in range(MAX_TRIALS):
        step = prox_step(oracle, at, 1.0 / L, tol)
        if not step.admits(L):
            L, rising = increased(L, step), True
        elif rising or not step.curvature < L / 10 or first_guess(at) / LONGEST > L / 10:
            break
        else:
            L /= 10
    return L


def increased(L: float, step: ProxStep) -> float:
    """The next L to try after a step that L does not admit: what that step needed, within 2 to 100 times."""
    if not np.isfinite(step.point.value):
        return 10.0 * L
    return float(np.clip(1.1 * step.curvature, 2.0 * L, 100.0 * L))


def relaxed(L: float, step: ProxStep) -> float:
    """The L to begin the next iteration with: a little less where the last step shows that less would do."""
    least = min(L, max(0.8 * L, first_guess(step.base) / LONGEST))
    return float(np.clip(1.5 * step.curvature, least, L))


def give_up() -> Breakdown:
    return Breakdown(
        "no step is short enough for the smoothness condition: the losses do not seem to be smooth here "
        "(a loss such as |x| is best written as two losses, x and -x), or their Jacobian is wrong"
    )
