"""One run: its best point, its certificate, its history."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg.blas import dnrm2 as nrm2

from ._types import Vector
from .certificates import Minorant, Region
from .methods import AnyMethod, State
from .oracle import Oracle, Point
from .result import Result, Status
from .stopping import Stopping
from .trace import Trace
from .unbounded import falls_forever


@dataclass(frozen=True, eq=False)
class Progress:
    """What a callback sees after each iteration; ``w`` is the best point so far."""

    n_iter: int
    n_evals: int
    time: float
    w: Vector
    dual: Vector
    value: float
    losses: Vector
    lower_bound: float
    gap: float


Callback = Callable[[Progress], Any]

# How far from a start that is a solution the losses are looked at once more, relative to w.
PROBE = 1e-2


@dataclass
class Record:
    """What a run has found so far."""

    best: Point
    dual: Vector
    size: float
    """The losses and their change near w0: the scale against which a value counts as minus infinity."""
    bound: Minorant | None = None
    lower: float = -np.inf
    trace: Trace = field(default_factory=Trace)

    @property
    def gap(self) -> float:
        """value - lower bound; inf where there is no bound."""
        gap = self.best.value - self.lower
        return np.inf if np.isnan(gap) else gap

    @staticmethod
    def at_start(oracle: Oracle) -> Record:
        at = oracle.evaluate(oracle.w0)
        size = at.size + float(at.steepness.max()) * (1.0 + float(nrm2(at.w)))
        return Record(best=at.point, dual=at.lam, size=size)


class Run:
    """Takes the states of a method, keeps what a result needs, and says when to stop."""

    def __init__(
        self,
        oracle: Oracle,
        stopping: Stopping,
        method: AnyMethod,
        record: Record,
        *,
        scale: Vector,
        radius: float | None = None,
        callback: Callback | None = None,
        progress: bool = False,
    ) -> None:
        self.oracle = oracle
        self.stopping = stopping
        self.method = method.name
        self._estimates = method.estimates
        self.record = record
        self._scale = scale
        self._radius = radius
        self._everywhere, self._flat = bool(oracle.curvature.min() > 0), not oracle.curvature.any()
        self._callback = callback
        self._progress = progress
        self._looked = False
        self._bounded = False
        self._started = time.perf_counter() - (record.trace.time[-1] if record.trace.time else 0.0)

    @property
    def elapsed(self) -> float:
        """Seconds since the start, those before a resumption included."""
        return time.perf_counter() - self._started

    @property
    def radius(self) -> float:
        """How far the lower bound reaches: everywhere where all coordinates are strongly convex."""
        if self._everywhere:
            return np.inf
        if self._radius is not None:
            return self._radius
        # BLAS scales before it squares: far points do not overflow.
        return max(1.0, float(nrm2(self.record.best.w - self.oracle.w0)))

    def observe(self, state: State) -> tuple[Status, str] | None:
        """Record a state; the verdict when the run ends here."""
        record = self.record
        if state.point.value < record.best.value or not record.trace.time:
            record.best = state.point
        self._tighten(state.minorants, state.lam)
        self._append(state.inner_gap, state.inner_iter, state.predicted)
        if self._progress:
            self._print_progress()
        verdict = self.verdict()
        if self._callback is not None and self._stopped_by_callback() and verdict is None:
            return Status.INTERRUPTED, "the callback stopped the run"
        if verdict is None and not np.isfinite(state.point.value):
            return Status.NUMERICAL_ERROR, "the losses are not finite where the last step arrived"
        return verdict

    def verdict(self) -> tuple[Status, str] | None:
        """Why the run ends after its last iteration; None when it goes on."""
        trusted = self._estimates and (self._flat or self.oracle.watch.violation is not None)
        scale = np.inf if self._bounded else self.record.size
        verdict = self.stopping.verdict(self.record.trace, scale, trust_estimate=trusted)
        if verdict is not None and verdict[0] is Status.UNBOUNDED:
            # A minimum may lie as deep as that: slopes that average to zero prove that there is a lower bound.
            self._bounded = falls_forever(self.oracle, self.record, thorough=True) is False
            return self.verdict() if self._bounded else verdict
        if verdict is not None and verdict[0] is Status.CONVERGED and self._is_unseen() and not self._looks_convex():
            return None
        return verdict

    def _is_unseen(self) -> bool:
        """Whether the run is about to end where it began, so that the watch on convexity has seen next to nothing."""
        moved = float(nrm2(self.record.best.w - self.oracle.w0))
        seen = moved > PROBE * self.radius or self.oracle.watch.violation is not None
        return not (self._looked or seen or self.oracle.affine)

    def _looks_convex(self) -> bool:
        """One look at the losses near by; where it shows that they are not convex, the bound is withdrawn."""
        self._looked = True
        best = self.record.best.w
        direction = np.random.default_rng(0).standard_normal(best.size)
        step = PROBE * max(1.0, float(nrm2(best))) / float(nrm2(direction))
        self.oracle.point(best + step * direction)
        if self.oracle.watch.violation is None:
            return True
        self._tighten((), self.record.dual)
        self.record.trace.gap[-1] = self.record.gap
        return False

    def _tighten(self, minorants: tuple[Minorant, ...], lam: Vector) -> None:
        """Keep the average of old and new minorants with the highest bound around the best point, and its lam."""
        record, oracle = self.record, self.oracle
        if oracle.watch.violation is not None:
            record.bound, record.lower = None, -np.inf
            record.dual = lam if np.isfinite(lam).all() else record.dual
            return
        region = Region(record.best.w, self.radius)
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
            w=record.best.w / self._scale,
            dual=self._present(record.dual),
            value=record.best.value,
            losses=self._present(record.best.f),
            lower_bound=record.lower,
            gap=record.gap,
        )

    def _present(self, x: Vector) -> Vector:
        """lam or f as results show it."""
        return self.oracle.adversary.dual_set.present(x).copy()

    def _print_progress(self) -> None:
        now = self._snapshot()
        line = (
            f"\r{self.method}: iteration {now.n_iter}, value {now.value:.8g}, gap {now.gap:.2e}, "
            f"{now.n_evals} evaluations, {now.time:.1f} s"
        )
        print(f"{line:<100}", end="", file=sys.stderr, flush=True)

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
        if oracle.n_inner_failures:
            notes.append(f"{oracle.n_inner_failures} dual subproblems ended above the gap that was asked")
        return Result(
            w=record.best.w / self._scale,
            dual=self._present(record.dual),
            value=record.best.value,
            losses=self._present(record.best.f),
            lower_bound=record.lower,
            gap=record.gap,
            radius=self.radius,
            gap_estimate=float(np.fmin(record.trace.estimate[-1], record.gap)),
            status=status,
            message="; ".join(notes),
            method=self.method,
            n_iter=record.trace.n_iter,
            n_evals=oracle.n_evals,
            n_values=oracle.n_values,
            n_inner=oracle.n_inner,
            history=record.trace.freeze(),
        )
