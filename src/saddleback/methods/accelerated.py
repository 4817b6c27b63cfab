"""Algorithm 1 of the paper: acceleration in the primal, the dual subproblem for lam."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from .._types import Added, Params, Vector
from .._validation import flag, lookup, number
from ..engine.certificates import Minorant
from ..engine.evaluation import Breakdown, Evaluation, Point
from ..engine.method import State
from ..engine.oracle import Oracle
from .prox_step import CONTROL as PROX
from .prox_step import ProxStep, prox_step
from .smoothness import CONTROL as SMOOTHNESS
from .smoothness import SmoothMethod, Smoothness, find_smoothness, known_smoothness, not_smooth
from .steps import STEP_SIZE_RULES, Middle, paper_step, sharp_step


@dataclass(frozen=True)
class AcceleratedControl:
    """The tuned numbers of the accelerated method.

    With a third or three times any of them (half or twice ``kept_every``), the number of evaluations to a gap of 1e-6
    on 33 problems changes by at most 6 % in the geometric mean.
    """

    kappa: float = 1e-2
    """(D) is solved to kappa/2 lam' Q lam. The sharp steps are shorter by this share, which pays for such gaps in
    full (docs/mathematics.md, 2)."""
    asked_share: float = 0.1
    """(D) is first solved to this share of kappa times the smallest 1/2 lam' Q lam so far: steps become shorter, and
    where the gap turns out to exceed kappa times its own step, (D) must be solved again."""
    unmoved_factor: float = 0.1
    """If the warm start already meets the accuracy of (D), tighten it tenfold; otherwise lam never changes."""
    kept_every: int = 10
    """After the first restart one step in this many belongs to the sequence from w0, whose bound holds for the run."""
    largest_growth: float = 1e100
    """The method starts again where m A exceeds this: bound (3) is then far below every rounding error."""


CONTROL = AcceleratedControl()


@dataclass(frozen=True, eq=False)
class Kept:
    """The sequence that was not restarted: it goes on from w0 with one step in ``kept_every``."""

    w: Params
    A: float
    average: Minorant | None
    point: Point
    """Its ag: the lowest point since, of either sequence (docs/mathematics.md, 4)."""
    wait: int
    """Steps of the restarted sequence before its next one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class AcceleratedState(State):
    """The sequences w and ag (``point``), A, L, and the average of the linearizations so far."""

    w: Params
    A: float = 0.0
    smoothness: Smoothness
    t: int = 0
    """Steps so far. Restarts do not reset it, so that L/t^4, the accuracy with the paper's steps, does not rise."""
    smallest_proximity: float = 0.0
    """The smallest 1/2 lam' Q lam of the steps so far, 0 before the first. The accuracy of (D) is relative to it."""
    average: Minorant | None = None
    kept: Annotated[Kept | None, Added] = None
    """None before the first restart."""


