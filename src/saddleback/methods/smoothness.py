"""The smoothness constant L of a step: given, offered by the losses, or found by backtracking."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._validation import number
from ..engine.evaluation import Breakdown, Evaluation
from ..engine.method import Method, S
from ..engine.oracle import Oracle
from .prox_step import CONTROL as PROX
from .prox_step import ProxStep, prox_step


@dataclass(frozen=True)
class SmoothnessControl:
    """The tuned numbers of backtracking (Beck and Teboulle 2009).

    With a third or three times any of them, the number of evaluations of the accelerated method on tables changes by at
    most 11 %.
    """

    max_trials: int = 60
    """Trials at one iteration before the losses are reported as not smooth: L has then grown by 2^60 at least."""
    longest_step: float = 1e5
    """Steps are at most this many times longer than one that would take the losses to zero. On piecewise-linear losses
    L would otherwise shrink until Q exceeds c in (D) by so much that rounding errors determine lam."""
    increase_margin: float = 1.1
    """After a rejection L becomes this many times the L that the step needed, within the next two limits."""
    least_increase: float = 2.0
    """A rejection multiplies L by at least this."""
    most_increase: float = 100.0
    """A rejection multiplies L by at most this, because a shorter step may need less."""
    undefined_increase: float = 10.0
    """The factor where g is not finite at the end of the step, so that the needed L is unknown."""
    decrease_margin: float = 1.5
    """After an accepted step L becomes this many times the L that the step needed, but never increases."""
    least_decrease: float = 0.8
    """An accepted step multiplies L by at least this, so that few of the next steps are rejected."""
    calibration_divisor: float = 10.0
    """The first L is divided by this until a step needs more than the result."""


CONTROL = SmoothnessControl()


@dataclass(frozen=True, kw_only=True)
class SmoothMethod(Method[S]):
    """A method that uses L: ``smoothness`` where given; else each method finds it in its own way."""

    smoothness: float | None = None

    def __post_init__(self) -> None:
        if self.smoothness is not None:
            object.__setattr__(self, "smoothness", number(self.smoothness, "smoothness", minimum=0.0, strict=True))


def known_smoothness(oracle: Oracle, given: float | None) -> float | None:
    """L as given or offered by the losses; None where it must be found, also for L = 0, which does not bound a step."""
    L = oracle.smoothness if given is None else given
    return L or None


@dataclass(frozen=True)
class Smoothness:
    """The L of the next step: fixed where it was given, else found by backtracking up to the losses' own bound."""

    L: float
    cap: float = np.inf
    """The L that the losses offer, which every step admits."""
    fixed: bool = False

    def admits(self, step: ProxStep) -> bool:
        return self.fixed or self.cap <= self.L or step.admits(self.L)

    def after_rejection(self, step: ProxStep) -> Smoothness:
        """The L that the step needed, within bounds."""
        if not np.isfinite(step.point.value):
            return self.times(CONTROL.undefined_increase)
        needed = CONTROL.increase_margin * step.needed_smoothness / self.L
        return self.times(float(np.clip(needed, CONTROL.least_increase, CONTROL.most_increase)))

    def after_acceptance(self, step: ProxStep) -> Smoothness:
        """A slightly smaller L where the step needed less."""
        if self.fixed:
            return self
        longest = initial_smoothness(step.base) / CONTROL.longest_step
        least = min(self.L, max(CONTROL.least_decrease * self.L, longest))
        return replace(self, L=float(np.clip(CONTROL.decrease_margin * step.needed_smoothness, least, self.L)))

    def times(self, factor: float) -> Smoothness:
        return replace(self, L=min(self.cap, factor * self.L))


def find_smoothness(oracle: Oracle, at: Evaluation, given: float | None) -> Smoothness:
    """L as given, or calibrated at w0 and at most the losses' own bound."""
    if given is not None:
        return Smoothness(given, fixed=True)
    cap = known_smoothness(oracle, None) or np.inf
    return Smoothness(min(cap, calibrate(oracle, at)), cap)


def initial_smoothness(at: Evaluation) -> float:
    """|grad|^2 / |f|: the L of a quadratic whose minimum, at the end of one gradient step, is about zero."""
    largest = float(at.steepness.max())
    L = largest**2 / at.magnitude if at.magnitude > 0 else largest / max(1.0, float(np.linalg.norm(at.w)))
    return L if L > 0 and np.isfinite(L) else 1.0


def calibrate(oracle: Oracle, at: Evaluation) -> float:
    """An L near w0 that its own proximal step admits and that is within about ten times of the least such L."""
    guess, tol = Smoothness(initial_smoothness(at)), PROX.first_accuracy * at.magnitude
    least, rejected = guess.L / CONTROL.longest_step, False
    for _ in range(CONTROL.max_trials):
        step = prox_step(oracle, at, 1.0 / guess.L, tol)
        smaller = guess.L / CONTROL.calibration_divisor
        if not guess.admits(step):
            guess, rejected = guess.after_rejection(step), True
        elif rejected or not step.needed_smoothness < smaller or least > smaller:
            break
        else:
            guess = guess.times(1.0 / CONTROL.calibration_divisor)
    return guess.L


def not_smooth() -> Breakdown:
    """The error after ``max_trials`` rejections."""
    return Breakdown(
        "no step is short enough for the smoothness condition: the losses do not seem to be smooth here "
        "(a loss such as |x| is best written as two losses, x and -x), or their Jacobian is wrong"
    )
