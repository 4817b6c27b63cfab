"""The time that is left of work in equal parts."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

WORTH_TELLING = 20.0
"""Seconds: nobody plans with less."""


class Pace:
    """Estimates the time that is left from the parts of the work that are done."""

    def __init__(self, total: int, clock: Callable[[], float] = monotonic) -> None:
        self._clock, self._begun = clock, clock()
        self.total, self.done = total, 0

    def end_part(self) -> None:
        """One more part is done."""
        self.done += 1

    @property
    def left(self) -> float:
        """Seconds, if the other parts take as long as those so far; 0 before the first is done."""
        if not self.done:
            return 0.0
        return (self._clock() - self._begun) * (self.total - self.done) / self.done

    def in_words(self) -> str:
        """Such as "about 3 min left"; empty where little is left, or nothing is known."""
        left = self.left
        if left < WORTH_TELLING:
            return ""
        if left < 100.0:
            return f"about {10 * round(left / 10):.0f} s left"
        return f"about {left / 60:.0f} min left" if left < 7200.0 else f"about {left / 3600:.0f} h left"