@dataclass(frozen=True)
class Accelerated(SmoothMethod[AcceleratedState]):
    """The accelerated method with an exact or inexact dual subproblem (paper, Algorithm 1).

    md = (A ag + alpha w)/A+;  lam from (D) with Q = (alpha^2/A+) G G', c = f(md);
    w+ = w - alpha G' lam;  ag+ = md - (alpha^2/A+) G' lam.
    g(ag) - g* <= (|w* - w0|^2/2 + noise)/A_T, where noise = sum A_t max(0, gap_t - kappa/2 lam' Q lam). An iteration
    takes one Jacobian at md and the losses at ag+ (with another Jacobian where they offer no ``values``), O(d J^2), and
    (D). Where the losses state a modulus m > 0 of strong convexity for all parameters, the sharp steps are those for m
    (docs/mathematics.md, 2).

    Parameters
    ----------
    steps : {"sharp", "paper"}
        The rule for alpha: the sharp one, or the paper's. T steps without a restart have
        A_T >= (1 - kappa) T^2/(4L) with the sharp rule, kappa = 0.01, and with m also
        A_T >= (1 - sqrt(m/L'))^(1-T)/L', L' = L/(1 - kappa). With the paper's, A_T >= T^2/(16L).
    smoothness : float, optional
        L. Without it the paper's rule uses the L that the losses offer, and the sharp rule backtracks with that as
        an upper bound; both backtrack without a bound where the losses offer none.
    restart : bool
        Restart when <G' lam, ag+ - ag> > 0 (O'Donoghue and Candes 2015): linear convergence on
        well-conditioned problems. From then on one step in ten is a step of the sequence that was not restarted, with
        the lowest point as its ag, so that the lowest point after T steps satisfies the bound above with A_k in place
        of A_T, k >= T/10 rounded down: the rate 1/T^2 from w0 holds, at worst with a hundred times the constant.
    inner_accuracy : float, optional
        Solve every (D) to this gap, with kappa = 0, instead of kappa/2 lam' Q lam (L/t^4 with the paper's steps).
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

    @property
    def kappa(self) -> float:
        """The share of a step that pays for the gap of its (D); 0 where gaps are not relative to the steps."""
        return CONTROL.kappa if self.steps == "sharp" and self.inner_accuracy is None else 0.0

    def modulus(self, oracle: Oracle) -> float:
        """m of the sharp steps: <lam, f> - m/2 |w|^2 is convex for every lam in Lambda."""
        return float(oracle.strong_convexity.min()) if self.steps == "sharp" else 0.0

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
        kept = state.kept
        if kept is not None and kept.wait <= 0:
            return self._kept_step(oracle, state, kept)
        after, step = self._next(oracle, state)
        if kept is not None:
            kept = replace(kept, point=lower(after.point, kept.point), wait=kept.wait - 1)
            after = replace(after, kept=kept)
        if self._outgrown(oracle, after.A):
            return replace(after, w=after.point.w, A=0.0, average=None, kept=None)
        if not (self.restart and float(step.slope @ (after.point.w - state.point.w)) > 0):
            return after
        if kept is None:
            lowest = lower(after.point, state.point)
            kept = Kept(after.w, after.A, after.average, lowest, CONTROL.kept_every - 1)
        return replace(after, w=after.point.w, A=0.0, average=None, kept=kept)

    def _kept_step(self, oracle: Oracle, state: AcceleratedState, kept: Kept) -> AcceleratedState:
        """A step of the sequence from w0; the restarted one goes on at its point if that is lower."""
        before = replace(state, point=kept.point, w=kept.w, A=kept.A, average=kept.average)
        after, _ = self._next(oracle, before)
        if self._outgrown(oracle, after.A):
            point = lower(after.point, state.point)
            return replace(after, point=point, w=point.w, A=0.0, average=None, kept=None)
        lowest = lower(after.point, kept.point)
        return replace(
            after,
            point=lower(after.point, state.point),
            w=state.w,
            A=state.A,
            average=state.average,
            kept=Kept(after.w, after.A, after.average, lowest, CONTROL.kept_every - 1),
        )

    def _outgrown(self, oracle: Oracle, A: float) -> bool:
        """Whether the weights of a sequence are so large that it starts again before they overflow."""
        return self.modulus(oracle) * A > CONTROL.largest_growth

    def _next(self, oracle: Oracle, state: AcceleratedState) -> tuple[AcceleratedState, ProxStep]:
        """One step of the sequence in ``state``, without a restart."""
        smoothness, failures = state.smoothness, 0
        m = self.modulus(oracle)
        for _ in range(SMOOTHNESS.max_trials):
            if self.steps == "paper":
                alpha = paper_step(smoothness.L, state.A)
            else:
                alpha = sharp_step(smoothness.L, state.A, m, self.kappa)
            middle = Middle.of(state.point.w, state.w, state.A, alpha, m)
            at = oracle.evaluate(middle.md)
            if at.finite:
                step = self._dual_step(oracle, at, middle.eta, state)
                failures += self.solves_fixed_point and not step.solution.converged
                if smoothness.admits(step):
                    after = self._advance(oracle, state, step, middle, smoothness.after_acceptance(step), failures)
                    return after, step
                smoothness = smoothness.after_rejection(step)
            elif smoothness.cap > smoothness.L and not smoothness.fixed:
                smoothness = smoothness.times(SMOOTHNESS.undefined_increase)
            else:
                raise Breakdown("the losses are not finite at the next point md; L may be too small")
        raise not_smooth()

    def _dual_step(self, oracle: Oracle, at: Evaluation, eta: float, state: AcceleratedState) -> ProxStep:
        return prox_step(oracle, at, eta, self._accuracy(oracle, state), state.lam, self.kappa)

    def _accuracy(self, oracle: Oracle, state: AcceleratedState) -> float:
        """The gap to which (D) is solved first: L/t^4 with the paper's steps.

        With the sharp rule it is a tenth of kappa times the smallest 1/2 lam' Q lam so far.
        """
        if self.inner_accuracy is not None:
            return self.inner_accuracy
        if self.steps == "paper":
            eps = state.smoothness.L / (state.t + 1) ** 4
        elif state.smallest_proximity == 0:
            return PROX.first_accuracy * oracle.adversary.largest_weight * float(np.abs(state.point.f).max())
        else:
            eps = CONTROL.asked_share * CONTROL.kappa * state.smallest_proximity
        return max(PROX.smallest_accuracy * oracle.tol, eps)

    def _advance(
        self,
        oracle: Oracle,
        state: AcceleratedState,
        step: ProxStep,
        middle: Middle,
        smoothness: Smoothness,
        failures: int,
    ) -> AcceleratedState:
        cut = oracle.cut(step.base, step.lam, step.slope)
        average = cut if state.average is None else state.average.mix(cut, middle.alpha / middle.A)
        tightened = CONTROL.unmoved_factor if step.solution.n_iter == 0 else 1.0
        return replace(
            state,
            point=step.point,
            lam=step.lam,
            minorants=(cut, average),
            inner_gap=step.solution.gap,
            inner_iter=step.solution.n_iter,
            inner_failures=failures,
            predicted=step.predicted,
            w=middle.long_step(step.slope),
            A=middle.A,
            smoothness=smoothness,
            t=state.t + 1,
            smallest_proximity=min(state.smallest_proximity or np.inf, step.proximity) * tightened,
            average=average,
        )


def lower(first: Point, second: Point) -> Point:
    """The point with the lower g."""
    return first if first.value < second.value else second
