"""A time that moves when a test says so, in the place of the machine's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from saddleback.machine import clock as _clock


class Ticks:
    """Seconds: ``spend`` lets them pass, and so may every look at the clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, per_look: float = 0.0) -> None:
        self.now, self.looks, self._per_look = 0.0, 0, per_look
        monkeypatch.setattr(_clock, "perf_counter", self._look)

    def _look(self) -> float:
        self.looks += 1
        self.now += self._per_look
        return self.now

    def spend(self, seconds: float) -> None:
        self.now += seconds

    def costly(self, fun: Callable[..., Any], seconds: float) -> Callable[..., Any]:
        """``fun``, which takes so long."""

        def slow(*arguments: Any) -> Any:
            self.spend(seconds)
            return fun(*arguments)

        return slow
