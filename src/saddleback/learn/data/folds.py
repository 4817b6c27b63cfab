"""Folds that share out every group and every class, or every range of the target, as evenly as possible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import get_routing_for_object

from ..._validation import whole
from ...errors import ProblemError
from ..groups import Groups
from .rows import Rows

DEFAULT_FOLDS = 5

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


def is_count(cv: Any) -> bool:
    """Whether cv is a number of folds, which are drawn, and no splitter or list."""
    return cv is None or (isinstance(cv, int | np.integer) and not isinstance(cv, bool))


def make_splits(cv: Any, repeats: Any, rows: Rows, random_state: Any) -> list[Split]:
    """Splits of the rows into training and held-out ones.

    A number of folds (None: 5, as in scikit-learn) is drawn ``repeats`` times, stratified by group and target. A
    splitter of scikit-learn, or an iterable of splits, is taken as it is; its numbers count all rows of the user, also
    those of weight 0.
    """
    repeats, cv = whole(repeats, "repeats", minimum=1), DEFAULT_FOLDS if cv is None else cv
    if is_count(cv):
        k = whole(cv, "cv", minimum=2)
        if k > len(rows):
            raise ProblemError(f"cv must be at most the number of rows, {len(rows)}; got {k} folds.")
        rng = generator(random_state)
        drawn = [stratified_folds(rows.groups, rows.y, k, rng) for _ in range(repeats)]
        return [(np.flatnonzero(folds != j), np.flatnonzero(folds == j)) for folds in drawn for j in range(k)]
    try:
        splitter = check_cv(cv)
    except ValueError as error:
        raise ProblemError(f"cv must be a number of folds, a splitter or a list of splits; got {cv!r}.") from error
    _refuse_groups(cv)
    n = len(rows) if rows.kept is None else rows.kept.size
    y = rows.y if rows.kept is None else _at(rows.y, rows.kept)
    splits = [(_numbers(train, n), _numbers(test, n)) for train, test in splitter.split(np.zeros((n, 1)), y)]
    if rows.kept is not None:
        number = np.where(rows.kept, np.cumsum(rows.kept) - 1, -1)
        renumbered = ((number[train], number[test]) for train, test in splits)
        splits = [(train[train >= 0], test[test >= 0]) for train, test in renumbered]
    if not splits or not all(train.size and test.size for train, test in splits):
        raise ProblemError(f"cv must give splits with rows to train on and rows to hold out; got {cv!r}.")
    _check_held_out(splits, rows.groups)
    return splits


def restricted(splits: list[Split], index: NDArray[np.intp], groups: Groups) -> list[Split]:
    """The splits of some of the rows, which have these numbers in increasing order and these groups.

    Splits without rows on either side are left out.
    """
    of_rows = [tuple(_positions(side, index) for side in split) for split in splits]
    kept = [(train, test) for train, test in of_rows if train.size and test.size]
    _check_held_out(kept, groups)
    return kept


def _positions(rows: NDArray[np.intp], index: NDArray[np.intp]) -> NDArray[np.intp]:
    """The positions in ``index`` of those rows that are there."""
    position = np.searchsorted(index, rows)
    found = index[np.minimum(position, index.size - 1)] == rows
    return position[found]


def _check_held_out(splits: list[Split], groups: Groups) -> None:
    """Refuse rows that are held out from a fit they are part of, and groups that are never held out."""
    held_out = np.zeros(groups.n_rows, dtype=np.bool_)
    for number, (train, test) in enumerate(splits):
        common = np.intersect1d(train, test)
        if common.size:
            raise ProblemError(
                f"cv must hold out rows that are not trained on; got {common.size} rows on both sides of split "
                f"{number}, the first of them row {common[0]}."
            )
        held_out[test] = True
    never = (groups.sizes > 0) & (groups.subset(held_out).sizes == 0)
    if never.any():
        raise ProblemError(
            f"cv must hold out rows of every group; got none of group {groups.names[int(np.argmax(never))]!r}. Pass a "
            "number of folds, which are stratified by group, or other splits."
        )


def _refuse_groups(cv: Any) -> None:
    """Refuse a splitter that needs groups: ours are not what it splits by."""
    request = getattr(get_routing_for_object(cv), "split", None)
    if request is not None and request.requests.get("groups"):
        raise ProblemError(
            f"cv must split by X and y alone; got {cv!r}, which needs to know which rows belong together. Pass its "
            f"splits, made by a label of every row such as a person's: cv=list({type(cv).__name__}(...).split(X, y, "
            "person))."
        )


def generator(random_state: Any) -> np.random.Generator:
    """The source of random numbers of an estimator."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ProblemError(
            f"random_state must be a whole number, a generator or None; got {random_state!r}."
        ) from error


def _numbers(rows: Any, n: int) -> NDArray[np.intp]:
    """The numbers of rows, which may be given as a mask."""
    index = np.asarray(rows)
    if index.dtype.kind == "b" and index.shape == (n,):
        return np.flatnonzero(index)
    if index.ndim != 1 or index.dtype.kind not in "iu" or (index.size and not 0 <= index.min() <= index.max() < n):
        raise ProblemError(f"the splits of cv must be numbers of rows from 0 to {n - 1}; got {index!r}.")
    return index.astype(np.intp)


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
