"""The clock of one run: seconds since the call, and the limit on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import inf
from time import perf_counter

from .resources import flops_per_second

# The time of fewer operations, about a millisecond, is not predicted.
NEGLIGIBLE_FLOPS = 1e7
# Large factorizations run at up to this many times the rate of the small one that is timed.
LARGEST_SPEEDUP = 3.0


class OutOfTime(Exception):
    """Raised when the time limit has passed; `solve` then ends the run with the best point so far."""


class Clock:
    """Seconds since the call of `solve` or `minimax`: compilation, the first evaluation and checkpoints count.

    Every loop calls ``check`` once per round. A single call of other code (an evaluation of the losses, a
    factorization, a run of PIQP) cannot be interrupted: where its cost is known, ``check(flops)`` raises unless there
    is time for it.
    """

    def __init__(self) -> None:
        self._started = perf_counter()
        self.time_limit = inf
        """Seconds; inf without a limit. Read-only: ``limit`` sets it."""

    @property
    def elapsed(self) -> float:
        """Seconds since the call, those before a resumption included."""
        return perf_counter() - self._started

    @property
    def left(self) -> float:
        """Seconds until the limit; inf where there is none."""
        return self.time_limit - self.elapsed if self.time_limit < inf else inf

    def limit(self, seconds: float | None) -> None:
        """Set the limit."""
        self.time_limit = inf if seconds is None else seconds

    def take_up(self, seconds: float) -> None:
        """Count the seconds of an earlier run, too."""
        self._started -= seconds

    def at_least(self, seconds: float) -> AbstractContextManager[None]:
        """Extend the limit so that at least this many seconds are left within, for work that every result needs."""
        return nullcontext() if self.time_limit == inf else self._extended(seconds)

    @contextmanager
    def _extended(self, seconds: float) -> Iterator[None]:
        limit = self.time_limit
        self.time_limit = max(limit, self.elapsed + seconds)
        try:
            yield
        finally:
            self.time_limit = limit

    def check(self, flops: float = 0.0) -> None:
        """Raise OutOfTime where no time is left, or clearly too little for this many operations in one thread."""
        if self.time_limit == inf:
            return
        left = self.left
        if left <= 0 or (flops > NEGLIGIBLE_FLOPS and flops / (LARGEST_SPEEDUP * flops_per_second()) > left):
            raise OutOfTime


UNLIMITED = Clock()
"""The clock of computations outside a run; its limit is never set."""
