"""Newton-type steps with trust-region control; base of Newton and QuasiNewton."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from .._types import Vector
from ..engine.evaluation import Breakdown, Evaluation
from ..engine.method import Method, State
from ..engine.oracle import Oracle
from ..linalg.hessian_models import HessianModel, ShiftedSystem
from .guard import Guard
from .prox_step import CONTROL as PROX
from .trial import Trial, try_step


@dataclass(frozen=True)
class SecondOrderControl:
    """The tuned numbers of one iteration of the second-order methods.

    With a third or three times any of them, the number of evaluations on published problems and tables changes by at
    most 2 %.
    """

    max_trials: int = 12
    """Trials of one step before an accelerated step is taken instead; with sigma multiplied by ten each time, the last
    is 1e-12 times as long as the first."""
    inner_accuracy: float = 1e-4
    """Solve (D) first to this share of the decrease that the last step predicted; `try_step` solves it again where that
    is not accurate enough."""
    whole_accuracy: float = 0.1
    """Solve (D) to this share of the tolerance where one step is the whole problem: affine losses, and an inner solver
    that gives primal points."""
    shift_growth: float = 10.0
    """sigma is multiplied by this where P is not positive definite."""
    smallest_shift: float = 1e-8
    """The first such sigma, relative to `initial_hessian_diagonal`, where B = 0 gives none."""
    center_share: float = 1e-3
    """lam is moved by at most this share to the center of Lambda before it weighs Hessians (docs/mathematics.md, 6,
    "The weights of the Hessians")."""


CONTROL = SecondOrderControl()


@dataclass(frozen=True, eq=False, kw_only=True)
class SecondOrderState(State):
    """The shift sigma of the Hessian model, the state of the accelerated steps, and the data of the Hessian model."""

    sigma: float = 0.0
    guard: Guard = field(default_factory=Guard)
    model: object
    """The data from which a method builds its Hessian model; each method narrows the type."""


S2 = TypeVar("S2", bound=SecondOrderState)
M = TypeVar("M")


@dataclass(frozen=True)
class SecondOrder(Method[S2], Generic[S2, M]):
    """p = -P^-1 G' lam with P = B + sigma I and lam from (D): Q = G P^-1 G', c = f(w).

    The model of g at w + p is h(f + G p) + 1/2 p'Pp; g itself is the merit function, and sigma bounds the steps as
    a trust region does (Levenberg 1944). An iteration takes one evaluation of f and G and solves (D) once or twice, and
    the same again for each correction or rejection (docs/mathematics.md, 6). Accelerated steps from w0 in between keep
    the rate O(L |w* - w0|^2/T^2), whatever the other steps do.

    ``S2`` is the type of the states, ``M`` that of their ``model``.
    """

    def prepared(self, oracle: Oracle, state: S2, at: Evaluation) -> S2:
        """The state with what the model needs at an evaluated point."""
        return state

    @abstractmethod
    def hessian_model(self, oracle: Oracle, state: S2, at: Evaluation) -> HessianModel:
        """B at an evaluated point."""

    def try_step(
        self, oracle: Oracle, state: S2, at: Evaluation, model: HessianModel, sigma: float, system: ShiftedSystem
    ) -> Trial | None:
        """The step of the model with this shift, evaluated; None where its length is zero."""
        return try_step(oracle, at, system, sigma, self.accuracy(oracle, state, at), state.lam)

    @abstractmethod
    def learn(self, oracle: Oracle, state: S2, trial: Trial, there: Evaluation, slope: Vector) -> M:
        """``state.model`` after a step was accepted; ``slope`` is G' lam at the new point."""

    @abstractmethod
    def failed(self, state: S2) -> M:
        """``state.model`` after no trial of a step was accepted."""

    @abstractmethod
    def knows_hessian(self, oracle: Oracle, state: S2) -> bool:
        """Whether B in the next step from ``state`` holds second derivatives in every direction."""

    @property
    def rescales(self) -> bool:
        return True

    def step(self, oracle: Oracle, state: S2) -> S2:
        at = oracle.evaluate(state.point.w)
        if not at.finite:
            raise Breakdown("the Jacobian is not finite where the last step arrived")
        if state.guard.due:
            return self._accelerated_step(oracle, state)
        state = self.prepared(oracle, state, at)
        hessian_model = self.hessian_model(oracle, state, at)
        sigma, n_points = state.sigma, 0
        for _ in range(CONTROL.max_trials):
            system = self.system(oracle, hessian_model, at, sigma)
            if system is None:
                first = CONTROL.smallest_shift * initial_hessian_diagonal(at)
                sigma = max(CONTROL.shift_growth * sigma, hessian_model.smallest_shift, first)
                continue
            trial = self.try_step(oracle, state, at, hessian_model, sigma, system)
            if trial is None:
                break
            n_points += trial.n_points
            if trial.accepted:
                point = trial.step.point
                there = point if isinstance(point, Evaluation) else oracle.evaluate(point.w)
                if there.finite:
                    return self._advance(oracle, state, trial, there, n_points)
            sigma = trial.sigma_after_rejection()
            if trial.negligible:
                return self._null_step(oracle, state, trial, sigma, n_points)
        guard = state.guard.after_evaluations(n_points)
        return self._accelerated_step(oracle, state.but(sigma=sigma, model=self.failed(state), guard=guard))

    def system(self, oracle: Oracle, hessian_model: HessianModel, at: Evaluation, sigma: float) -> ShiftedSystem | None:
        """P = B + sigma I with the Jacobian at a point; None where P is not positive definite."""
        return hessian_model.system(at.G, sigma)

    def accuracy(self, oracle: Oracle, state: S2, at: Evaluation) -> float:
        """The gap to which (D) is solved first."""
        if oracle.affine and oracle.steps_from_primal:
            return CONTROL.whole_accuracy * oracle.tol
        first = PROX.first_accuracy * at.magnitude
        if not state.predicted > 0:
            return first
        return max(PROX.smallest_accuracy * oracle.tol, min(first, CONTROL.inner_accuracy * state.predicted))

    def _advance(self, oracle: Oracle, state: S2, trial: Trial, there: Evaluation, n_points: int) -> S2:
        step, solution = trial.step, trial.step.solution
        slope = there.slope(step.lam)
        return state.but(
            point=there.point,
            lam=step.lam,
            # At the new point the active losses are equal to second order, so that lam gives a better bound there.
            minorants=(oracle.cut(there, step.lam, slope),),
            inner_gap=solution.least_gap,
            inner_iter=solution.n_iter,
            predicted=_predicted(trial),
            unshifted_step=trial.unshifted_step if self.knows_hessian(oracle, state) else None,
            sigma=trial.sigma_after_acceptance(),
            guard=state.guard.after_evaluations(n_points),
            model=self.learn(oracle, state, trial, there, slope),
        )

    def _null_step(self, oracle: Oracle, state: S2, trial: Trial, sigma: float, n_points: int) -> S2:
        """A null step as in bundle methods: w stays, and the lam of the rejected step gives a minorant.

        sigma is raised as after any rejection: a larger P makes Q smaller, and (D) more accurate.
        """
        step = trial.step
        return state.but(
            lam=step.lam,
            minorants=(oracle.cut(step.base, step.lam, step.slope),),
            inner_gap=step.solution.least_gap,
            inner_iter=step.solution.n_iter,
            predicted=_predicted(trial),
            unshifted_step=None,
            sigma=sigma,
            guard=state.guard.after_evaluations(n_points),
        )

    def _accelerated_step(self, oracle: Oracle, state: S2) -> S2:
        """An accelerated step; its point is taken with its lam where its value is lower."""
        guard, accelerated = state.guard.step(oracle, state.point)
        assert guard.state is not None
        taken = guard.state.point is accelerated.point
        return state.but(
            point=guard.state.point,
            lam=accelerated.lam if taken else state.lam,
            minorants=accelerated.minorants,
            inner_gap=accelerated.inner_gap,
            inner_iter=accelerated.inner_iter,
            predicted=np.nan,
            unshifted_step=None,
            guard=guard,
        )


def _predicted(trial: Trial) -> float:
    """The predicted decrease for the estimate of the gap: without the shift, plus the gap of (D) and rounding."""
    return max(0.0, trial.predicted_without_shift) + trial.step.solution.least_gap + trial.step.rounding


def initial_hessian_diagonal(at: Evaluation) -> float:
    """|grad f_j| / max(1, |w|) for the loss with the longest gradient: the first step is about as long as w, or 1."""
    return (float(at.steepness.max()) or 1.0) / max(1.0, float(np.linalg.norm(at.w)))


def hessian_weights(oracle: Oracle, state: SecondOrderState, share: float = CONTROL.center_share) -> Vector:
    """The weights of the losses' Hessians in B: the last lam, moved by a share to the center, so that none is zero.

    Before the first step lam is a best response, often a vertex, and the center is used: it is closer to most
    solutions.
    """
    center = oracle.adversary.dual_set.center(state.lam.size)
    before_first = state.guard.state is None and not state.predicted > 0
    return state.lam + (1.0 if before_first else share) * (center - state.lam)
