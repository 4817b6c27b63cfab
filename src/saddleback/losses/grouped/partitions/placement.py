"""Which worker has which partitions: neighbors together, cut where the tree of sums is cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .tree import depth, first_leaf

SLACK = 0.05
"""Shares may differ by this much so that a cut falls between two large nodes of the tree: fewer sums then leave a
worker, and the slowest one waits 5 % longer."""

UNEVEN = 1.25
"""How many times its share a worker may have before partitions are moved to others, which costs reading them once."""


@dataclass(frozen=True)
class Range:
    """Partitions of one worker."""

    address: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Holdings:
    """The futures of all partitions, and who holds each."""

    futures: list[Any]
    holders: list[str]
    workers: frozenset[str]
    """All workers, those without partitions included."""

    @cached_property
    def ranges(self) -> list[Range]:
        return ranges_of(self.holders)

    def of(self, one: Range) -> list[Any]:
        return [self.futures[number] for number in one.numbers]


def contiguous(n_partitions: int, threads: Mapping[str, int]) -> list[Range]:
    """Shares by the threads of the workers, in the order of their addresses; no more workers than partitions."""
    addresses = sorted(threads)
    ends = np.cumsum([threads[address] for address in addresses]) / sum(threads.values()) * n_partitions
    slack = SLACK * n_partitions / len(addresses)
    cuts = [0, *(_cut(float(end), slack, n_partitions) for end in ends[:-1]), n_partitions]
    ranges = [
        Range(address, tuple(range(first, last)))
        for address, first, last in zip(addresses, cuts[:-1], cuts[1:], strict=True)
    ]
    return [one for one in ranges if one.numbers]


def ranges_of(holders: Sequence[str]) -> list[Range]:
    """From the worker of each partition."""
    numbers: dict[str, list[int]] = {}
    for number, address in enumerate(holders):
        numbers.setdefault(address, []).append(number)
    return [Range(address, tuple(own)) for address, own in numbers.items()]


def runs_of(holders: Sequence[str]) -> list[Range]:
    """Partitions in their order, as far as neighbors have one worker."""
    runs: list[Range] = []
    for number, address in enumerate(holders):
        if runs and runs[-1].address == address:
            runs[-1] = Range(address, (*runs[-1].numbers, number))
        else:
            runs.append(Range(address, (number,)))
    return runs


def moves(holders: Sequence[str], threads: Mapping[str, int]) -> dict[int, str]:
    """Partitions that go to other workers, where one has too many: the last ones of the fullest to the emptiest."""
    share = {address: len(holders) * n / sum(threads.values()) for address, n in threads.items()}
    load = Counter(dict.fromkeys(threads, 0))
    load.update(holders)
    if all(load[address] <= max(np.ceil(share[address]), UNEVEN * share[address]) for address in threads):
        return {}
    found: dict[int, str] = {}
    now = list(holders)
    excess = {address: load[address] - share[address] for address in threads}
    while True:
        fullest, emptiest = max(excess, key=excess.__getitem__), min(excess, key=excess.__getitem__)
        if excess[fullest] - excess[emptiest] <= 1.0:
            return found
        number = max(number for number, address in enumerate(now) if address == fullest)
        now[number] = found[number] = emptiest
        excess[fullest] -= 1.0
        excess[emptiest] += 1.0


def _cut(ideal: float, slack: float, n_partitions: int) -> int:
    """A whole number near the ideal one, where the largest possible nodes begin."""
    root = depth(n_partitions)
    for level in range(root, -1, -1):
        k = round(ideal / n_partitions * (1 << root - level))
        cut = first_leaf((level, k), n_partitions)
        if abs(cut - ideal) <= max(slack, 0.5):
            return cut
    return round(ideal)
