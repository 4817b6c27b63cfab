"""When a run ends, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._types import EPS
from .._validation import number, whole
from ..result import Status
from .history import Trace

# The relative part of the tolerance is at most this: see ``Stopping.threshold``.
RELATIVE = 1e-10
# A run has stalled when this many iterations brought no decrease beyond rounding and no better bound.
PATIENCE = 200
HOPELESS = 10
# An estimate ends a run only where the certified gap is at most this many tolerances; fewer where a look before the end
# cannot see every direction: the slope along the others is then not much more than that along a flat one.
BELIEVED = 1e3
GUESSED = 10.0
# A value this many times below the scale of the start is taken for minus infinity.
UNBOUNDED = 1e15


@dataclass(frozen=True)
class Stopping:
    """The limits of one run."""

    tol: float
    max_iter: int
    time_limit: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tol", number(self.tol, "tol", minimum=0.0))
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter"))
        if self.time_limit is not None:
            object.__setattr__(self, "time_limit", number(self.time_limit, "time_limit", minimum=0.0))

    def threshold(self, value: float) -> float:
        """The gap that counts as converged: tol, or relative to large values min(tol, 1e-10) |value|.

        It never exceeds tol max(1, |value|). The relative part is capped so that a tolerance in the units of f
        stays one: while tol >= 1e-10 |value|, multiplying f, R and tol by a constant does not change where a run ends.
        """
        return max(self.tol, min(self.tol, RELATIVE) * abs(value))

    def certified(self, trace: Trace) -> bool:
        """Whether the certified gap is within the tolerance."""
        return trace.gap[-1] <= self.threshold(trace.value[-1])

    def promises_nothing(self, trace: Trace) -> bool:
        """Whether the estimated gap is a tenth of the tolerance or less twice in a row."""
        threshold = self.threshold(trace.value[-1])
        return trace.n_iter >= 2 and all(left <= 0.1 * threshold for left in trace.estimate[-2:])

    def nearly_certified(self, trace: Trace, *, sees_all: bool) -> bool:
        """Whether the certified gap is near enough to the tolerance for an estimate to end the run, or is none.

        ``sees_all``: a look before the end sees the curvature in every direction.
        """
        gap, threshold = trace.gap[-1], self.threshold(trace.value[-1])
        return gap <= (BELIEVED if sees_all else GUESSED) * threshold or gap == np.inf

    def out_of_time(self, trace: Trace) -> bool:
        """Whether the time limit has passed."""
        return self.time_limit is not None and trace.time[-1] >= self.time_limit

    def exhausted(self, trace: Trace, scale: float) -> tuple[Status, str] | None:
        """Why a run that has not converged ends after the last entry of the trace; None when it goes on.

        ``scale`` is the size of the losses and of their change near w0.
        """
        value, n_iter = trace.value[-1], trace.n_iter
        if value < -UNBOUNDED * scale:
            return Status.UNBOUNDED, f"the objective fell to {value:.3g}: it seems unbounded below"
        if self.out_of_time(trace):
            return Status.TIME_LIMIT, self.too_late(trace.time[-1])
        if n_iter >= self.max_iter:
            return Status.MAX_ITER, f"stopped after {n_iter} iterations; raise max_iter, or tol"
        if n_iter < HOPELESS:
            return None
        # Where a model promises nothing beyond rounding there is less to wait for.
        known = [left for left in trace.estimate[-HOPELESS:] if left == left]
        hopeless = len(known) >= HOPELESS // 2 and all(left <= 64 * EPS * abs(value) for left in known)
        patience = HOPELESS if hopeless else PATIENCE
        if n_iter >= patience and _stalled(trace, patience):
            return Status.STALLED, f"no progress beyond rounding in {patience} iterations"
        return None

    def too_late(self, seconds: float) -> str:
        """What the message says of a run that has no time left, or not enough for what comes next."""
        stopped = f"stopped after {seconds:.3g} s, the limit was {self.time_limit:g} s"
        enough = self.time_limit is None or seconds >= self.time_limit
        return stopped if enough else f"{stopped}: the next step would take longer than what is left"


def _stalled(trace: Trace, patience: int) -> bool:
    earlier, now = -1 - patience, -1
    decrease = trace.value[earlier] - trace.value[now] > 8 * EPS * abs(trace.value[now])
    tighter = np.isfinite(trace.gap[now]) and trace.gap[now] < (1.0 - 1e-3) * trace.gap[earlier]
    return not (decrease or tighter)
