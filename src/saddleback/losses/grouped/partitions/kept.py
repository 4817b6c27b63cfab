"""Residents that are kept between passes, in the memory that a user allows."""

from __future__ import annotations

from threading import Lock
from typing import Any

from .packed import PackedResident
from .resident import Resident
from .sizes import bytes_of


class Budget:
    """Bytes for all losses of the same features together."""

    def __init__(self, memory: float) -> None:
        self.memory = memory
        self.used = 0
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Budget, (self.memory,)

    def take(self, n_bytes: int) -> bool:
        """Whether there were so many left, which are then taken; fewer than none are given back."""
        with self._lock:
            if n_bytes > 0 and self.used + n_bytes > self.memory:
                return False
            self.used += n_bytes
            return True


class Kept:
    """By their numbers and packed, as far as memory allows: to make one anew takes as long as to read its rows."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._used = 0
        self._residents: dict[int, PackedResident] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy begins without any, and makes them anew.
        return Kept, (self.budget,)

    def __del__(self) -> None:
        self.budget.take(-self._used)

    def resident(self, number: int) -> Resident | None:
        """One that is kept."""
        kept = self._residents.get(number)
        return None if kept is None else kept.opened()

    def keep(self, number: int, resident: Resident) -> None:
        """Keep a resident, if there is room; no two threads make the same one."""
        packed = PackedResident.of(resident)
        n_bytes = bytes_of(packed)
        if self.budget.take(n_bytes):
            self._used += n_bytes
            self._residents[number] = packed
