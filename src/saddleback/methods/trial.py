"""Trial steps in a metric: how they are made, corrected and judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from .._types import Vector
from ..engine.evaluation import Evaluation
from ..engine.oracle import Oracle
from ..linalg.hessian_models import System
from ..subproblem import DualSolution
from .prox_step import ProxStep

# A step is taken when it brings this share of the promised decrease.
ACCEPTED = 1e-4
# Below the first the model is trusted less, above the second more.
POOR, GOOD = 0.25, 0.9
# A correction is worth an evaluation when it stays near the step that it corrects, and promises to be accepted.
NEARBY = 0.5
# sigma grows by at most this factor after one refusal.
FARTHEST = 1e3
TINY = float(np.finfo(np.float64).tiny)
# (D) is good enough when its gap is at most this share of the promised decrease.
ACCURATE = 1e-2


@dataclass(frozen=True, eq=False)
class Trial:
    """A step p in the metric P = B + sigma I, and the decrease that was promised for it."""

    step: ProxStep
    promised: float
    """pred = g(w) - [h(f + G p) + 1/2 p'Pp], >= 0 up to the gap of (D); a correction keeps that of the first step."""
    sigma: float
    ratio: float = field(init=False)
    """rho, decrease over promise, both raised by what rounding hides (Conn, Gould and Toint 2000, 17.4.2)."""
    curvature: float = field(init=False)
    """p'Bp / p'p."""

    def __post_init__(self) -> None:
        step = self.step
        noise = step.noise
        # Losses that are zero have no rounding errors.
        ratio = (step.base.value - step.point.value + noise) / max(max(0.0, self.promised) + noise, TINY)
        curvature = max(0.0, 2 * step.proximity / step.length_squared - self.sigma)
        self.__dict__.update(ratio=ratio, curvature=curvature)

    @property
    def accepted(self) -> bool:
        # A value of nan compares as false, one of inf makes a ratio of -inf.
        return self.ratio > ACCEPTED

    @property
    def empty(self) -> bool:
        """Whether the promise is no more than the rounding errors of (D)."""
        return self.promised <= 2 * self.step.solution.rounding_floor

    @property
    def gain(self) -> float:
        """What the model would promise without the shift sigma, to first order."""
        if self.sigma == 0:
            return self.promised
        return self.promised * (1 + self.sigma / self.curvature) if self.curvature > 0 else np.inf

    @property
    def unheld(self) -> Vector | None:
        """The step as it would be without the shift sigma, to first order; None where the shift made the step."""
        if self.sigma > self.curvature:
            return None
        return self.step.direction * (1.0 if self.sigma == 0 else 1.0 + self.sigma / self.curvature)

    def raised(self) -> float:
        """sigma after a refusal: what the step has shown to be missing, within bounds."""
        scale = max(self.sigma, self.curvature)
        if not isfinite(self.step.point.value):
            return 10 * scale
        missing = 2 * self.step.error / self.step.length_squared - self.curvature
        # Tenfold at most, as the next step looks elsewhere; faster where sigma is orders of magnitude away. A step into
        # an exponential's overflow shows a missing curvature of 1e200, after which no step would have any length.
        most = max(10 * scale, min(missing / 100, FARTHEST * scale))
        return min(max(missing, 2 * self.sigma, 0.5 * self.curvature), most)

    def eased(self) -> float:
        """sigma after an acceptance: down where the model was good, up where it was poor."""
        if self.ratio < POOR:
            return max(4 * self.sigma, self.curvature)
        sigma = (0.1 if self.ratio > GOOD else 0.25) * self.sigma
        return sigma if sigma > 1e-6 * self.curvature else 0.0


def try_step(oracle: Oracle, at: Evaluation, system: System, sigma: float, tol: float, start: Vector) -> Trial | None:
    """The step of (D) with c = f(w), corrected where it would be refused; None where there is nowhere to go."""
    solution = oracle.dual_step(system.Q, at.f, tol, start, factor=system.factor)
    direction, model, promised = _promise(oracle, at, system, solution)
    if solution.converged and solution.gap > max(ACCURATE * max(0.0, promised), 2 * solution.rounding_floor):
        accuracy = 0.1 * ACCURATE * max(0.0, promised)
        solution = oracle.dual_step(system.Q, at.f, accuracy, solution.lam, factor=system.factor)
        direction, model, promised = _promise(oracle, at, system, solution)
    # Nowhere to go, or not far enough for its square to be a number.
    if not float(direction.dot(direction)) > 0:
        return None
    trial = Trial(_step(oracle, at, solution, direction, model), promised, sigma)
    if trial.accepted or not isfinite(trial.step.point.value):
        return trial
    return _corrected(oracle, system, trial)


def _promise(oracle: Oracle, at: Evaluation, system: System, solution: DualSolution) -> tuple[Vector, float, float]:
    """p, h(f + G p), and the decrease that the model promises."""
    direction = system.direction(solution.lam)
    change = at.G.dot(direction)
    model = oracle.adversary.value(at.f + change)
    return direction, model, at.value - model + 0.5 * float(solution.lam.dot(change))


def _step(oracle: Oracle, at: Evaluation, solution: DualSolution, direction: Vector, model: float) -> ProxStep:
    point = oracle.trial(at.w + direction)
    return ProxStep(at, solution, solution.lam.dot(at.G), direction, point, model, oracle.precision)


def _corrected(oracle: Oracle, system: System, trial: Trial) -> Trial:
    """The second-order correction: (D) with the losses as they came out at w + p.

    Near a kink of g good steps are refused because the losses bend (Maratos 1978; Fletcher 1982).
    """
    first = trial.step
    at = first.base
    c = first.point.f - at.G @ first.direction
    solution = oracle.dual_step(system.Q, c, first.solution.gap, first.lam, factor=system.factor)
    direction = system.direction(solution.lam)
    near = np.linalg.norm(direction - first.direction) <= NEARBY * np.linalg.norm(first.direction)
    if (
        not (near and float(direction.dot(direction)) > 0)
        or oracle.adversary.value(c + at.G @ direction) > at.value - ACCEPTED * trial.promised
    ):
        return trial
    corrected = Trial(_step(oracle, at, solution, direction, first.model), trial.promised, trial.sigma)
    return corrected if corrected.accepted else trial
