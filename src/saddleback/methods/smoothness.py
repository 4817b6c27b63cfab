"""Finding L: given, asked from the losses, or measured along the way."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._validation import number
from ..engine.evaluation import Breakdown, Evaluation
from ..engine.method import Method, S
from ..engine.oracle import Oracle
from .prox_step import FIRST_ACCURACY, ProxStep, prox_step

# Trials at one iteration before the losses are given up as not smooth.
MAX_TRIALS = 60
# Steps may be this many times longer than one that would take the losses to zero. On piecewise-linear losses
# nothing else stops L from shrinking, until Q dwarfs c in (D) and rounding decides.
LONGEST = 1e5


@dataclass(frozen=True, kw_only=True)
class SmoothMethod(Method[S]):
    """A method that needs L. ``smoothness`` gives it; else each method finds it in its own way."""

    smoothness: float | None = None

    def __post_init__(self) -> None:
        if self.smoothness is not None:
            object.__setattr__(self, "smoothness", number(self.smoothness, "smoothness", minimum=0.0, strict=True))


def known_smoothness(oracle: Oracle, given: float | None) -> float | None:
    """L as given or as the losses offer it; None when it has to be measured (0 bounds no step, so it is too)."""
    L = oracle.smoothness if given is None else given
    return L or None


@dataclass(frozen=True)
class Smoothness:
    """The L of the next step: fixed where it was given, else measured, and at most what the losses vouch for."""

    L: float
    cap: float = np.inf
    fixed: bool = False

    def admits(self, step: ProxStep) -> bool:
        return self.fixed or self.cap <= self.L or step.admits(self.L)

    def refused(self, step: ProxStep) -> Smoothness:
        """After a step that L does not admit: what that step needed, within 2 to 100 times."""
        if not np.isfinite(step.point.value):
            return self.times(10.0)
        return self.times(float(np.clip(1.1 * step.curvature / self.L, 2.0, 100.0)))

    def accepted(self, step: ProxStep) -> Smoothness:
        """After a step that was taken: a little less, where the step shows that less would do."""
        if self.fixed:
            return self
        least = min(self.L, max(0.8 * self.L, first_guess(step.base) / LONGEST))
        return replace(self, L=float(np.clip(1.5 * step.curvature, least, self.L)))

    def times(self, factor: float) -> Smoothness:
        return replace(self, L=min(self.cap, factor * self.L))


def find_smoothness(oracle: Oracle, at: Evaluation, given: float | None) -> Smoothness:
    """L as given, or measured at w0 under the losses' own bound."""
    if given is not None:
        return Smoothness(given, fixed=True)
    cap = known_smoothness(oracle, None) or np.inf
    return Smoothness(min(cap, calibrate(oracle, at)), cap)


def first_guess(at: Evaluation) -> float:
    """|grad|^2 / |f|: the L of a quadratic that falls to zero in one step. It scales as L does."""
    largest = float(at.steepness.max())
    L = largest**2 / at.magnitude if at.magnitude > 0 else largest / max(1.0, float(np.linalg.norm(at.w)))
    return L if L > 0 and np.isfinite(L) else 1.0


def calibrate(oracle: Oracle, at: Evaluation) -> float:
    """An L near w0 that its own proximal step admits and that is within about ten times of the least such L."""
    guess, tol = Smoothness(first_guess(at)), FIRST_ACCURACY * at.magnitude
    least, rising = guess.L / LONGEST, False
    for _ in range(MAX_TRIALS):
        step = prox_step(oracle, at, 1.0 / guess.L, tol)
        if not guess.admits(step):
            guess, rising = guess.refused(step), True
        elif rising or not step.curvature < guess.L / 10 or least > guess.L / 10:
            break
        else:
            guess = guess.times(0.1)
    return guess.L


def give_up() -> Breakdown:
    return Breakdown(
        "no step is short enough for the smoothness condition: the losses do not seem to be smooth here "
        "(a loss such as |x| is best written as two losses, x and -x), or their Jacobian is wrong"
    )
