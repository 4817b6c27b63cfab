"""The attributes that groups are made of: one column of labels each, as the user has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.rows import Rows
from ..groups.columns import columns_of_features, take_columns
from ..groups.group_input import CLASSES, EVERYBODY
from ..groups.groups import Groups
from ..groups.levels import Levels, read_levels
from ..groups.titles import titles_of

UNNAMED, OF_CLASSES = "group", "class"
"""What an attribute is called that has no name, and that of the classes of y."""


def read_attributes(X: Any, y: Any, sensitive_features: Any, group_by: Any, n_rows: int) -> dict[str, Levels]:
    """The levels of each attribute by its name; rows without a label have the level "(missing)"."""
    if isinstance(group_by, str) and group_by == CLASSES:
        columns: list[tuple[Any, Any]] = [(OF_CLASSES, y)]
    elif group_by is not None:
        columns = list(take_columns(X, group_by).items())
    elif sensitive_features is None:
        return {}
    else:
        several = columns_of_features(sensitive_features, "sensitive_features")
        name = getattr(sensitive_features, "name", None)
        named = name if isinstance(name, str) and name else UNNAMED
        columns = [(named, sensitive_features)] if several is None else several
    return {str(name): read_levels(column, str(name), n_rows, "group") for name, column in columns}


def subset_of(attributes: dict[str, Levels], index: Any) -> dict[str, Levels]:
    """The attributes of some rows; levels without rows stay."""
    return {name: (names, codes[index]) for name, (names, codes) in attributes.items()}


def groups_alone(name: str, levels: Levels) -> Groups:
    """The groups of one attribute, without levels that no row has."""
    names, codes = levels
    present = np.flatnonzero(np.bincount(codes, minlength=len(names)))
    numbers = np.searchsorted(present, codes)
    columns = [] if name == UNNAMED else [name]
    return Groups([names[j] for j in present], numbers[:, np.newaxis], columns)


def group_texts(groups: Groups) -> list[str]:
    """Every group as it is written on the page: column=label where the columns have names."""
    texts = [str(name) if title is None else title for name, title in zip(groups.names, titles_of(groups), strict=True)]
    return ["all rows" if text == EVERYBODY else text for text in texts]


def with_groups(rows: Rows, groups: Groups) -> Rows:
    """The same rows in other groups."""
    return Rows(rows.X, rows.y, groups, rows.weight, rows.offset)
