"""Whether a run ends after an iteration: by its gap, by an estimate of it, or by a limit."""

from __future__ import annotations

from math import inf

import numpy as np
from scipy.linalg.blas import dnrm2

from ..result import Status, region_in_words
from .bound_tracker import BoundTracker
from .certificates import Minorant, Region
from .convexity_sampling import sample_convexity
from .evaluation import Breakdown, Evaluation, Point
from .hessian_probe import (
    NEGLIGIBLE,
    PREDICTED_SHARE,
    HessianProbe,
    covers_all_directions,
    decrease_is_real,
    lower_along_flat_step,
    probe_hessian,
)
from .method import AnyMethod, State
from .oracle import Oracle
from .run_state import RunState
from .stopping import UNBOUNDED_FACTOR, Stopping, Verdict
from .unbounded import is_unbounded_below

# After a probe that predicts further decrease, the next one is made after n_iter/this more iterations, so that probes
# cost a bounded share of the run.
PROBE_INTERVAL_DIVISOR = 5
# A run of a second-order method, whose w and lam converge together, takes up to this many more iterations until one lam
# proves the tolerance at one point. Most take none, interior points none to four, or ten where the start is optimal.
PAIR_ITERATIONS = 12
# How often a run samples the region for a lower point before it ends at a stationary one of losses that are not convex.
MOST_DEPARTURES = 3


