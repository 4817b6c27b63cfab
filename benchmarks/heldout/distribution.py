"""How the z of many tables are distributed, and how they would be if nothing differed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from scipy.stats import norm

from .summary import Summary

EDGES = (-np.inf, -2.0, -1.0, 0.0, 1.0, 2.0, np.inf)
NAMES = ("below -2", "-2 to -1", "-1 to 0", "0 to 1", "1 to 2", "above 2")
GAIN = -1.0
"""A table counts as one where nothing is gained if z is above this."""


def z_counts(z: Iterable[float]) -> dict[str, int]:
    """How many are in each range."""
    values = np.array(list(z))
    return {
        name: int(((values > low) & (values <= high)).sum())
        for name, (low, high) in zip(NAMES, pairwise(EDGES), strict=True)
    }


def chance_counts(n: int) -> dict[str, float]:
    """The expected counts of n standard normal numbers."""
    return dict(zip(NAMES, (n * np.diff(norm.cdf(EDGES))).tolist(), strict=True))


def largest_by_chance(n: int) -> float:
    """The median of the largest of n standard normal numbers."""
    return float(norm.ppf(0.5 ** (1.0 / n)))


def changed(summaries: Iterable[Summary]) -> list[Summary]:
    """Those where some row has another loss than under the base."""
    return [s for s in summaries if not s.same]


def without_gain(summaries: Iterable[Summary]) -> list[Summary]:
    """Those where nothing is gained, the most expensive first."""
    return sorted((s for s in summaries if s.z > GAIN), key=lambda s: -s.overall_change)


def of(summaries: Sequence[Summary], contestant: str, split: int | None = 0) -> list[Summary]:
    """One contestant's lines, of one split or of all."""
    return [s for s in summaries if s.contestant == contestant and split in (None, s.split)]
