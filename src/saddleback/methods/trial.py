"""Trial steps of the second-order methods: computing, correcting, accepting or rejecting a step."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from .._types import Vector
from ..capabilities import offers
from ..engine.evaluation import Evaluation
from ..engine.oracle import Oracle
from ..linalg.hessian_models import HasPrimalDirection, ShiftedSystem
from ..subproblem import DualSolution
from .prox_step import ProxStep

TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class TrialControl:
    """The tuned numbers of the trust-region control, in the terms of Conn, Gould and Toint (2000), chapter 6.

    With a third or three times any of them, the number of evaluations on the published minimax problems and on logistic
    and squared tables of 12 and 200 columns changes by at most 4 %.
    """

    accepted_ratio: float = 1e-4
    """Accept a step with at least this ratio rho of actual to predicted decrease (eta_1 there)."""
    poor_ratio: float = 0.25
    """Raise sigma after an accepted step with a smaller rho."""
    good_ratio: float = 0.9
    """Lower sigma by more after an accepted step with a larger rho (eta_2 there)."""
    good_factor: float = 0.1
    """sigma is multiplied by this after a good step."""
    fair_factor: float = 0.25
    """sigma is multiplied by this after a step that is neither good nor poor."""
    poor_factor: float = 4.0
    """sigma is multiplied by this after an accepted but poor step."""
    negligible_shift: float = 1e-6
    """Set sigma to 0 below this share of p'Bp/p'p, where it no longer changes the step."""
    least_growth: float = 2.0
    """A rejection multiplies sigma by at least this."""
    least_share: float = 0.5
    """A rejection raises sigma to at least this share of p'Bp/p'p, which matters where sigma was 0."""
    usual_growth: float = 10.0
    """A rejection multiplies sigma by at most this in most cases: the next step ends elsewhere and may need less."""
    distant_ratio: float = 100.0
    """Where the step needed a shift more than this many times larger than ``usual_growth`` allows, sigma is raised to
    1/distant_ratio of the needed shift."""
    fastest_growth: float = 1e3
    """The limit of that growth. For a step to where an exponential overflows, the needed shift would be 1e200, and the
    length of the next step zero."""
    correction_distance: float = 0.5
    """Try a second-order correction only within this share of |p| from the step p that it corrects."""
    inner_accuracy: float = 1e-2
    """(D) is accurate enough where its gap is at most this share of the predicted decrease."""
    retry_margin: float = 0.1
    """Where it is not, solve (D) again to this share of the needed gap, as a better lam predicts a smaller decrease."""
    small_prediction: float = 1e-6
    """Of a rejected step that predicts a decrease below this share of the losses, rounding errors of w are counted as
    well. They take a product with |G|, and matter far from w = 0, where decreases end long before G' lam is small."""
    rounding_floors: float = 2.0
    """A predicted decrease of at most this many rounding floors of (D) is not significant."""


CONTROL = TrialControl()


@dataclass(frozen=True, eq=False)
class Trial:
    """A step p with P = B + sigma I, and the decrease that the model predicts for it."""

    step: ProxStep
    predicted: float
    """pred = g(w) - [h(f + G p) + 1/2 p'Pp], >= 0 up to the gap of (D); a correction keeps that of the first step."""
    sigma: float
    n_points: int = 1
    """How many points were evaluated for it: 2 where a correction was tried."""
    ratio: float = field(init=False)
    """rho, actual over predicted decrease, both raised by the rounding error (Conn, Gould and Toint 2000, 17.4.2)."""
    rayleigh_quotient: float = field(init=False)
    """p'Bp / p'p."""
    accepted: bool = field(init=False)

    def __post_init__(self) -> None:
        step = self.step
        noise = step.noise
        # Losses that are all zero have no rounding error: TINY avoids a division by zero.
        ratio = (step.base.value - step.point.value + noise) / max(max(0.0, self.predicted) + noise, TINY)
        if ratio <= CONTROL.accepted_ratio and self.predicted <= CONTROL.small_prediction * step.base.magnitude:
            noise += step.rounding_of_point
            ratio = (step.base.value - step.point.value + noise) / max(max(0.0, self.predicted) + noise, TINY)
        quotient = max(0.0, 2 * step.proximity / step.length_squared - self.sigma)
        # Values of nan and inf are rejected: nan compares as false, and inf gives a ratio of -inf.
        self.__dict__.update(ratio=ratio, rayleigh_quotient=quotient, accepted=ratio > CONTROL.accepted_ratio)

    @property
    def negligible(self) -> bool:
        """Whether the predicted decrease is no more than the rounding errors of (D)."""
        return self.predicted <= CONTROL.rounding_floors * self.step.solution.rounding_floor

    @property
    def predicted_without_shift(self) -> float:
        """The predicted decrease with sigma = 0, to first order."""
        if self.sigma == 0:
            return self.predicted
        if self.rayleigh_quotient > 0:
            return self.predicted * (1 + self.sigma / self.rayleigh_quotient)
        return np.inf

    @property
    def unshifted_step(self) -> Vector | None:
        """The step with sigma = 0; None where sigma shortens it, unknown by how much along flat directions, or where it
        does not minimize its model."""
        return self.step.direction if self.sigma == 0 and self.step.complete else None

    def sigma_after_rejection(self) -> float:
        """The shift with which the model is an upper bound of g at the rejected point, within limits."""
        quotient = self.rayleigh_quotient
        largest = max(self.sigma, quotient)
        if not isfinite(self.step.point.value):
            return CONTROL.usual_growth * largest
        needed = 2 * self.step.error / self.step.length_squared - quotient
        most = max(
            CONTROL.usual_growth * largest, min(needed / CONTROL.distant_ratio, CONTROL.fastest_growth * largest)
        )
        return min(max(needed, CONTROL.least_growth * self.sigma, CONTROL.least_share * quotient), most)

    def sigma_after_acceptance(self) -> float:
        """A smaller shift where the model was good, a larger one where it was poor."""
        if self.ratio < CONTROL.poor_ratio:
            return max(CONTROL.poor_factor * self.sigma, self.rayleigh_quotient)
        sigma = (CONTROL.good_factor if self.ratio > CONTROL.good_ratio else CONTROL.fair_factor) * self.sigma
        return sigma if sigma > CONTROL.negligible_shift * self.rayleigh_quotient else 0.0


