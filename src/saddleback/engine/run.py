"""One run: its best point, its certificate, its history."""

from __future__ import annotations

import sys

import numpy as np
from scipy.linalg.blas import dnrm2 as nrm2

from .._types import Vector
from ..result import Result, Status
from .certificates import Minorant, Region
from .evaluation import Breakdown, Evaluation, Point
from .inspection import NEGLIGIBLE, Look, keeps_promise, look, sees_all, survey
from .method import AnyMethod, State
from .oracle import Oracle
from .progress import Callback, Progress
from .record import Record
from .stopping import UNBOUNDED, Stopping
from .unbounded import falls_forever
from .units import Units

# After a look that found more to gain, the next one waits for this share of the iterations so far.
LESS_OFTEN = 5
# From this many sizes of the parameters on, rounding errors of a point are compared with what it gains.
FAR = 1e6
# A quadratic model promises a little more than half of what there is to gain on a flat function such as w^12.
HALF = 0.5
# How often a run looks around for a lower point before it ends at a stationary one of losses that are not convex.
MOST_DEPARTURES = 3


class Run:
    """Takes the states of a method, keeps what a result needs, and says when to stop."""

    def __init__(
        self,
        oracle: Oracle,
        stopping: Stopping,
        method: AnyMethod,
        record: Record,
        *,
        units: Units,
        callback: Callback | None = None,
        progress: bool = False,
    ) -> None:
        self.oracle = oracle
        self.stopping = stopping
        self.method = method.name
        self._method = method
        self.record = record
        self._units = units
        self._everywhere, self._flat = bool(oracle.curvature.min() > 0), not oracle.curvature.any()
        self._callback = callback
        self._progress = progress
        self.found: Look | None = None
        """What a look has found that keeps the run from ending: for the method, which takes it up."""
        self.restart: Point | None = None
        """A lower point that a look has met elsewhere: the method begins anew there."""
        self._first: Minorant | None = None
        if record.trace.time:
            oracle.clock.take_up(record.trace.time[-1])

    @property
    def elapsed(self) -> float:
        """Seconds since the call, those before a resumption included."""
        return self.oracle.clock.elapsed

    @property
    def radius(self) -> float:
        """How far the lower bound reaches: everywhere where all coordinates are strongly convex."""
        if self._everywhere:
            return np.inf
        if self._units.radius is not None:
            return self._units.radius
        # BLAS scales before it squares: far points do not overflow.
        return max(1.0, float(nrm2((self.record.best.w - self.oracle.w0) / self._units.unit)))

    @property
    def region(self) -> Region:
        """Where the lower bound holds."""
        return Region(self.record.best.w, self.radius, self._units.unit)

    def open(self) -> None:
        """Keep what w0 proves, before a method has begun: it may be all that a short time limit leaves."""
        at = self.oracle.evaluate(self.oracle.w0)
        self._first = self.oracle.cut(at, at.lam)

    def observe(self, state: State) -> tuple[Status, str] | None:
        """Record a state; the verdict when the run ends here."""
        record = self.record
        if not record.trace.time or (state.point.value < record.best.value and self._falls(state.point)):
            record.best = state.point
        record.inner_failures += state.inner_failures
        self._tighten(state.minorants, state.lam)
        self._append(state.inner_gap, state.inner_iter, state.predicted)
        if self._progress:
            self._print_progress()
        verdict = self.verdict(state)
        if self._callback is not None and self._stopped_by_callback() and verdict is None:
            return Status.INTERRUPTED, "the callback stopped the run"
        if verdict is None and not np.isfinite(state.point.value):
            return Status.NUMERICAL_ERROR, "the losses are not finite where the last step arrived"
        return verdict

    def _falls(self, point: Point) -> bool:
        """Whether g is lower at a point than at the best one by more than the rounding errors of the point itself.

        Far away along a flat direction those move the losses by |G| |w|, and g falls with them for ever.
        """
        if not nrm2((point.w - self.oracle.w0) / self._units.unit) > FAR:
            return True
        at = self.oracle.evaluate(point.w)
        rounding = self.oracle.precision * at.largest_weight * float((np.abs(at.G) @ np.abs(at.w)).max())
        return not self.record.best.value - point.value <= rounding

    def verdict(self, state: State | None = None) -> tuple[Status, str] | None:
        """Why the run ends after its last iteration; None when it goes on."""
        trace, stopping = self.record.trace, self.stopping
        exhausted = self._exhausted()
        certified = stopping.certified(trace)
        withdrawn = self.oracle.watch.violation is not None
        if not certified:
            trusted = self._method.predicts_gap and (self._flat or withdrawn)
            if not (trusted and stopping.promises_nothing(trace)):
                return exhausted
            # Where nothing moves any more, a certificate is out of reach, and the estimate all there is.
            stuck = exhausted is not None and exhausted[0] is Status.STALLED
            if not stopping.nearly_certified(trace, sees_all=stuck or sees_all(self.oracle, trace.n_iter)):
                return exhausted
        threshold, gap = stopping.threshold(trace.value[-1]), trace.gap[-1]
        if withdrawn:
            if exhausted is None and self._leaves():
                return None
            return Status.STATIONARY, (
                f"the model promises about {trace.estimate[-1]:.3g}, a tenth of the tolerance {threshold:.3g} or less "
                "twice in a row"
            )
        confirmed = self._confirmed(state, certified, exhausted is not None)
        trace.n_evals[-1], trace.time[-1] = self.oracle.n_evals, self.elapsed
        if not confirmed:
            return exhausted
        wrong = self._error_of_differences()
        if wrong > (threshold if certified else max(threshold, gap)):
            return Status.STALLED, (
                f"finite differences for a Jacobian may be wrong by {wrong:.3g} in the lower bound, more than the "
                f"tolerance {threshold:.3g}; pass jac, or raise tol"
            )
        if certified and self.record.inside:
            return Status.CONVERGED, f"certified: the gap {gap:.3g} is within the tolerance {threshold:.3g}"
        return Status.CONVERGED, (
            f"estimated: the gap is about {trace.estimate[-1]:.3g}, a tenth of the tolerance {threshold:.3g} or less "
            f"twice in a row (certified: {gap:.3g})"
        )

    def _exhausted(self) -> tuple[Status, str] | None:
        """Why the run ends where it has not converged; None when it goes on."""
        record = self.record
        verdict = self.stopping.exhausted(record.trace, UNBOUNDED * record.size if record.deep else record.size)
        if verdict is None or verdict[0] is not Status.UNBOUNDED or record.deep:
            return verdict
        # A minimum may lie as deep as that: the run goes on where no ray falls for ever, until it is as deep once more.
        record.deep = falls_forever(self.oracle, record, thorough=True) is not True
        return self._exhausted() if record.deep else verdict

    def _confirmed(self, state: State | None, certified: bool, last: bool) -> bool:
        """Whether a look around the best point finds no more to gain, and losses that are convex.

        A bound that holds everywhere needs no look for flat directions, and losses that are convex by construction
        need none for convexity. Where a look finds more, the next one waits until the run has gone on for a while.
        """
        record, trace = self.record, self.record.trace
        region = self.region
        record.inside = True
        known = self._everywhere or self.oracle.affine or (certified and self._strode(state, region))
        if known and self.oracle.convex:
            return True
        if self.stopping.out_of_time(trace) or (trace.n_iter < record.next_look and not last):
            return False
        if not known:
            threshold = self.stopping.threshold(record.best.value)
            at = self.oracle.evaluate(record.best.w)
            found = self._look(at, state, region, threshold)
            if found.violation is not None:
                self._withdraw(found.violation)
                return False
            # A step that leaves the region for next to nothing is one along a direction without curvature.
            record.inside = found.length <= region.radius or found.promise <= NEGLIGIBLE * threshold
            more = found.promise > HALF * threshold or (certified and not record.inside)
            if more and not keeps_promise(self.oracle, at, found, NEGLIGIBLE * threshold):
                more, record.inside = False, True
            if more:
                self.found = found
                record.next_look = trace.n_iter + max(1, trace.n_iter // LESS_OFTEN)
                return False
        if self.oracle.convex:
            return True
        seen = survey(self.oracle, record.best, record.bound, region)
        if seen.violation is None:
            return True
        self._withdraw(seen.violation)
        if seen.lowest is not None:
            record.best = self.restart = seen.lowest
        return False

    def _error_of_differences(self) -> float:
        """By how much the errors of a Jacobian by finite differences may lift the lower bound of the region."""
        region = self.region
        error = self.oracle.jacobian_error(region.center)
        if error is None or not np.isfinite(region.radius):
            return 0.0
        return region.radius * float(nrm2(np.abs(self.record.dual).dot(error) * region.unit))

    def _leaves(self) -> bool:
        """Whether a stationary point of losses that are not convex is left for a lower one that a survey meets."""
        record = self.record
        if record.departures >= MOST_DEPARTURES:
            return False
        record.departures += 1
        lowest = survey(self.oracle, record.best, None, self.region).lowest
        if lowest is None or not lowest.value < record.best.value - self.stopping.threshold(record.best.value):
            return False
        record.best = self.restart = lowest
        return True

    def _strode(self, state: State | None, region: Region) -> bool:
        """Whether the last step came from a model that knew all curvature, and stayed within the region."""
        if state is None or state.unshifted_step is None or not np.array_equal(state.point.w, self.record.best.w):
            return False
        return region.length(state.unshifted_step, self.oracle.curvature) <= region.radius

    def _look(self, at: Evaluation, state: State | None, region: Region, threshold: float) -> Look:
        lam = self.record.dual if state is None else state.lam
        try:
            return look(self.oracle, at, lam, region, threshold, self.record.trace.n_iter)
        except Breakdown:
            return Look(np.inf, np.inf)

    def _withdraw(self, violation: str) -> None:
        """The losses are not convex: there is no bound."""
        self.oracle.watch.violation = violation
        self._tighten((), self.record.dual)
        self.record.trace.gap[-1] = self.record.gap

    def bound_anew(self) -> None:
        """The bound for the region that is asked now, where a run is taken up with another radius than it had."""
        self._tighten((), self.record.dual)
        self.record.trace.gap[-1] = self.record.gap

    def _tighten(self, minorants: tuple[Minorant, ...], lam: Vector) -> None:
        """Keep the average of old and new minorants with the highest bound around the best point, and its lam."""
        record, oracle = self.record, self.oracle
        if oracle.watch.violation is not None:
            record.bound, record.lower = None, -np.inf
            record.dual = lam if np.isfinite(lam).all() else record.dual
            return
        region = self.region
        for new in minorants:
            record.bound = new if record.bound is None else record.bound.best_mix(new, region)
        if record.bound is not None:
            # Rounding may lift a bound above the value that it bounds.
            bound = record.bound.minimum(region)
            record.lower = -np.inf if np.isnan(bound) else min(bound, record.best.value)
            record.dual = record.bound.lam

    def _append(self, inner_gap: float, inner_iter: int, predicted: float = np.nan) -> None:
        self.record.trace.append(
            time=self.elapsed,
            value=self.record.best.value,
            gap=self.record.gap,
            n_evals=self.oracle.n_evals,
            inner_gap=inner_gap,
            inner_iter=inner_iter,
            predicted=predicted,
        )

    def _stopped_by_callback(self) -> bool:
        assert self._callback is not None
        try:
            stop = self._callback(self._snapshot())
            return isinstance(stop, bool | np.bool_) and bool(stop)
        except StopIteration:
            return True

    def _snapshot(self) -> Progress:
        record = self.record
        return Progress(
            n_iter=record.trace.n_iter,
            n_evals=self.oracle.n_evals,
            time=record.trace.time[-1],
            w=record.best.w / self._units.scale,
            dual=self._present(record.dual),
            value=record.best.value,
            losses=self._present(record.best.f),
            lower_bound=record.lower,
            gap=record.gap,
        )

    def _present(self, x: Vector) -> Vector:
        """lam or f as results show it."""
        return self.oracle.adversary.dual_set.to_user(x).copy()

    def _print_progress(self) -> None:
        now = self._snapshot()
        line = (
            f"\r{self.method}: iteration {now.n_iter}, value {now.value:.8g}, gap {now.gap:.2e}, "
            f"{now.n_evals} evaluations, {now.time:.1f} s"
        )
        print(f"{line:<100}", end="", file=sys.stderr, flush=True)

    def settle(self) -> None:
        """After an end in mid-iteration, wherever it came: a bound around the best point, a history of whole rows."""
        record = self.record
        record.trace.trim()
        self._tighten(() if record.bound is not None or self._first is None else (self._first,), record.dual)

    def result(self, status: Status, message: str) -> Result:
        """The best point so far, with its certificate."""
        record, oracle = self.record, self.oracle
        if self._progress:
            print(file=sys.stderr)
        if not record.trace.time:
            self._append(inner_gap=0.0, inner_iter=0)
        notes = [message]
        if oracle.watch.violation is not None:
            record.lower = -np.inf
            notes.append(f"no certificate: {oracle.watch.violation}")
        elif not oracle.exact_jacobian:
            notes.append("finite differences for a Jacobian: the gap is certified up to their errors")
        failures = oracle.n_inner_failures + record.inner_failures
        if failures:
            notes.append(f"{failures} dual subproblems ended above the gap that was asked")
        reach = self._units.semi_axes(self.radius, oracle.curvature)
        return Result(
            w=record.best.w / self._units.scale,
            dual=self._present(record.dual),
            value=record.best.value,
            losses=self._present(record.best.f),
            lower_bound=record.lower,
            gap=record.gap,
            radius=self.radius if self._units.metric else float(reach.min()),
            reach=reach,
            gap_estimate=float(np.fmin(record.trace.estimate[-1], record.gap)),
            certified=self._is_certified(status),
            status=status,
            message="; ".join(notes),
            method=self.method,
            n_iter=record.trace.n_iter,
            n_evals=oracle.n_evals,
            n_values=oracle.n_values,
            n_inner=oracle.n_inner,
            history=record.trace.freeze(),
        )

    def _is_certified(self, status: Status) -> bool:
        """Whether the run ended by its certified gap, and no loss has shown that the certificate is wrong."""
        record = self.record
        within = record.gap <= self.stopping.threshold(record.best.value)
        return bool(status is Status.CONVERGED and within and record.inside and self.oracle.watch.violation is None)
