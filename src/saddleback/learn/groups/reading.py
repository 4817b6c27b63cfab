"""From what a user passes as ``sensitive_features`` to `Groups`."""

from __future__ import annotations

from reprlib import repr as shortened
from typing import Any

import numpy as np

from ..._validation import flag, whole
from ...errors import ProblemError
from .columns import columns_of_features
from .groups import Groups
from .levels import Levels, cross, read_levels
from .small import merge_small


def read_sensitive_features(
    features: Any,
    n_rows: int,
    *,
    crossed: bool = True,
    missing_groups: str = "error",
    min_group_size: int = 1,
    argument: str = "sensitive_features",
) -> Groups:
    """The groups of the rows.

    Parameters
    ----------
    features : vector of labels, or columns of labels
        A vector with one label per row (list, array, column of pandas or Polars), or several columns: a data frame of
        pandas, Polars or Arrow, a dict of columns, a matrix, or a list of tuples. Numbers and booleans are labels, too:
        a membership matrix, as ``GroupedLinear`` takes it, is not meant here.
    n_rows : int
        The number of rows.
    crossed : bool
        Whether every combination of labels that occurs is a group, named by the tuple of labels. Otherwise every label
        of every column is a group, named (column, label), and every row is in one group of each column. Of one vector
        every label is a group in both cases, named by the label.
    missing_groups : {"error", "group"}
        Whether rows without a label (None, NaN, NaT, NA, null) are refused, or have the label ``MISSING``.
    min_group_size : int
        Groups with fewer rows are merged into one group named ``REST`` (of each column, where these are not crossed).
        If that has too few rows itself, the smallest of the other groups are merged into it, until it has as many.
    argument : str
        What messages call ``features``.

    Returns
    -------
    Groups
        In the order of the categories of a categorical column of pandas; else sorted where labels can be compared, else
        in the order of their first rows. MISSING and REST come last.

    Examples
    --------
    >>> race, sex = ["b", "w", "w"], ["f", "f", None]
    >>> groups = read_sensitive_features({"race": race, "sex": sex}, 3, missing_groups="group")
    >>> groups.names
    [('b', 'f'), ('w', 'f'), ('w', '(missing)')]
    >>> groups = read_sensitive_features({"race": race, "sex": sex}, 3, missing_groups="group", crossed=False)
    >>> groups.names
    [('race', 'b'), ('race', 'w'), ('sex', 'f'), ('sex', '(missing)')]
    >>> groups.sizes
    array([1, 2, 2, 1])
    """
    crossed, least = flag(crossed, "crossed"), whole(min_group_size, "min_group_size", minimum=1)
    if missing_groups not in ("error", "group"):
        raise ProblemError(f"missing_groups must be 'error' or 'group'; got {shortened(missing_groups)}.")
    if n_rows == 0:
        raise ProblemError("groups need rows; got none.")
    columns = columns_of_features(features, argument)
    if columns is None:
        name = getattr(features, "name", None)
        levels = [read_levels(features, argument, n_rows, missing_groups)]
        return _partition(levels[0], [name] if isinstance(name, str) and name else [], least, argument)
    names = [name for name, _ in columns]
    _refuse_transposed(features, columns, n_rows, argument)
    levels = [read_levels(column, f"{argument}[{name!r}]", n_rows, missing_groups) for name, column in columns]
    if crossed:
        return _partition(cross(levels) if len(levels) > 1 else levels[0], names, least, argument)
    return _attributes(levels, names, least, argument)


def _partition(levels: Levels, columns: list[Any], least: int, argument: str) -> Groups:
    (names, codes), merged = merge_small(levels, least, argument)
    return Groups(names, codes[:, np.newaxis], columns, merged)


def _attributes(levels: list[Levels], columns: list[Any], least: int, argument: str) -> Groups:
    """One group for every level of every column."""
    names: list[Any] = []
    numbers = np.empty((levels[0][1].size, len(columns)), dtype=np.intp)
    merged: dict[Any, int] = {}
    for k, column in enumerate(columns):
        (own, codes), gone = merge_small(levels[k], least, f"{argument}[{column!r}]")
        numbers[:, k] = len(names) + codes
        names += [(column, level) for level in own]
        merged |= {(column, level): size for level, size in gone.items()}
    return Groups(names, numbers, columns, merged)


def _refuse_transposed(features: Any, columns: Any, n_rows: int, argument: str) -> None:
    if isinstance(features, list | tuple | np.ndarray) and len(features) != n_rows == len(columns):
        raise ProblemError(
            f"{argument} must have one line per row, {n_rows}; got {len(features)} lines of {n_rows} labels. Pass the "
            f"columns as a dict, or list(zip(*{argument}))."
        )
