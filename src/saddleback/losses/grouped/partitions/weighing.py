"""The weights of the groups in all partitions, and the coefficients of their rows: the bits of the table in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...._types import Vector
from .preparing import Prepared


@dataclass(frozen=True, eq=False)
class Tally:
    """Of one partition, or of several: rows and positive weights of each group."""

    counts: NDArray[np.intp]
    """Pairs (row, group), those of weight 0 as well."""
    sizes: NDArray[np.intp]
    largest: Vector
    least: float
    """The least weight of a pair; inf without pairs."""

    @classmethod
    def merged(cls, parts: Sequence[Tally]) -> Tally:
        return cls(
            np.sum([part.counts for part in parts], axis=0),
            np.sum([part.sizes for part in parts], axis=0),
            np.max([part.largest for part in parts], axis=0),
            min(part.least for part in parts),
        )

    @property
    def uniform(self) -> bool:
        """Whether all weights are the same positive number."""
        return bool(self.least == self.largest.max() > 0.0)


@dataclass(frozen=True)
class Count:
    """Ask a partition for its tally."""

    n_groups: int

    def __call__(self, part: Prepared | None) -> Tally | None:
        if part is None:
            return None
        largest = np.zeros(self.n_groups)
        np.maximum.at(largest, part.groups, part.weight)
        return Tally(
            np.bincount(part.groups, minlength=self.n_groups),
            np.bincount(part.groups[part.weight > 0.0], minlength=self.n_groups),
            largest,
            float(part.weight.min(initial=np.inf)),
        )


@dataclass(frozen=True, eq=False)
class AddWeights:
    """Continue the sums of relative weights, in the order of the rows: one partition after the other."""

    largest: Vector

    def __call__(self, totals: Vector, part: Prepared | None) -> Vector:
        if part is None:
            return totals
        kept = part.weight > 0.0
        groups = part.groups[kept]
        relative = part.weight[kept] / self.largest[groups]
        # NumPy adds the entries of one group one after the other, beginning with the sum up to here.
        everything = np.concatenate([np.arange(totals.size), groups]), np.concatenate([totals, relative])
        return np.bincount(*everything, minlength=totals.size).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Of all rows, group by group (see `Memberships.of`)."""

    sizes: NDArray[np.intp]
    weights: Vector
    """The total weight of each group."""
    largest: Vector
    totals: Vector | None
    """Sums of the weights over the largest; None where all weights are equal."""

    @classmethod
    def uniform(cls, tally: Tally) -> Coefficients:
        with np.errstate(over="ignore"):
            return cls(tally.sizes, np.asarray(tally.sizes * tally.least, dtype=np.float64), tally.largest, None)

    @classmethod
    def weighted(cls, tally: Tally, totals: Vector) -> Coefficients:
        with np.errstate(over="ignore"):
            return cls(tally.sizes, totals * tally.largest, tally.largest, totals)

    def of(self, groups: NDArray[Any], weight: Vector) -> Vector:
        """Of pairs with these groups and positive weights."""
        if self.totals is None:
            return (1.0 / self.sizes)[groups]
        return weight / self.largest[groups] / self.totals[groups]