def try_step(
    oracle: Oracle, at: Evaluation, system: ShiftedSystem, sigma: float, tol: float, start: Vector
) -> Trial | None:
    """The step of (D) with c = f(w), corrected where it would be rejected; None where its length is zero."""
    solution = oracle.dual_step(system.Q, at.f, tol, start, factor=system.factor)
    direction, model_value, predicted = _prediction(oracle, at, system, solution)
    if solution.converged and solution.least_gap > max(
        CONTROL.inner_accuracy * max(0.0, predicted), CONTROL.rounding_floors * solution.rounding_floor
    ):
        accuracy = CONTROL.retry_margin * CONTROL.inner_accuracy * max(0.0, predicted)
        solution = oracle.dual_step(system.Q, at.f, accuracy, solution.lam, factor=system.factor)
        direction, model_value, predicted = _prediction(oracle, at, system, solution)
    # Also for a step so short that |p|^2 underflows.
    if not float(direction.dot(direction)) > 0:
        return None
    trial = Trial(_step(oracle, at, solution, direction, model_value), predicted, sigma)
    if trial.accepted or not isfinite(trial.step.point.value):
        return trial
    return _corrected(oracle, system, trial)


def _prediction(
    oracle: Oracle, at: Evaluation, system: ShiftedSystem, solution: DualSolution
) -> tuple[Vector, float, float]:
    """p, h(f + G p), and the decrease that the model predicts."""
    direction = _direction(system, solution)
    change = at.change(direction)
    model_value = oracle.adversary.value(at.f + change)
    return direction, model_value, at.value - model_value + 0.5 * float(solution.lam.dot(change))


def _direction(system: ShiftedSystem, solution: DualSolution) -> Vector:
    """p of the primal point where that is more accurate, else of lam."""
    primal = solution.primal
    if primal is not None and primal.gap < solution.gap and offers(system, HasPrimalDirection):
        return system.direction_of(primal.u)
    return system.direction(solution.lam)


def _step(oracle: Oracle, at: Evaluation, solution: DualSolution, direction: Vector, model_value: float) -> ProxStep:
    point = oracle.trial(at.w + direction)
    return ProxStep(at, solution, at.slope(solution.lam), direction, point, model_value, oracle.precision)


def _corrected(oracle: Oracle, system: ShiftedSystem, trial: Trial) -> Trial:
    """The second-order correction: (D) with the losses evaluated at w + p instead of their linearization.

    Near a kink of g, good steps would be rejected because the losses are not linear (Maratos 1978; Fletcher 1982).
    """
    first = trial.step
    at = first.base
    c = first.point.f - at.change(first.direction)
    solution = oracle.dual_step(system.Q, c, first.solution.least_gap, first.lam, factor=system.factor)
    direction = _direction(system, solution)
    distance, limit = np.linalg.norm(direction - first.direction), np.linalg.norm(first.direction)
    near = distance <= CONTROL.correction_distance * limit
    if (
        not (near and float(direction.dot(direction)) > 0)
        or oracle.adversary.value(c + at.change(direction)) > at.value - CONTROL.accepted_ratio * trial.predicted
    ):
        return trial
    step = _step(oracle, at, solution, direction, first.model_value)
    corrected = Trial(step, trial.predicted, trial.sigma, n_points=2)
    return corrected if corrected.accepted else Trial(first, trial.predicted, trial.sigma, n_points=2)
