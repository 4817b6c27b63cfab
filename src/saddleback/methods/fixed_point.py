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
from .prox_step import ProxStep, dual_step, prox_step, step_to


@dataclass(frozen=True)
class FixedPointControl:
    """The numbers of the fixed-point iteration; a reference method, not tuned on benchmarks."""

    max_rounds: int = 200
    """The most solutions of (D) for one fixed point; a larger gap is then accepted and counted as a failure."""
    rounding_units: float = 64.0
    """The smallest gap that is asked of a fixed point, in units in the last place of the losses."""
    inner_share: float = 0.1
    """(D) is solved to this share of the gap that is asked of the fixed point."""
    backtracking: float = 0.5
    """The step from the present lam to the new one is multiplied by this until the gap is smaller."""
    smallest_step: float = 1e-3
    """The line search fails below this step."""


CONTROL = FixedPointControl()


@dataclass(frozen=True)
class FixedPoint(Accelerated):
    """Algorithm 1 with lam* such that lam* is a best response to f(ag+(lam*)) (paper, Theorem "fixed-point").

    Algorithm 1 linearizes the losses at md; this method uses the losses at ag+ itself. It repeats (D) with
    c = f(ag+) + Q lam until h(f(ag+)) - <lam, f(ag+)> + R(lam) <= accuracy min(1, max|f|). Each round evaluates the
    losses once more; the method is a reference for the paper's idealized version. ``Result.history.inner_gap`` holds
    that gap.
    """

    name: ClassVar[str] = "fixed-point"
    solves_fixed_point: ClassVar[bool] = True

    steps: str = "paper"
    accuracy: float = 1e-10

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inner_accuracy is not None:
            raise ProblemError("fixed-point takes accuracy, the gap of the fixed point; inner_accuracy is not for it.")
        object.__setattr__(self, "accuracy", number(self.accuracy, "accuracy", minimum=0.0))

    @property
    def kappa(self) -> float:
        # ``accuracy`` is not relative to the steps.
        return 0.0

    def _dual_step(self, oracle: Oracle, at: Evaluation, eta: float, state: AcceleratedState) -> ProxStep:
        goal = max(self.accuracy * min(1.0, at.magnitude), CONTROL.rounding_units * oracle.precision * at.magnitude)
        step = prox_step(oracle, at, eta, CONTROL.inner_share * goal, state.lam)
        gap, n_iter = _gap(oracle, step), step.solution.n_iter
        for _ in range(CONTROL.max_rounds):
            if gap <= goal or not np.isfinite(step.point.value):
                break
            # step.slope = G' lam, so that this c is f(ag+) + Q lam.
            c = step.point.f + eta * at.change(step.slope)
            solution = dual_step(oracle, at, eta, c, CONTROL.inner_share * goal, step.lam)
            n_iter += solution.n_iter
            better = _line_search(oracle, step, eta, solution.lam, gap)
            if better is None:
                break
            step, gap = better, _gap(oracle, better)
        solution = replace(step.solution, gap=gap, n_iter=n_iter, converged=gap <= goal)
        # The proof compares g(ag+) with the linearization at this lam, which does not solve the (D) at md.
        ell = at.f + at.change(step.direction)
        linearized = float(step.lam @ ell) - oracle.adversary.regularizer.value(step.lam)
        return replace(step, solution=solution, model_value=linearized + gap)


def _gap(oracle: Oracle, step: ProxStep) -> float:
    """h(f(ag+)) - <lam, f(ag+)> + R(lam)."""
    if not np.isfinite(step.point.value):
        return np.inf
    return oracle.adversary.gap(step.lam, step.point.f)


def _line_search(oracle: Oracle, step: ProxStep, eta: float, lam: Vector, gap: float) -> ProxStep | None:
    """A lam on the segment from the present one to ``lam`` with a smaller gap, by backtracking; None where none is."""
    t = 1.0
    while t > CONTROL.smallest_step:
        mixed = replace(step.solution, lam=(1.0 - t) * step.lam + t * lam)
        trial = step_to(oracle, step.base, eta, mixed)
        if _gap(oracle, trial) < gap:
            return trial
        t *= CONTROL.backtracking
    return None
