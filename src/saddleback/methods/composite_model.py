"""The second-order model of every loss, and its minimization by (D) without evaluating the losses."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dtrtrs

from .._types import Matrix, Vector
from ..engine.evaluation import Evaluation
from ..engine.oracle import Oracle
from ..linalg.blas_threads import one_blas_thread
from ..linalg.hessian_models import SMALLEST_SHIFT_RATIO, CholeskySystem, cholesky_system
from ..subproblem import DualSolution
from .loss_hessians import LossHessians
from .trial import CONTROL as TRIAL


@dataclass(frozen=True)
class CompositeControl:
    """The tuned numbers of the minimization of the model."""

    most_solves: int = 3
    """Solves of (D) for one step. More save no evaluations on the tables of docs/benchmarks.md."""
    accuracy: float = 0.02
    """The minimization ends where the model can fall by at most this share of what it has fallen."""
    halvings: int = 20
    """Halvings of a step on the model before it is given up."""
    entries_alone: int = 9000
    """Above this many entries of all Hessians OpenBLAS would take several threads for their product with a vector,
    which read memory no faster and wait for each other."""


CONTROL = CompositeControl()


@dataclass(frozen=True, eq=False)
class CompositeModel:
    """m(p) = h(f + G p + 1/2 [p'H_j p]_j) + sigma/2 |p|^2, with every loss's own Hessian H_j.

    Newton's model replaces [p'H_j p]_j by the one number p'Bp, B = sum_j lam_j H_j, with the last lam. Here lam may
    change within the step (docs/mathematics.md, 6, "The composite model").
    """

    hessians: LossHessians
    weights: Vector
    """The weights of the Hessians in the first (D)."""

    @property
    def smallest_shift(self) -> float:
        return SMALLEST_SHIFT_RATIO * float(self.hessians.weighted(self.weights).diagonal().max())

    @property
    def blas_threads(self) -> AbstractContextManager[None]:
        """For the minimization of the model."""
        return one_blas_thread() if self.hessians.rows.size > CONTROL.entries_alone else nullcontext()

    def system(self, G: Matrix, sigma: float) -> CholeskySystem | None:
        return cholesky_system(self.hessians.weighted(self.weights), G, sigma)


@dataclass(frozen=True, eq=False)
class ModelPoint:
    """The model at w + p."""

    at: Evaluation
    p: Vector
    f: Vector
    """f + G p + 1/2 [p'H_j p]_j."""
    Hp: Matrix
    """H_j p, one per row."""
    value: float
    """m(p)."""

    @property
    def second_order(self) -> Vector:
        """1/2 [p'H_j p]_j."""
        return 0.5 * self.Hp.dot(self.p)

    @property
    def G(self) -> Matrix:
        """The derivatives of f."""
        return self.at.G + self.Hp


@dataclass(frozen=True, eq=False)
class ModelMinimum:
    """Where the minimization ended, and the last solution of (D)."""

    point: ModelPoint
    solution: DualSolution
    complete: bool
    """Whether the model was minimized to the accuracy of `CompositeControl`."""


def minimize_model(
    oracle: Oracle,
    at: Evaluation,
    model: CompositeModel,
    system: CholeskySystem,
    sigma: float,
    tol: float,
    start: Vector,
    noise: float,
) -> ModelMinimum:
    """Minimize m by steps of (D) with the Hessian of <lam, f> for the lam of the last one, each with a line search.

    The gap of m at lam is g's duality gap in the model: the minimum over p of <lam, f + G p + 1/2 [p'H_j p]_j> +
    sigma/2 |p|^2 - R(lam) is a quadratic's, and never above min m.
    """
    H, adversary = model.hessians, oracle.adversary
    here = ModelPoint(at, np.zeros(at.w.size), at.f, np.zeros(at.G.shape), at.value)
    G, shift = at.G, None
    for _ in range(CONTROL.most_solves):
        solution, step = solve_at(oracle, system, here.f, shift, tol, start)
        there = _on_line(oracle, model, here, G, step, sigma, noise)
        gain = here.value - there.value
        if solution.converged and solution.gap > max(
            TRIAL.inner_accuracy * max(0.0, gain), TRIAL.rounding_floors * solution.rounding_floor
        ):
            accuracy = TRIAL.retry_margin * TRIAL.inner_accuracy * max(0.0, gain)
            solution, step = solve_at(oracle, system, here.f, shift, accuracy, solution.lam)
            there = _on_line(oracle, model, here, G, step, sigma, noise)
        start = solution.lam
        if there is here:
            return ModelMinimum(here, solution, complete=False)
        here, G = there, there.G
        next_system = cholesky_system(H.weighted(start), G, sigma)
        if next_system is None:
            return ModelMinimum(here, solution, complete=False)
        system = next_system
        slope, value = start.dot(system.factor), here.value
        if sigma > 0:
            shift = sigma * here.p
            slope = slope + _solved(system, shift)
            value -= 0.5 * float(shift.dot(here.p))
        bound = float(start.dot(here.f)) - adversary.regularizer.value(start) - 0.5 * float(slope.dot(slope))
        left = value - bound
        if left <= CONTROL.accuracy * (at.value - here.value) + noise:
            return ModelMinimum(here, solution, complete=True)
    return ModelMinimum(here, solution, complete=False)


def solve_at(
    oracle: Oracle, system: CholeskySystem, f: Vector, shift: Vector | None, tol: float, start: Vector
) -> tuple[DualSolution, Vector]:
    """(D) for min over q of h(f + G q) + <shift, q> + 1/2 q'Pq, and q = -P^-1 (G' lam + shift); None stands for 0."""
    if shift is None:
        solution = oracle.dual_step(None, f, tol, start, factor=system.factor)
        return solution, system.direction(solution.lam)
    e = _solved(system, shift)
    solution = oracle.dual_step(None, f - system.factor.dot(e), tol, start, factor=system.factor)
    q: Vector = dtrtrs(system.L, solution.lam.dot(system.factor) + e, lower=1, trans=1)[0]
    return solution, -q


def _solved(system: CholeskySystem, x: Vector) -> Vector:
    """L^-1 x."""
    solved: Vector = dtrtrs(system.L, x, lower=1)[0]
    return solved


def _on_line(
    oracle: Oracle, model: CompositeModel, here: ModelPoint, G: Matrix, q: Vector, sigma: float, noise: float
) -> ModelPoint:
    """The first point here + t q, t = 1, 1/2, ..., where the model is lower; ``here`` where there is none."""
    Hq = model.hessians.times(q)
    linear, quadratic = G.dot(q), 0.5 * Hq.dot(q)
    t = 1.0
    for _ in range(CONTROL.halvings):
        p, f = here.p + t * q, here.f + t * (linear + t * quadratic)
        value = oracle.adversary.value(f) + 0.5 * sigma * float(p.dot(p))
        if value <= here.value + (noise if t == 1.0 else 0.0):
            return ModelPoint(here.at, p, f, here.Hp + t * Hq, value)
        t *= 0.5
    return here
