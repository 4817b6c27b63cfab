"""The levels of one column of labels, and the combinations of several columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ProblemError
from ...losses.grouped.input.labels import read_optional_labels

MISSING = "(missing)"
"""The name of the level of rows without a label."""

Levels = tuple[list[Any], NDArray[np.intp]]
"""The names of the levels, and the number of each row's level."""


def read_levels(column: Any, name: str, n_rows: int, missing_groups: str) -> Levels:
    """The labels that occur in a column, with MISSING as the last one where there are rows without a label."""
    names, codes = read_optional_labels(_with_nulls(column), name, None)
    if codes.size != n_rows:
        raise ProblemError(f"{name} must have one label per row, {n_rows}; got {codes.size}.")
    without = np.flatnonzero(codes < 0)
    if not without.size:
        return names, codes
    if missing_groups == "error":
        raise ProblemError(
            f"{name} must have a label in every row; got {without.size} of {n_rows} rows without one, the first "
            f"in row {without[0]}. Drop these rows, or make them a group of their own: missing_groups='group'."
        )
    if MISSING in names:
        raise ProblemError(
            f"{name} has rows without a label and the label {MISSING!r}, the name of their group. Rename the label."
        )
    return [*names, MISSING], np.where(codes < 0, len(names), codes)


def cross(levels: list[Levels]) -> Levels:
    """A level for every combination that occurs, named by the tuple of its labels, in lexicographic order."""
    of_row = levels[0][1]
    for names, codes in levels[1:]:
        # Numbered anew after every column: the product of the numbers of levels may overflow.
        of_row = np.unique(of_row * len(names) + codes, return_inverse=True)[1]
    _, first, of_row = np.unique(of_row, return_index=True, return_inverse=True)
    return [tuple(names[codes[row]] for names, codes in levels) for row in first], of_row.astype(np.intp)


def _with_nulls(column: Any) -> Any:
    """A column of Polars or Arrow with nulls as a list: NumPy would make floats of whole numbers beside nulls."""
    count = getattr(column, "null_count", 0)
    to_list = getattr(column, "to_pylist", None) or getattr(column, "to_list", None)
    return to_list() if to_list is not None and (count() if callable(count) else count) else column
