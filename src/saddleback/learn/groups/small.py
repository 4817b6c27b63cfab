"""Groups with too few rows are merged into one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ProblemError, warn_user
from .levels import Levels

REST = "(rest)"
"""The name of the group of merged groups."""


def merge_small(levels: Levels, least: int, argument: str) -> tuple[Levels, dict[Any, int]]:
    """Merge levels with fewer than ``least`` rows into one named REST, the last one; and the merged ones with sizes.

    If the rest has fewer than ``least`` rows, it takes in the smallest of the other levels as well, until it has as
    many; so it falls short only if there are not as many rows at all, of which a warning tells.
    """
    names, codes = levels
    sizes = np.bincount(codes, minlength=len(names))
    if sizes.min() >= least:
        return levels, {}
    if codes.size < least:
        warn_user(
            f"min_group_size={least} is more than the {codes.size} rows that there are: {argument} makes one group."
        )
    if len(names) == 1:
        return levels, {}
    if REST in names:
        raise ProblemError(
            f"{argument} has groups to be merged and the label {REST!r}, the name of the group of these. Rename the "
            "label, or pass min_group_size=1."
        )
    by_size = np.argsort(sizes, kind="stable")
    n_small = int((sizes < least).sum())
    n_enough = int(np.searchsorted(np.cumsum(sizes[by_size]), least)) + 1
    merged = np.zeros(len(names), dtype=np.bool_)
    merged[by_size[: max(n_small, n_enough)]] = True
    number = np.where(merged, (~merged).sum(), np.cumsum(~merged) - 1)
    kept = [name for name, gone in zip(names, merged, strict=True) if not gone]
    gone = {names[j]: int(sizes[j]) for j in np.flatnonzero(merged)}
    return ([*kept, REST], number[codes].astype(np.intp)), gone
