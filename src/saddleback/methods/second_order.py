"""Steps in a metric that knows curvature, with the control that keeps them honest."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from .._types import Vector
from ..engine.evaluation import Breakdown, Evaluation
from ..engine.method import Method, State
from ..engine.oracle import Oracle
from ..linalg.hessian_models import Metric
from .guard import Guard
from .prox_step import FIRST_ACCURACY, INNER_FLOOR
from .trial import Trial, try_step

# Trials of one step before the accelerated method takes one of its own.
MAX_TRIALS = 12
# (D) is solved to this share of the decrease that the last step promised, at first.
ACCURACY = 1e-4
# The first shift of a matrix that is not positive definite, where that matrix has no size of its own.
SMALLEST = 1e-8
# How far lam moves to the center of Lambda before it weighs Hessians.
FLOOR = 1e-3


@dataclass(frozen=True, eq=False, kw_only=True)
class SecondOrderState(State):
    """The shift sigma of the metric, and the accelerated method that stands guard."""

    sigma: float = 0.0
    guard: Guard = field(default_factory=Guard)


S2 = TypeVar("S2", bound=SecondOrderState)


@dataclass(frozen=True)
class SecondOrder(Method[S2]):
    """p = -P^-1 G' lam in the metric P = B + sigma I, with lam from (D): Q = G P^-1 G', c = f(w).

    The model of g at w + p is h(f + G p) + 1/2 p'Pp; g itself is the merit function, and sigma bounds the steps as
    a trust region does (Levenberg 1944). An iteration takes one evaluation of f and G and (D) once or twice, and as
    much again for each correction or refusal (docs/mathematics.md, 6). Accelerated steps stand guard over the rate
    O(L/T^2).
    """

    @abstractmethod
    def metric(self, oracle: Oracle, state: S2, at: Evaluation) -> Metric:
        """B at an evaluated point."""

    def learn(self, oracle: Oracle, state: S2, trial: Trial, there: Evaluation, slope: Vector) -> dict[str, Any]:
        """What the curvature along a step that was taken changes in the state; ``slope`` is G' lam where it arrived."""
        return {}

    def strides(self, oracle: Oracle, state: S2) -> bool:
        """Whether the metric of this step may know the curvature in every direction."""
        return True

    @property
    def rescales(self) -> bool:
        return True

    def failed(self) -> dict[str, Any]:
        """What changes in the state where no trial of a step was accepted."""
        return {}

    def step(self, oracle: Oracle, state: S2) -> S2:
        at = oracle.evaluate(state.point.w)
        if not at.finite:
            raise Breakdown("the Jacobian is not finite where the last step arrived")
        if state.guard.due:
            return self._guarded(oracle, state, at)
        before = oracle.n_trials
        metric = self.metric(oracle, state, at)
        sigma = state.sigma
        for _ in range(MAX_TRIALS):
            system = metric.system(at.G, sigma)
            if system is None:
                sigma = max(10 * sigma, metric.least_shift, SMALLEST * starting_curvature(at))
                continue
            trial = try_step(oracle, at, system, sigma, self._accuracy(oracle, state, at), state.lam)
            if trial is None:
                break
            if trial.accepted:
                point = trial.step.point
                there = point if isinstance(point, Evaluation) else oracle.evaluate(point.w)
                if there.finite:
                    guard = state.guard.charged(oracle.n_trials - before)
                    return self._advance(oracle, state, trial, there, guard)
            sigma = trial.raised()
            # Raised for null steps, too: a larger P makes Q smaller, and (D) more accurate.
            if trial.empty:
                return self._stay(oracle, state, trial, sigma, state.guard.charged(oracle.n_trials - before))
        return self._guarded(oracle, replace(state, sigma=sigma, **self.failed()), at)

    def _accuracy(self, oracle: Oracle, state: S2, at: Evaluation) -> float:
        first = FIRST_ACCURACY * at.magnitude
        if not state.predicted > 0:
            return first
        return max(INNER_FLOOR * oracle.tol, min(first, ACCURACY * state.predicted))

    def _advance(self, oracle: Oracle, state: S2, trial: Trial, there: Evaluation, guard: Guard) -> S2:
        step = trial.step
        slope = step.lam.dot(there.G)
        return replace(
            state,
            point=there.point,
            lam=step.lam,
            # Where a step arrives the losses are level to second order: its lam proves more there than where it began.
            minorants=(oracle.cut(there, step.lam, slope),),
            inner_gap=step.solution.gap,
            inner_iter=step.solution.n_iter,
            predicted=max(0.0, trial.gain) + step.solution.gap + step.rounding,
            stride=trial.unheld if self.strides(oracle, state) else None,
            sigma=trial.eased(),
            guard=guard,
            **self.learn(oracle, state, trial, there, slope),
        )

    def _stay(self, oracle: Oracle, state: S2, trial: Trial, sigma: float, guard: Guard) -> S2:
        """A null step, as bundle methods know it: w stays, and the lam of the refused step proves what it can."""
        step = trial.step
        return replace(
            state,
            lam=step.lam,
            minorants=(oracle.cut(step.base, step.lam, step.slope),),
            inner_gap=step.solution.gap,
            inner_iter=step.solution.n_iter,
            predicted=max(0.0, trial.gain) + step.solution.gap + step.rounding,
            stride=None,
            sigma=sigma,
            guard=guard,
        )

    def _guarded(self, oracle: Oracle, state: S2, at: Evaluation) -> S2:
        """An accelerated step, whose point is taken where it is lower."""
        guard, accelerated = state.guard.step(oracle, state.point, L=starting_curvature(at))
        assert guard.state is not None
        return replace(
            state,
            point=guard.state.point,
            lam=accelerated.lam,
            minorants=accelerated.minorants,
            inner_gap=accelerated.inner_gap,
            inner_iter=accelerated.inner_iter,
            predicted=np.nan,
            stride=None,
            guard=guard,
        )


def starting_curvature(at: Evaluation) -> float:
    """|grad f_j| / max(1, |w|), for the steepest loss: a first step of about the length of w, or of one."""
    return (float(at.steepness.max()) or 1.0) / max(1.0, float(np.linalg.norm(at.w)))


def hessian_weights(oracle: Oracle, state: SecondOrderState) -> Vector:
    """The lam that weighs Hessians: the last one, moved a little to the center, so that no loss's curvature vanishes.

    Before the first step lam is a guess, often a vertex; the center is a better one.
    """
    center = oracle.adversary.dual_set.center(state.lam.size)
    guessed = state.guard.state is None and not state.predicted > 0
    return state.lam + (1.0 if guessed else FLOOR) * (center - state.lam)
