"""Stopping rules on the history of a run: tolerance, limits, stalls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from .._types import EPS
from .._validation import number, whole
from ..result import Status
from .history import HistoryBuilder

Verdict: TypeAlias = tuple[Status, str]
"""Why a run ends, and the sentence for `Result.message`."""

# The relative part of the tolerance is at most this: see ``Stopping.threshold``.
LARGEST_RELATIVE_TOLERANCE = 1e-10
# A run has stalled after this many iterations without a decrease beyond rounding and without a better bound; after the
# smaller number where the models of these iterations predict no decrease beyond rounding either.
STALL_ITERATIONS = 200
SHORT_STALL_ITERATIONS = 10
# Decreases below these multiples of |g| are rounding errors: of a difference of two values, and of the prediction of a
# model, which is a sum of more terms.
DECREASE_ROUNDING, PREDICTION_ROUNDING = 8 * EPS, 64 * EPS
# A gap that shrinks by a smaller share in STALL_ITERATIONS counts as unchanged.
LEAST_GAP_REDUCTION = 1e-3
# An estimate ends a run only where the certified gap is at most this many tolerances: the larger number where the final
# Hessian probe covers all directions, the smaller one where it covers a few, as another direction may be flat.
ESTIMATE_FACTOR_ALL_DIRECTIONS = 1e3
ESTIMATE_FACTOR_FEW_DIRECTIONS = 10.0
# The share of the tolerance that an estimate must reach, twice in a row.
ESTIMATE_SHARE = 0.1
# A value that is this many times the magnitude of the losses at w0 below zero counts as minus infinity.
UNBOUNDED_FACTOR = 1e15


@dataclass(frozen=True)
class Stopping:
    """Tolerance and limits of one run."""

    tol: float
    max_iter: int
    time_limit: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tol", number(self.tol, "tol", minimum=0.0))
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter"))
        if self.time_limit is not None:
            object.__setattr__(self, "time_limit", number(self.time_limit, "time_limit", minimum=0.0))

    def threshold(self, value: float) -> float:
        """The gap at which a run has converged: tol, or for large values min(tol, 1e-10) |value|.

        It never exceeds tol max(1, |value|). The relative part is capped so that ``tol`` is a tolerance in the scale of
        f: while tol >= 1e-10 |value|, multiplying f, R and tol by a constant does not change where a run ends.
        """
        tol = self.tol
        relative = (tol if tol < LARGEST_RELATIVE_TOLERANCE else LARGEST_RELATIVE_TOLERANCE) * abs(value)
        return relative if relative > tol else tol

    def estimate_is_small(self, history: HistoryBuilder, threshold: float) -> bool:
        """Whether the estimated gap was a tenth of the threshold or less in the last two iterations."""
        if len(history.estimate) < 3:
            return False
        small = ESTIMATE_SHARE * threshold
        return history.estimate[-1] <= small and history.estimate[-2] <= small

    def estimate_may_decide(self, gap: float, threshold: float, *, all_directions: bool) -> bool:
        """Whether the certified gap is close enough to the tolerance for an estimate to end the run, or infinite.

        ``all_directions``: whether a Hessian probe would cover every direction.
        """
        factor = ESTIMATE_FACTOR_ALL_DIRECTIONS if all_directions else ESTIMATE_FACTOR_FEW_DIRECTIONS
        return gap <= factor * threshold or gap == np.inf

    def out_of_time(self, history: HistoryBuilder) -> bool:
        """Whether the time limit had passed at the last entry of the history."""
        return self.time_limit is not None and history.time[-1] >= self.time_limit

    def exhausted(self, history: HistoryBuilder, magnitude: float) -> Verdict | None:
        """Why a run that has not converged ends after the last entry of the history; None when it goes on.

        ``magnitude`` is that of the losses and of their first-order change at w0.
        """
        value, n_iter = history.value[-1], len(history.time) - 1
        if value < -UNBOUNDED_FACTOR * magnitude:
            return Status.UNBOUNDED, f"the objective fell to {value:.3g}: it seems unbounded below"
        if self.time_limit is not None and self.out_of_time(history):
            return Status.TIME_LIMIT, self.time_limit_message(history.time[-1])
        if n_iter >= self.max_iter:
            times = f"{n_iter} iteration{'s' if n_iter != 1 else ''}"
            return Status.MAX_ITER, f"stopped after {times}; raise max_iter, or tol"
        if n_iter < SHORT_STALL_ITERATIONS:
            return None
        patience = SHORT_STALL_ITERATIONS if _predicts_nothing(history, value) else STALL_ITERATIONS
        if n_iter >= patience and _stalled(history, patience):
            return Status.STALLED, f"no progress beyond rounding in {patience} iterations"
        return None

    def time_limit_message(self, seconds: float) -> str:
        """The message of a run that reached its time limit, or has too little time left for the next step."""
        stopped = f"stopped after {seconds:.3g} s, the limit was {self.time_limit:g} s"
        passed = self.time_limit is None or seconds >= self.time_limit
        return stopped if passed else f"{stopped}: the next step would take longer than the time left"


def _predicts_nothing(history: HistoryBuilder, value: float) -> bool:
    """Whether the models of the last iterations predict no decrease beyond rounding."""
    known = [estimate for estimate in history.estimate[-SHORT_STALL_ITERATIONS:] if estimate == estimate]
    if len(known) < SHORT_STALL_ITERATIONS // 2:
        return False
    return max(known) <= PREDICTION_ROUNDING * abs(value)


def _stalled(history: HistoryBuilder, patience: int) -> bool:
    earlier, now = -1 - patience, -1
    decrease = history.value[earlier] - history.value[now] > DECREASE_ROUNDING * abs(history.value[now])
    tighter = np.isfinite(history.gap[now]) and history.gap[now] < (1.0 - LEAST_GAP_REDUCTION) * history.gap[earlier]
    return not (decrease or tighter)
