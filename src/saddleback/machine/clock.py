"""The clock of one run: seconds since the call, and the limit on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import perf_counter

from .resources import flops_per_second

# Work that no clock is asked about: a millisecond or so.
LITTLE = 1e7
# Large factorizations run at up to so many times the rate of the small one that is timed.
OPTIMISM = 3.0


class OutOfTime(Exception):
    """The time limit has passed; `solve` ends the run with the best point so far."""


class Clock:
    """Seconds since the call of `solve` or `minimax`: compilation, the first evaluation and checkpoints count.

    Whoever loops calls ``check`` between two rounds. What is one call of somebody else's code (an evaluation of the
    losses, a factorization, a run of PIQP) cannot be interrupted: where its cost is known, it is not begun unless there
    is time for it.
    """

    def __init__(self) -> None:
        self._started = perf_counter()
        self._limit = inf

    @property
    def elapsed(self) -> float:
        """Seconds since the call, those before a resumption included."""
        return perf_counter() - self._started

    @property
    def left(self) -> float:
        """Seconds until the limit; inf where there is none."""
        return self._limit - self.elapsed if self._limit < inf else inf

    def limit(self, seconds: float | None) -> None:
        """Set the limit."""
        self._limit = inf if seconds is None else seconds

    def take_up(self, seconds: float) -> None:
        """Go on from a run that had taken so many seconds."""
        self._started -= seconds

    @contextmanager
    def at_least(self, seconds: float) -> Iterator[None]:
        """Within, no fewer seconds are left: for what a result cannot do without."""
        limit = self._limit
        self._limit = max(limit, self.elapsed + seconds)
        try:
            yield
        finally:
            self._limit = limit

    def check(self, flops: float = 0.0) -> None:
        """Raise OutOfTime where no time is left, or clearly not enough for so many operations in one thread."""
        if self._limit == inf:
            return
        left = self.left
        if left <= 0 or (flops > LITTLE and flops / (OPTIMISM * flops_per_second()) > left):
            raise OutOfTime


UNLIMITED = Clock()
"""The clock of computations outside of a run; nobody sets its limit."""
