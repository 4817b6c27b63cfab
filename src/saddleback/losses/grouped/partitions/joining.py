"""Who adds the sums of the workers: the client, or where they are many or large, workers for their neighbors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

FAN_IN = 4
"""Sums that one process adds: with so few workers the client adds them itself, which saves a round of messages."""

FEW_BYTES = 1 << 20
"""Of the sums of all workers up to which the client adds them itself, however many there are: a round of messages takes
longer than this much on a network of a gigabit per second."""

MOST_CALLS = 16
"""Workers that the client calls itself, however few bytes: each costs it some 0.3 ms, and a level of joins costs
two messages and three calls of a worker."""


def levels(n_workers: int, n_bytes: int, most: int | None = None) -> int:
    """Levels of joins by fours until few sums are left for the client, or few bytes, and ``most`` at most."""
    n = 0
    while n_workers > FAN_IN and (n_workers * n_bytes > FEW_BYTES or (most is not None and n_workers > most)):
        n_workers, n = -(-n_workers // FAN_IN), n + 1
    return n


def joined_by_fours(items: Sequence[T], n_levels: int, join: Callable[[Sequence[T]], T]) -> list[T]:
    """What is left of the items after so many levels, each of which joins neighbors."""
    level = list(items)
    for _ in range(n_levels):
        level = [join(level[first : first + FAN_IN]) for first in range(0, len(level), FAN_IN)]
    return level
