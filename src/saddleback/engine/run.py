"""One run: receives the states of a method, updates the best point, the bound and the history, and reports progress."""

from __future__ import annotations

import sys

import numpy as np

from ..capabilities import is_from_outside
from ..errors import ProblemError
from ..result import Result, Status
from .bound_tracker import BoundTracker
from .certificates import Minorant
from .coordinates import Coordinates
from .evaluation import Point
from .method import AnyMethod, State
from .oracle import Oracle
from .progress import Callback, Progress, asks_to_stop, print_line
from .result_building import build_result, shown_best
from .run_state import RunState
from .stop_decision import StopDecision
from .stopping import Stopping, Verdict

# Beyond this distance from w0, in scales of the parameters, a decrease of g counts only where it exceeds the rounding
# errors of the point.
FAR_FROM_START = 1e6
# Weights may be outside of Lambda by this share of the largest weight: averages of weights round.
WEIGHT_TOLERANCE = 1e-8


class Run:
    """Observes the states of a method; decides when to stop and builds the result."""

    def __init__(
        self,
        oracle: Oracle,
        stopping: Stopping,
        method: AnyMethod,
        run_state: RunState,
        coordinates: Coordinates,
        *,
        callback: Callback | None = None,
        progress: bool = False,
    ) -> None:
        self.oracle = oracle
        self.stopping = stopping
        self.method = method
        self.state = run_state
        self.coordinates = coordinates
        self.tracker = BoundTracker(oracle, coordinates, run_state)
        self.decision = StopDecision(oracle, stopping, method, run_state, self.tracker)
        self._callback = callback
        self._progress = progress
        self._first: Minorant | None = None
        self._method_from_outside = is_from_outside(method)
        if run_state.history.time:
            oracle.clock.take_up(run_state.history.time[-1])

    def open(self) -> None:
        """Keep the minorant at w0, for runs whose time limit passes within the method's first step."""
        at = self.oracle.evaluate(self.oracle.w0)
        self._first = self.oracle.cut(at, at.lam)

    def observe(self, state: State) -> Verdict | None:
        """Record a state; the verdict when the run ends here."""
        if self._method_from_outside:
            self._check_state(state)
        run_state, point = self.state, state.point
        if not run_state.history.time or self._replaces(point):
            run_state.best = point
        run_state.inner_failures += state.inner_failures
        self.tracker.update(state.minorants, state.lam)
        self._append(state.inner_gap, state.inner_iter, state.predicted)
        if self._progress:
            print_line(self.method.name, self._snapshot())
        verdict = self.decision.verdict(state)
        if self._callback is not None and asks_to_stop(self._callback, self._snapshot()) and verdict is None:
            return Status.INTERRUPTED, "the callback stopped the run"
        if verdict is None and not -np.inf < point.value < np.inf:
            return Status.NUMERICAL_ERROR, "the losses are not finite at the point of the last step"
        return verdict

    def _replaces(self, point: Point) -> bool:
        """Whether this point is the answer from now on: the lowest so far, or the last one where the method says so."""
        if self.method.answers_last:
            return bool(np.isfinite(point.value))
        return point.value < self.state.best.value and self._decreases(point)

    def _decreases(self, point: Point) -> bool:
        """Whether g falls from the best point to this one by more than the rounding errors of the point itself.

        Far from w0 along a flat direction, rounding errors of w change the losses by |G| |w| times the precision. The
        computed g then seems to fall without bound.
        """
        if not self.tracker.distance_from_start(point.w) > FAR_FROM_START:
            return True
        rounding = self.oracle.rounding_at(self.oracle.evaluate(point.w))
        return not self.state.best.value - point.value <= rounding

    def _append(self, inner_gap: float, inner_iter: int, predicted: float = np.nan) -> None:
        self.state.history.append(
            time=self.oracle.clock.elapsed,
            value=self.state.best.value,
            gap=self.state.gap,
            n_evals=self.oracle.n_evals,
            inner_gap=inner_gap,
            inner_iter=inner_iter,
            predicted=predicted,
        )

    def _snapshot(self) -> Progress:
        history = self.state.history
        best = shown_best(self.state, self.coordinates, self.oracle)
        return Progress(n_iter=history.n_iter, n_evals=self.oracle.n_evals, time=history.time[-1], **best)

    def _check_state(self, state: State) -> None:
        """Refuse what a method from outside the package returns where it is no state, or proves nothing."""
        if not isinstance(state, State):
            raise ProblemError(
                f"init and step of method {self.method.name!r} must return a State; got {type(state).__name__}."
            )
        # A minorant is a lower bound of g only for a lam of Lambda.
        adversary = self.oracle.adversary
        for minorant in state.minorants:
            if not adversary.dual_set.contains(minorant.lam, WEIGHT_TOLERANCE * adversary.largest_weight):
                raise ProblemError(
                    f"method {self.method.name!r} gives oracle.cut a lam outside of {adversary.dual_set!r}; its sum is "
                    f"{minorant.lam.sum():.6g}. Take lam from an evaluation or from oracle.dual_step."
                )

    def settle(self) -> None:
        """After a run that ended within an iteration: drop incomplete history entries and update the bound."""
        run_state = self.state
        run_state.history.trim()
        self.tracker.update(
            () if run_state.bound is not None or self._first is None else (self._first,), run_state.dual
        )

    def result(self, status: Status, message: str) -> Result:
        """The best point so far, with its certificate."""
        if self._progress:
            print(file=sys.stderr)
        if not self.state.history.time:
            self._append(inner_gap=0.0, inner_iter=0)
        if self.oracle.watch.violation is not None:
            self.state.lower = -np.inf
        within = self.state.gap <= self.stopping.threshold(self.state.best.value)
        converged = status is Status.CONVERGED and within and self.state.step_in_region
        certified = bool(converged and self.oracle.watch.violation is None)
        return build_result(
            self.state,
            self.coordinates,
            self.oracle,
            method=self.method.name,
            radius=self.tracker.radius,
            certified=certified,
            status=status,
            message=message,
        )
