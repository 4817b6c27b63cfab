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
from .prox_step import FIRST_ACCURACY, INNER_FLOOR, ProxStep, prox_step
from .smoothness import MAX_TRIALS, SmoothMethod, Smoothness, find_smoothness, give_up, known_smoothness
from .steps import STEP_RULES


@dataclass(frozen=True, eq=False, kw_only=True)
class AcceleratedState(State):
    """The sequences w and ag (``point``), A, L, and the average of the linearizations so far."""

    w: Params
    A: float = 0.0
    smoothness: Smoothness
    t: int = 0
    """Steps since the last restart."""
    scale: float = 0.0
    """The least 1/2 lam' Q lam of the steps so far, 0 before the first: the scale of what is left to gain."""
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
        L, taken at its word; else asked from the losses, whose answer the paper's rule takes at its word and the
        sharp rule as an upper bound for backtracking; else found by backtracking alone.
    restart : bool
        Start anew when <G' lam, ag+ - ag> > 0 (O'Donoghue and Candes 2015): linear convergence on
        well-conditioned problems. The bound above then holds since the last restart.
    inner_accuracy : float, optional
        Solve every (D) to this gap instead of the decreasing schedule (L/t^4 in the paper, relative to
        the last steps in ours).
    """

    name: ClassVar[str] = "accelerated"
    state_type: ClassVar[type[State]] = AcceleratedState

    steps: str = "sharp"
    restart: bool = True
    inner_accuracy: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        lookup(STEP_RULES, self.steps, "step rule")
        flag(self.restart, "restart")
        if self.inner_accuracy is not None:
            accuracy = number(self.inner_accuracy, "inner_accuracy", minimum=0.0)
            object.__setattr__(self, "inner_accuracy", accuracy)

    @property
    def rescales(self) -> bool:
        # A given L, and the paper's steps, are meant in the parameters as they come.
        return self.smoothness is None and self.steps == "sharp"

    def init(self, oracle: Oracle, w0: Vector) -> AcceleratedState:
        at = oracle.evaluate(w0)
        # The paper's algorithm takes L as it is told; under the sharp rule the losses' L is an upper bound.
        given = known_smoothness(oracle, self.smoothness) if self.steps == "paper" else self.smoothness
        return AcceleratedState(
            point=at.point,
            lam=at.lam,
            minorants=(oracle.cut(at, at.lam),),
            w=w0,
            smoothness=find_smoothness(oracle, at, given),
        )

    def step(self, oracle: Oracle, state: AcceleratedState) -> AcceleratedState:
        smoothness = state.smoothness
        for _ in range(MAX_TRIALS):
            alpha = STEP_RULES[self.steps](smoothness.L, state.A)
            A = state.A + alpha
            md = state.w if state.A == 0 else (state.A * state.point.w + alpha * state.w) / A
            at = oracle.evaluate(md)
            if at.finite:
                step = self._dual_step(oracle, at, alpha * (alpha / A), state)
                if smoothness.admits(step):
                    return self._advance(oracle, state, step, alpha, smoothness.accepted(step))
                smoothness = smoothness.refused(step)
            elif smoothness.cap > smoothness.L and not smoothness.fixed:
                smoothness = smoothness.times(10.0)
            else:
                raise Breakdown("the losses are not finite where the method must look; L may be too small")
        raise give_up()

    def _dual_step(self, oracle: Oracle, at: Evaluation, eta: float, state: AcceleratedState) -> ProxStep:
        return prox_step(oracle, at, eta, self._accuracy(oracle, state), state.lam)

    def _accuracy(self, oracle: Oracle, state: AcceleratedState) -> float:
        """eps_t = L/t^4 in the paper. Ours is relative to the steps, eps_t <= theta_t 1/2 lam' Q lam with a sum of
        theta_t that is finite, which keeps sum A_t eps_t below a multiple of sum |w_{t+1} - w_t|^2.
        """
        if self.inner_accuracy is not None:
            return self.inner_accuracy
        if state.scale == 0 and self.steps != "paper":
            return FIRST_ACCURACY * oracle.adversary.largest_weight * float(np.abs(state.point.f).max())
        t = state.t + 1
        eps = state.smoothness.L / t**4 if self.steps == "paper" else 1e-2 * state.scale / t**2
        return max(INNER_FLOOR * oracle.tol, eps)

    def _advance(
        self, oracle: Oracle, state: AcceleratedState, step: ProxStep, alpha: float, smoothness: Smoothness
    ) -> AcceleratedState:
        A = state.A + alpha
        cut = oracle.cut(step.base, step.lam, step.slope)
        average = cut if state.average is None else state.average.mix(cut, alpha / A)
        after = replace(
            state,
            point=step.point,
            lam=step.lam,
            minorants=(cut, average),
            inner_gap=step.solution.gap,
            inner_iter=step.solution.n_iter,
            predicted=step.predicted,
            w=state.w - alpha * step.slope,
            A=A,
            smoothness=smoothness,
            t=state.t + 1,
            # A lam that was good enough as it came would stay for ever: ask for more the next time.
            scale=min(state.scale or np.inf, step.proximity) * (0.1 if step.solution.n_iter == 0 else 1.0),
            average=average,
        )
        if self.restart and float(step.slope @ (step.point.w - state.point.w)) > 0:
            return replace(after, w=step.point.w, A=0.0, t=0, average=None)
        return after
