"""The dual of the second-order model: its maximization where steps in p do not minimize the model."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.linalg.blas import dtrsm

from .._types import Vector
from ..engine.evaluation import Evaluation
from ..engine.oracle import Oracle
from ..linalg.hessian_models import CholeskySystem, cholesky_system
from .composite_model import CONTROL as COMPOSITE
from .composite_model import CompositeModel, ModelMinimum, ModelPoint, solve_at


@dataclass(frozen=True)
class ModelDualControl:
    """The numbers of `maximize_dual`."""

    most_rounds: int = 20
    """Newton steps on the dual. One to seven were needed on tables whose worst group has two rows."""
    sufficient_increase: float = 1e-4
    """Armijo's constant (Nocedal and Wright, section 3.1)."""
    halvings: int = 30
    """Halvings of a step in lam. On the same tables none was needed."""
    inner_accuracy: float = 0.1
    """(D) is solved to this share of what is left to gain."""


CONTROL = ModelDualControl()


@dataclass(frozen=True, eq=False)
class DualPoint:
    """D(lam) = min over p of <lam, f + G p + 1/2 [p'H_j p]_j> + sigma/2 |p|^2 - R(lam)."""

    lam: Vector
    value: float
    primal: ModelPoint
    """The model at the p that attains it."""
    system: CholeskySystem
    """P = sum_j lam_j H_j + sigma I, with the model's Jacobian at p."""


def maximize_dual(
    oracle: Oracle, at: Evaluation, model: CompositeModel, sigma: float, tol: float, noise: float, found: ModelMinimum
) -> ModelMinimum:
    """Newton's method on D, each step by (D) at the p of the last lam; the model's lowest point on the way.

    Steps in p need the weights of the solution in P: where losses without curvature of their own have nearly all the
    weight, the P of a lam that is a little off has the wrong curvature, the steps are far too long, and the line search
    of the model hardly moves. D is concave, P is exact at every lam, and D rises with every step
    (docs/mathematics.md, 6, "The composite model").
    """
    R = oracle.adversary.regularizer
    best, solution = found.point, found.solution
    here = _dual_point(oracle, at, model, sigma, model.weights)
    if here is None:
        return found
    for _ in range(CONTROL.most_rounds):
        best = min(best, here.primal, key=_value)
        accuracy = min(tol, CONTROL.inner_accuracy * max(best.value - here.value, 0.0))
        shift = sigma * here.primal.p if sigma > 0 else None
        solution, q = solve_at(oracle, here.system, here.primal.f, shift, accuracy, here.lam)
        best = min(best, _model_point(oracle, at, model, sigma, here.primal.p + q), key=_value)
        if best.value - here.value <= COMPOSITE.accuracy * (at.value - best.value) + noise:
            return ModelMinimum(best, solution, complete=True)
        step = solution.lam - here.lam
        slope = float(here.primal.f.dot(step)) - R.value(solution.lam) + R.value(here.lam)
        there, t = None, 1.0
        for _ in range(CONTROL.halvings):
            there = _dual_point(oracle, at, model, sigma, here.lam + t * step)
            if there is not None and there.value >= here.value + CONTROL.sufficient_increase * t * slope:
                break
            there, t = None, 0.5 * t
        if there is None:
            break
        here = there
    return ModelMinimum(best, solution, complete=False)


def _dual_point(oracle: Oracle, at: Evaluation, model: CompositeModel, sigma: float, lam: Vector) -> DualPoint | None:
    """None where P is not positive definite."""
    system = cholesky_system(model.hessians.weighted(lam), at.G, sigma)
    if system is None:
        return None
    primal = _model_point(oracle, at, model, sigma, system.direction(lam))
    value = float(lam.dot(primal.f)) - oracle.adversary.regularizer.value(lam)
    if sigma > 0:
        value += 0.5 * sigma * float(primal.p.dot(primal.p))
    # By rows F L' = G: the transpose of a C-ordered array is what BLAS reads without a copy.
    factor = dtrsm(1.0, system.L, primal.G.T, lower=1).T
    return DualPoint(lam, value, primal, CholeskySystem(system.L, factor))


def _model_point(oracle: Oracle, at: Evaluation, model: CompositeModel, sigma: float, p: Vector) -> ModelPoint:
    Hp = model.hessians.times(p)
    f = at.f + at.G.dot(p) + 0.5 * Hp.dot(p)
    return ModelPoint(at, p, f, Hp, oracle.adversary.value(f) + 0.5 * sigma * float(p.dot(p)))


def _value(point: ModelPoint) -> float:
    return point.value
