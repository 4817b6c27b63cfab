"""Trial steps of the composite model: computing, correcting, accepting or rejecting a step."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from .._types import Vector
from ..engine.evaluation import Evaluation
from ..engine.oracle import Oracle
from ..linalg.hessian_models import CholeskySystem, cholesky_system
from ..subproblem import DualSolution
from .composite_model import CompositeModel, ModelMinimum, minimize_model, solve_at
from .model_dual import maximize_dual
from .prox_step import CONTROL as PROX
from .prox_step import ProxStep
from .trial import CONTROL, Trial


@dataclass(frozen=True, eq=False)
class CompositeStep(ProxStep):
    """A step to a minimum of m. With B = sum_j lam_j H_j, ``model_value`` is h(f + G p + 1/2 [p'H_j p]_j) - 1/2 p'Bp,
    so that ``error`` - 1/2 p'Bp is that of the second-order model."""

    half_square: float = 0.0
    """1/2 p'Pp, P = B + sigma I."""
    minimizes: bool = True
    """Whether the model was minimized, with the Hessians at w of all losses that have a weight."""

    @property
    def proximity(self) -> float:
        return self.half_square

    @property
    def complete(self) -> bool:
        return self.minimizes


def try_composite_step(
    oracle: Oracle,
    at: Evaluation,
    model: CompositeModel,
    system: CholeskySystem,
    sigma: float,
    tol: float,
    start: Vector,
) -> Trial | None:
    """The step to the minimum of m, corrected where it would be rejected; None where its length is zero."""
    noise = PROX.rounding_units * oracle.precision * (abs(at.value) + at.magnitude)
    with model.blas_threads:
        minimum = minimize_model(oracle, at, model, system, sigma, tol, start, noise)
        if not minimum.complete:
            minimum = maximize_dual(oracle, at, model, sigma, tol, noise, minimum)
    p = minimum.point.p
    if not float(p.dot(p)) > 0:
        return None
    step = _step(oracle, model, minimum, minimum.solution, p, sigma)
    trial = Trial(step, at.value - minimum.point.value, sigma)
    if trial.accepted or not isfinite(step.point.value):
        return trial
    return _corrected(oracle, model, minimum, trial)


def _step(
    oracle: Oracle, model: CompositeModel, minimum: ModelMinimum, solution: DualSolution, p: Vector, sigma: float
) -> CompositeStep:
    point = minimum.point
    at, lam = point.at, solution.lam
    second_order = float(lam.dot(point.second_order))
    shift = 0.5 * sigma * float(point.p.dot(point.p))
    return CompositeStep(
        at,
        solution,
        lam.dot(at.G),
        p,
        oracle.trial(at.w + p),
        point.value - shift - second_order,
        oracle.precision,
        half_square=second_order + shift,
        minimizes=minimum.complete and model.hessians.cover(lam),
    )


def _corrected(oracle: Oracle, model: CompositeModel, minimum: ModelMinimum, trial: Trial) -> Trial:
    """The second-order correction: one more (D) at w + p, with the losses evaluated there instead of their model."""
    first, point = trial.step, minimum.point
    system = cholesky_system(model.hessians.weighted(first.lam), point.G, trial.sigma)
    if system is None:
        return trial
    f = first.point.f
    solution, q = solve_at(oracle, system, f, trial.sigma * point.p, first.solution.gap, first.lam)
    distance, limit = float(np.linalg.norm(q)), CONTROL.correction_distance * float(np.linalg.norm(point.p))
    if not 0.0 < distance <= limit:
        return trial
    there = f + point.G.dot(q) + 0.5 * model.hessians.times(q).dot(q)
    if oracle.adversary.value(there) > first.base.value - CONTROL.accepted_ratio * trial.predicted:
        return trial
    step = _step(oracle, model, minimum, solution, point.p + q, trial.sigma)
    corrected = Trial(step, trial.predicted, trial.sigma, n_points=2)
    return corrected if corrected.accepted else Trial(first, trial.predicted, trial.sigma, n_points=2)
