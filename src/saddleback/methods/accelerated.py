"""Algorithm 1 of the paper: acceleration in the primal, the dual subproblem for lam."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from .._types import Params, Vector
from .._validation import flag, lookup, number
from ..engine.certificates import Minorant
from ..engine.evaluation import Breakdown, Evaluation
from ..engine.method import State
from ..engine.oracle import Oracle
from .prox_step import CONTROL as PROX
from .prox_step import ProxStep, prox_step
from .smoothness import CONTROL as SMOOTHNESS
from .smoothness import SmoothMethod, Smoothness, find_smoothness, known_smoothness, not_smooth
from .steps import STEP_SIZE_RULES


@dataclass(frozen=True)
class AcceleratedControl:
    """The tuned numbers of the accelerated method.

    With a third or three times any of them, the number of evaluations changes by at most 7 %.
    """

    inner_share: float = 1e-2
    """theta_1: (D) is solved to theta_t = theta_1/t^2 times the smallest 1/2 lam' Q lam so far. The sum of theta_t is
    finite, as the rate requires."""
    unmoved_factor: float = 0.1
    """If the warm start already meets the accuracy of (D), tighten it tenfold; otherwise lam never changes."""


CONTROL = AcceleratedControl()


@dataclass(frozen=True, eq=False, kw_only=True)
class AcceleratedState(State):
    """The sequences w and ag (``point``), A, L, and the average of the linearizations so far."""

    w: Params
    A: float = 0.0
    smoothness: Smoothness
    t: int = 0
    """Steps since the last restart."""
    smallest_proximity: float = 0.0
    """The smallest 1/2 lam' Q lam of the steps so far, 0 before the first. The accuracy of (D) is relative to it."""
    average: Minorant | None = None


@dataclass(frozen=True)
class Accelerated(SmoothMethod[AcceleratedState]):
    """The accelerated method with an exact or inexact dual subproblem (paper, Algorithm 1).

    md = (A ag + alpha w)/A+;  lam from (D) with Q = (alpha^2/A+) G G', c = f(md);
    w+ = w - alpha G' lam;  ag+ = md - (alpha^2/A+) G' lam.
    g(ag) - g* <= (|w* - w_1|^2/2 + sum A_t gap_t)/A_T. An iteration takes one Jacobian at md and the
    losses at ag+ (with another Jacobian where they offer no ``values``), O(d J^2), and (D).

    Parameters
    ----------
    steps : {"sharp", "paper"}
        The rule for alpha: the sharp one (A_T >= T^2/(4L); docs/mathematics.md), or the paper's (about T^2/(16L)).
    smoothness : float, optional
        L. Without it the paper's rule uses the L that the losses offer, and the sharp rule backtracks with that as
        an upper bound; both backtrack without a bound where the losses offer none.
    restart : bool
        Restart when <G' lam, ag+ - ag> > 0 (O'Donoghue and Candes 2015): linear convergence on
        well-conditioned problems. The bound above then holds since the last restart.
    inner_accuracy : float, optional
        Solve every (D) to this gap instead of the decreasing sequence (L/t^4 in the paper, relative to
        the last steps in ours).
    """

    name: ClassVar[str] = "accelerated"
    solves_fixed_point: ClassVar[bool] = False
    """Whether ``_dual_step`` solves more than one (D), so that the step counts its own failures."""

    steps: str = "sharp"
    restart: bool = True
    inner_accuracy: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        lookup(STEP_SIZE_RULES, self.steps, "step rule")
        flag(self.restart, "restart")
        if self.inner_accuracy is not None:
            accuracy = number(self.inner_accuracy, "inner_accuracy", minimum=0.0)
            object.__setattr__(self, "inner_accuracy", accuracy)

    @property
    def rescales(self) -> bool:
        # A given L and the paper's steps refer to the user's own coordinates.
        return self.smoothness is None and self.steps == "sharp"

    def init(self, oracle: Oracle, w0: Vector) -> AcceleratedState:
        at = oracle.evaluate(w0)
        # The paper's algorithm takes the losses' L; the sharp rule uses it as an upper bound.
        given = known_smoothness(oracle, self.smoothness) if self.steps == "paper" else self.smoothness
        return AcceleratedState(
            point=at.point,
            lam=at.lam,
            minorants=(oracle.cut(at, at.lam),),
            w=w0,
            smoothness=find_smoothness(oracle, at, given),
        )

    def step(self, oracle: Oracle, state: AcceleratedState) -> AcceleratedState:
        smoothness, failures = state.smoothness, 0
        for _ in range(SMOOTHNESS.max_trials):
            alpha = STEP_SIZE_RULES[self.steps](smoothness.L, state.A)
            A = state.A + alpha
            md = state.w if state.A == 0 else (state.A * state.point.w + alpha * state.w) / A
            at = oracle.evaluate(md)
            if at.finite:
                step = self._dual_step(oracle, at, alpha * (alpha / A), state)
                failures += self.solves_fixed_point and not step.solution.converged
                if smoothness.admits(step):
                    return self._advance(oracle, state, step, alpha, smoothness.after_acceptance(step), failures)
                smoothness = smoothness.after_rejection(step)
            elif smoothness.cap > smoothness.L and not smoothness.fixed:
                smoothness = smoothness.times(SMOOTHNESS.undefined_increase)
            else:
                raise Breakdown("the losses are not finite at the next point md; L may be too small")
        raise not_smooth()

    def _dual_step(self, oracle: Oracle, at: Evaluation, eta: float, state: AcceleratedState) -> ProxStep:
        return prox_step(oracle, at, eta, self._accuracy(oracle, state), state.lam)

    def _accuracy(self, oracle: Oracle, state: AcceleratedState) -> float:
        """The gap eps_t to which (D) is solved: L/t^4 with the paper's steps.

        With the sharp rule it is relative to the steps: eps_t <= theta_t 1/2 lam' Q lam, where the sum of theta_t is
        finite. Then sum A_t eps_t is at most a multiple of sum |w_{t+1} - w_t|^2.
        """
        if self.inner_accuracy is not None:
            return self.inner_accuracy
        if state.smallest_proximity == 0 and self.steps != "paper":
            return PROX.first_accuracy * oracle.adversary.largest_weight * float(np.abs(state.point.f).max())
        t = state.t + 1
        if self.steps == "paper":
            eps = state.smoothness.L / t**4
        else:
            eps = CONTROL.inner_share * state.smallest_proximity / t**2
        return max(PROX.smallest_accuracy * oracle.tol, eps)

    def _advance(
        self,
        oracle: Oracle,
        state: AcceleratedState,
        step: ProxStep,
        alpha: float,
        smoothness: Smoothness,
        failures: int,
    ) -> AcceleratedState:
        A = state.A + alpha
        cut = oracle.cut(step.base, step.lam, step.slope)
        average = cut if state.average is None else state.average.mix(cut, alpha / A)
        tightened = CONTROL.unmoved_factor if step.solution.n_iter == 0 else 1.0
        after = replace(
            state,
            point=step.point,
            lam=step.lam,
            minorants=(cut, average),
            inner_gap=step.solution.gap,
            inner_iter=step.solution.n_iter,
            inner_failures=failures,
            predicted=step.predicted,
            w=state.w - alpha * step.slope,
            A=A,
            smoothness=smoothness,
            t=state.t + 1,
            smallest_proximity=min(state.smallest_proximity or np.inf, step.proximity) * tightened,
            average=average,
        )
        if self.restart and float(step.slope @ (step.point.w - state.point.w)) > 0:
            return replace(after, w=step.point.w, A=0.0, t=0, average=None)
        return after
