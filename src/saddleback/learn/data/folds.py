"""Folds that share out every group and every class, or every range of the target, as evenly as possible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from ..._validation import whole
from ...errors import ProblemError
from ..groups import Groups
from .rows import Rows

Split = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The rows of a fit, and the rows that are held out from it."""


def stratified_folds(groups: Groups, y: NDArray[Any], k: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """The fold 0, ..., k - 1 of each row.

    Rows are sorted by group and target, in random order where both are equal, and every k consecutive rows are dealt to
    the k folds at random. The sizes of folds differ by at most one, the numbers of rows of one group and one class in
    them by at most two.
    """
    order = np.lexsort((rng.random(y.size), y, *groups.numbers.T[::-1]))
    n_blocks = -(-y.size // k)
    dealt = rng.permuted(np.tile(np.arange(k), (n_blocks, 1)), axis=1).ravel()[: y.size]
    folds = np.empty(y.size, dtype=np.intp)
    folds[order] = dealt
    return folds


def make_splits(cv: Any, repeats: Any, rows: Rows, random_state: Any) -> list[Split]:
    """Splits of the rows into training and held-out ones.

    A number of folds is drawn ``repeats`` times, stratified by group and target. A splitter of scikit-learn, or an
    iterable of splits, is taken as it is; its numbers count all rows of the user, also those of weight 0.
    """
    repeats = whole(repeats, "repeats", minimum=1)
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        k = whole(cv, "cv", minimum=2)
        if k > len(rows):
            raise ProblemError(f"cv must be at most the number of rows, {len(rows)}; got {k} folds.")
        rng = np.random.default_rng(random_state)
        drawn = [stratified_folds(rows.groups, rows.y, k, rng) for _ in range(repeats)]
        return [(np.flatnonzero(folds != j), np.flatnonzero(folds == j)) for folds in drawn for j in range(k)]
    try:
        splitter = check_cv(cv)
    except ValueError as error:
        raise ProblemError(f"cv must be a number of folds, a splitter or a list of splits; got {cv!r}.") from error
    n = len(rows) if rows.kept is None else rows.kept.size
    y = rows.y if rows.kept is None else _at(rows.y, rows.kept)
    splits = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(np.zeros((n, 1)), y)]
    if rows.kept is None:
        return splits
    number = np.where(rows.kept, np.cumsum(rows.kept) - 1, -1)
    renumbered = ((number[train], number[test]) for train, test in splits)
    return [(train[train >= 0], test[test >= 0]) for train, test in renumbered]


def check_classes(y: NDArray[Any], n_classes: int) -> None:
    """Refuse the training rows of a fold that lack a class; 0 classes stand for a regression."""
    if n_classes and np.unique(y).size < n_classes:
        raise ProblemError(
            "every class must be among the training rows of every fold; a class has too few rows. Merge or drop it, or "
            "pass other splits as cv."
        )


def _at(values: NDArray[Any], kept: NDArray[np.bool_]) -> NDArray[Any]:
    """The values at the places of the rows that were kept, and the first of them elsewhere."""
    spread = np.full(kept.size, values[0])
    spread[kept] = values
    return spread
