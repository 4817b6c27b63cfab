"""The accelerated method with the paper's fixed-point oracle (its section 2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from .._types import Vector
from .._validation import number
from ..engine.evaluation import Evaluation
from ..engine.oracle import Oracle
from ..errors import ProblemError
from .accelerated import Accelerated, AcceleratedState
from .prox_step import ProxStep, arrive, dual_step, prox_step

MAX_ROUNDS = 200


@dataclass(frozen=True)
class FixedPoint(Accelerated):
    """Algorithm 1 with lam* such that lam* is a best response to f(ag+(lam*)) (paper, Theorem "fixed-point").

    Where (D) linearizes the losses at md, this takes them at ag+ itself: repeat (D) with c = f(ag+) + Q lam until
    h(f(ag+)) - <lam, f(ag+)> + R(lam) <= accuracy min(1, max|f|). Each round costs the losses once more; the idealized
    method is a reference, not a contender. ``Result.history.inner_gap`` holds that true gap.
    """

    name: ClassVar[str] = "fixed-point"

    steps: str = "paper"
    accuracy: float = 1e-10

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inner_accuracy is not None:
            raise ProblemError("fixed-point takes accuracy, the gap of the fixed point; inner_accuracy is not for it.")
        object.__setattr__(self, "accuracy", number(self.accuracy, "accuracy", minimum=0.0))

    def _dual_step(self, oracle: Oracle, at: Evaluation, eta: float, state: AcceleratedState) -> ProxStep:
        size = at.magnitude
        goal = max(self.accuracy * min(1.0, size), 64 * oracle.precision * size)
        step = prox_step(oracle, at, eta, 0.1 * goal, state.lam)
        gap, n_iter = _true_gap(oracle, step), step.solution.n_iter
        for _ in range(MAX_ROUNDS):
            if gap <= goal or not np.isfinite(step.point.value):
                break
            # step.slope = G' lam, so that c = f(ag+) + Q lam.
            c = step.point.f + eta * at.G @ step.slope
            solution = dual_step(oracle, at, eta, c, 0.1 * goal, step.lam)
            n_iter += solution.n_iter
            better = _toward(oracle, step, eta, solution.lam, gap)
            if better is None:
                break
            step, gap = better, _true_gap(oracle, better)
        oracle.n_inner_failures += not gap <= goal
        solution = replace(step.solution, gap=gap, n_iter=n_iter, converged=gap <= goal)
        # The proof compares g(ag+) with the linearization at this lam, which is no longer the solution of (D).
        ell = at.f + at.G @ step.direction
        linearized = float(step.lam @ ell) - oracle.adversary.regularizer.value(step.lam)
        return replace(step, solution=solution, model=linearized + gap)


def _true_gap(oracle: Oracle, step: ProxStep) -> float:
    if not np.isfinite(step.point.value):
        return np.inf
    return oracle.adversary.gap(step.lam, step.point.f)


def _toward(oracle: Oracle, step: ProxStep, eta: float, lam: Vector, gap: float) -> ProxStep | None:
    """The step with a smaller true gap between the present lam and the new one; None when there is none."""
    weight = 1.0
    while weight > 1e-3:
        mixed = replace(step.solution, lam=(1.0 - weight) * step.lam + weight * lam)
        trial = arrive(oracle, step.base, eta, mixed)
        if _true_gap(oracle, trial) < gap:
            return trial
        weight /= 2.0
    return None
