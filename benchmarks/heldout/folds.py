"""Folds of a table, stratified by group and target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saddleback.learn.data.folds import stratified_folds
from saddleback.learn.groups import Groups

from .tables import Table


def draw_folds(table: Table, k: int, seed: int) -> NDArray[np.intp]:
    """The fold 0, ..., k - 1 of each row."""
    names, numbers = np.unique(table.groups, return_inverse=True)
    groups = Groups(names.tolist(), numbers.reshape(-1, 1).astype(np.intp))
    return stratified_folds(groups, table.y, k, np.random.default_rng(seed))