class StopDecision:
    """Decides after each iteration, and confirms convergence by a Hessian probe and by sampled convexity."""

    def __init__(
        self, oracle: Oracle, stopping: Stopping, method: AnyMethod, run_state: RunState, tracker: BoundTracker
    ) -> None:
        self._oracle = oracle
        self._stopping = stopping
        self._method = method
        self._run_state = run_state
        self._tracker = tracker
        self._not_strongly_convex = not oracle.strong_convexity.any()
        self.finding: HessianProbe | Point | None = None
        """Why the run does not end yet, for the method to use: a probe that predicts further decrease, or a lower point
        from which the method starts again."""

    def verdict(self, state: State | None = None) -> Verdict | None:
        """Why the run ends after its last iteration; None when it goes on."""
        history, stopping = self._run_state.history, self._stopping
        exhausted = self._exhausted()
        threshold, gap = stopping.threshold(history.value[-1]), history.gap[-1]
        certified = gap <= threshold
        not_convex = self._oracle.watch.violation is not None
        if not (certified or self._estimate_suffices(threshold, not_convex, exhausted)):
            return exhausted
        if certified and exhausted is None and not self._has_pair(state, threshold) and self._may_find_pair(threshold):
            return None
        if not_convex:
            if exhausted is None and self._departs():
                return None
            return Status.STATIONARY, (
                f"the model predicts a decrease of about {history.estimate[-1]:.3g}, a tenth of the tolerance "
                f"{threshold:.3g} or less twice in a row"
            )
        confirmed = self._confirmed(state, certified, exhausted is not None)
        history.n_evals[-1], history.time[-1] = self._oracle.n_evals, self._oracle.clock.elapsed
        if not confirmed:
            return exhausted
        error = self._error_of_differences()
        if error > (threshold if certified else max(threshold, gap)):
            return Status.STALLED, (
                f"finite differences for a Jacobian may be wrong by {error:.3g} in the lower bound, more than the "
                f"tolerance {threshold:.3g}; pass jac, or raise tol"
            )
        if certified and self._run_state.step_in_region:
            where = self._where_certified()
            return Status.CONVERGED, f"{where}: the gap {history.gap[-1]:.3g} is within the tolerance {threshold:.3g}"
        bound = f"{self._where_certified()}: {gap:.3g}" if gap < inf else "no certificate"
        return Status.CONVERGED, (
            f"estimated: the gap is about {history.estimate[-1]:.3g}, a tenth of the tolerance {threshold:.3g} or less "
            f"twice in a row ({bound})"
        )

    def _where_certified(self) -> str:
        """The word with the region of the bound, where that is not everywhere."""
        tracker = self._tracker
        return "certified" if tracker.everywhere else f"certified {region_in_words(tracker.reach)}"

    def _exhausted(self) -> Verdict | None:
        """Why a run that has not converged ends; None when it goes on."""
        run_state = self._run_state
        magnitude = UNBOUNDED_FACTOR * run_state.magnitude if run_state.deep else run_state.magnitude
        verdict = self._stopping.exhausted(run_state.history, magnitude)
        if verdict is None or verdict[0] is not Status.UNBOUNDED or run_state.deep:
            return verdict
        # A minimum may lie this low. If no unbounded ray is found, the run goes on with the limit multiplied by
        # UNBOUNDED_FACTOR once more.
        run_state.deep = is_unbounded_below(self._oracle, run_state, thorough=True) is not True
        return self._exhausted() if run_state.deep else verdict

    def _estimate_suffices(self, threshold: float, not_convex: bool, exhausted: Verdict | None) -> bool:
        """Whether the estimated gap may end a run whose certified gap is above the tolerance."""
        if not (self._method.predicts_gap and (self._not_strongly_convex or not_convex)):
            return False
        history, stopping = self._run_state.history, self._stopping
        if not stopping.estimate_is_small(history, threshold):
            return False
        # The certificate of a stalled run does not improve any more, so that only the estimate can end it.
        stalled = exhausted is not None and exhausted[0] is Status.STALLED
        all_directions = stalled or covers_all_directions(self._oracle, history.n_iter)
        return stopping.estimate_may_decide(history.gap[-1], threshold, all_directions=all_directions)

    def _confirmed(self, state: State | None, certified: bool, last: bool) -> bool:
        """Whether a probe predicts no further decrease and samples of the region show no violation of convexity.

        A bound that holds everywhere needs no probe for flat directions, and losses that are convex by construction
        need no samples. After a probe that predicts further decrease, the next one is made some iterations later.
        """
        run_state, oracle = self._run_state, self._oracle
        history, region = run_state.history, self._tracker.region
        run_state.step_in_region = True
        no_flat_directions = (
            self._tracker.everywhere or oracle.affine or (certified and self._full_step_in_region(state, region))
        )
        if oracle.affine and not self._tracker.everywhere and history.n_iter == 0 and not last:
            # A step of affine losses goes as far as needed, but the start may be far from a minimum outside the region.
            return False
        if no_flat_directions and oracle.convex:
            return True
        if self._stopping.out_of_time(history) or (history.n_iter < run_state.next_probe and not last):
            return False
        if not no_flat_directions and not self._probe_confirms(state, region, certified):
            return False
        if oracle.convex:
            return True
        sample = sample_convexity(oracle, run_state.best, run_state.bound, region)
        if sample.violation is None:
            return True
        self._tracker.withdraw(sample.violation)
        if sample.lowest is not None and not self._method.answers_last:
            run_state.best = self.finding = sample.lowest
        return False

    def _probe_confirms(self, state: State | None, region: Region, certified: bool) -> bool:
        """Whether a Hessian probe at the best point predicts no relevant decrease, with a step within the region."""
        run_state, oracle = self._run_state, self._oracle
        threshold = self._stopping.threshold(run_state.best.value)
        at = oracle.evaluate(run_state.best.w)
        probe = self._probe(at, state, region, threshold)
        if probe.violation is not None:
            self._tracker.withdraw(probe.violation)
            return False
        # A step that leaves the region for a negligible decrease is allowed: second derivatives vanish along it.
        run_state.step_in_region = probe.length <= region.radius or probe.predicted <= NEGLIGIBLE * threshold
        more = probe.predicted > PREDICTED_SHARE * threshold or (certified and not run_state.step_in_region)
        if more and not decrease_is_real(oracle, at, probe, NEGLIGIBLE * threshold):
            more, run_state.step_in_region = False, True
        self.finding = probe if more else None
        if not more:
            lowest = lower_along_flat_step(oracle, at, probe, NEGLIGIBLE * threshold)
            more = at.value - lowest.value > PREDICTED_SHARE * threshold
            self.finding = lowest.point if more and not self._method.answers_last else None
        if more:
            n_iter = run_state.history.n_iter
            run_state.next_probe = n_iter + max(1, n_iter // PROBE_INTERVAL_DIVISOR)
        return not more

    def _probe(self, at: Evaluation, state: State | None, region: Region, threshold: float) -> HessianProbe:
        lam = self._run_state.dual if state is None else state.lam
        try:
            return probe_hessian(self._oracle, at, lam, region, threshold, self._run_state.history.n_iter)
        except Breakdown:
            return HessianProbe(inf, inf)

    def _full_step_in_region(self, state: State | None, region: Region) -> bool:
        """Whether the last unshifted step, with second derivatives in all directions, is no longer than the radius."""
        if state is None or state.unshifted_step is None or not np.array_equal(state.point.w, self._run_state.best.w):
            return False
        return region.length(state.unshifted_step, self._oracle.strong_convexity) <= region.radius

    def _has_pair(self, state: State | None, threshold: float) -> bool:
        """Whether one lam proves the tolerance at one point, as `certify` checks it; they become the result then.

        The bound of a run is an average of minorants of several points. Its lam belongs to their average, and may prove
        far less at the best point, where G' lam is divided by a small strong convexity. The point of the last step may
        have a slightly larger value than the best one, but it has the lam that belongs to it.
        """
        run_state, oracle, region = self._run_state, self._oracle, self._tracker.region
        at = oracle.evaluate(run_state.best.w)
        pair = oracle.cut(at, run_state.dual)
        if at.value - pair.minimum(region) <= threshold:
            return True
        if state is None:
            return False
        last = state.point
        for minorant in state.minorants:
            pair = pair.best_mix(oracle.cut(at, minorant.lam), region)
            if at.value - pair.minimum(region) <= threshold:
                return self._take_pair(run_state.best, pair, threshold)
            if np.array_equal(last.w, minorant.origin) and last.value - minorant.minimum(region) <= threshold:
                return self._take_pair(last, minorant, threshold)
        return False

    def _take_pair(self, point: Point, minorant: Minorant, threshold: float) -> bool:
        """Report a point with its own minorant, if that proves the tolerance in the region around this point."""
        run_state = self._run_state
        before = run_state.best, run_state.bound
        for run_state.best, run_state.bound in ((point, minorant), before):
            run_state.history.value[-1] = run_state.best.value
            self._tracker.recompute()
            if run_state.gap <= threshold:
                break
        return run_state.bound is not before[1]

    def _may_find_pair(self, threshold: float) -> bool:
        """Whether the run may go on for a lam that belongs to its point."""
        latest = self._run_state.history.gap[-1 - PAIR_ITERATIONS :]
        return self._method.predicts_gap and not all(gap <= threshold for gap in latest)

    def _error_of_differences(self) -> float:
        """The largest error of the lower bound by a Jacobian from finite differences."""
        if self._oracle.exact_jacobian:
            return 0.0
        region = self._tracker.region
        error = self._oracle.jacobian_error(region.center)
        if error is None or not np.isfinite(region.radius):
            return 0.0
        return region.radius * float(dnrm2(np.abs(self._run_state.dual).dot(error) * region.scales))

    def _departs(self) -> bool:
        """Whether sampling finds a point below a stationary one of losses that are not convex."""
        run_state = self._run_state
        if self._method.answers_last or run_state.n_departures >= MOST_DEPARTURES:
            return False
        run_state.n_departures += 1
        lowest = sample_convexity(self._oracle, run_state.best, None, self._tracker.region).lowest
        threshold = self._stopping.threshold(run_state.best.value)
        if lowest is None or not lowest.value < run_state.best.value - threshold:
            return False
        run_state.best = self.finding = lowest
        return True
