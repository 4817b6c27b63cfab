"""How many rows of each group are sampled, for whole Hessians and for products with a few directions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ROWS_PER_PARAMETER = 25
"""Rows per parameter, of the groups with large lam_j: relative errors of the Hessian are about 1/sqrt(25) = 1/5."""

LOADED_GROUPS = 5
"""The number of groups that are assumed to have large lam_j."""

GROWN_ENTRIES = 1 << 21
"""Entries up to which a sample for whole Hessians grows with the table: 16 MB. With r rows per parameter in each group
a step with the estimate lowers the gap by a factor of about r."""

MOST_ENTRIES = 1 << 24
"""Entries of a sample for whole Hessians at most: 128 MB."""

FEW_PARAMETERS = 150
ROWS_FOR_DIRECTIONS = 1000
"""Rows of a sample for directions of more than ``FEW_PARAMETERS``: enough for some tens of them."""

SAMPLE_DIVISOR = 8
"""At most one row in this many is sampled, so that an estimate is cheap compared with the exact Hessian."""

LEAST_PER_GROUP = 5
"""Rows of each group that are sampled at least, so that every group contributes."""

CHEAP_HESSIAN = 5_000_000
"""Multiplications up to which an exact Hessian is cheap enough."""


class SampleSizes(NamedTuple):
    """Rows of each group; None where the table is too small for such a sample."""

    hessians: int | None
    directions: int | None

    @classmethod
    def of(cls, sizes: NDArray[Any], n_rows: int, n_entries: int, n_params: int) -> SampleSizes:
        """For groups of these sizes, in a table of so many stored rows and entries."""
        n_groups, most = sizes.size, n_rows // SAMPLE_DIVISOR

        def fits(per_group: int, most: int) -> bool:
            return bool(np.minimum(sizes, per_group).sum() <= most)

        hessians = directions = None
        least = max(ROWS_PER_PARAMETER * n_params // min(n_groups, LOADED_GROUPS), LEAST_PER_GROUP)
        per_entry = n_rows / n_entries
        if n_entries * n_params >= CHEAP_HESSIAN and fits(least, min(most, int(MOST_ENTRIES * per_entry))):
            hessians = max(least, min(most, int(GROWN_ENTRIES * per_entry)) // n_groups)
            directions = least
        if n_params > FEW_PARAMETERS:
            of_each = max(ROWS_FOR_DIRECTIONS // n_groups, LEAST_PER_GROUP)
            directions = of_each if fits(of_each, most) else None
        return cls(hessians, directions)
