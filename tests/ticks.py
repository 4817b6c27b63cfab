"""A clock that tests control, in place of the system clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from saddleback.machine import clock as _clock


class Ticks:
    """A clock in seconds that ``spend`` advances, and every reading of it by ``per_look``."""

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
        """``fun`` with a duration of ``seconds``."""

        def slow(*arguments: Any) -> Any:
            self.spend(seconds)
            return fun(*arguments)

        return slow
