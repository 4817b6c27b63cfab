"""Impact ratios: selection rates relative to the group that is selected most often."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector
from ..groups import MISSING, Groups


def rows_without_label(groups: Groups) -> int:
    """The number of rows without a label, or without one of the crossed or overlapping labels."""
    return int(unknown_groups(groups)[groups.numbers].any(axis=1).sum())


def unknown_groups(groups: Groups) -> NDArray[np.bool_]:
    """Whether each group is of rows without a label."""
    return np.array(
        [_is_missing(name) or (isinstance(name, tuple) and any(map(_is_missing, name))) for name in groups.names]
    )


def _is_missing(label: Any) -> bool:
    return isinstance(label, str) and label == MISSING


def reference_groups(selection_rate: Vector, groups: Groups, small: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The number of the group that each group is compared with: the one of the largest selection rate.

    As in the rules of New York City's Local Law 144 (6 RCNY 5-301), which leave out groups of less than 2 % of the rows
    and rows of unknown groups: neither can be the reference, unless there is no other. Where attributes overlap, each
    of them has its own.
    """
    unknown = unknown_groups(groups)
    reference = np.zeros(len(groups.names), dtype=np.intp)
    for own in (np.unique(numbers) for numbers in groups.numbers.T):
        measured = own[~np.isnan(selection_rate[own])]
        known = measured[~unknown[measured]]
        large = known[~small[known]]
        candidates = next((some for some in (large, known, measured) if some.size), own)
        reference[own] = candidates[np.argmax(selection_rate[candidates])]
    return reference
