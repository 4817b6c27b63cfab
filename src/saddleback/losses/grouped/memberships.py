"""The rows of each group, and their coefficients in the group's loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector


@dataclass(frozen=True, eq=False)
class Memberships:
    """Pairs (row, group) with positive coefficients that sum to 1 in each group."""

    n_rows: int
    names: Sequence[Any]
    rows: NDArray[np.intp]
    groups: NDArray[np.intp]
    coefficients: Vector
    sizes: NDArray[np.intp]
    """The number of rows of each group that have a positive weight."""
    weights: Vector
    """The total weight of each group."""

    @classmethod
    def of(
        cls, n_rows: int, names: list[Any], rows: NDArray[np.intp], groups: NDArray[np.intp], weight: Vector
    ) -> Memberships:
        """From pairs with weights >= 0. Pairs of weight 0 are dropped; a group of such pairs alone has size 0."""
        if weight.size and weight.min() == weight.max() > 0.0:
            sizes = np.bincount(groups, minlength=len(names))
            with np.errstate(over="ignore", divide="ignore"):
                return cls(n_rows, names, rows, groups, (1.0 / sizes)[groups], sizes, sizes * weight[0])
        kept = weight > 0
        if not kept.all():
            rows, groups, weight = rows[kept], groups[kept], weight[kept]
        sizes = np.bincount(groups, minlength=len(names))
        # Divided by the group's largest weight first, so that no sum of weights overflows.
        largest = np.zeros(len(names))
        np.maximum.at(largest, groups, weight)
        relative = weight / largest[groups]
        totals = np.bincount(groups, relative, minlength=len(names))
        with np.errstate(over="ignore"):
            weights = totals * largest
        return cls(n_rows, names, rows, groups, relative / totals[groups], sizes, weights)

    @property
    def n_groups(self) -> int:
        return len(self.names)
