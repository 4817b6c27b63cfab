"""Which rows count in which group, and how much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector


@dataclass(frozen=True, eq=False)
class Memberships:
    """Pairs (row, group) with positive coefficients that sum to 1 in each group."""

    n_rows: int
    names: list[Any]
    rows: NDArray[np.intp]
    groups: NDArray[np.intp]
    coefficients: Vector
    sizes: NDArray[np.intp]
    """The number of rows of each group that have a positive weight."""
    weights: Vector
    """The total weight of each group."""

    @property
    def n_groups(self) -> int:
        return len(self.names)
