"""The rows that a selection is made by: all, or a random sample of a table that has very many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector
from ..._validation import whole
from ...errors import ProblemError
from ..data.folds import Split, generator, is_count, make_splits, restricted
from ..data.rows import Rows

AUTO = "auto"

MOST_ROWS = 200_000
"""Rows of a sample: a group of a tenth of the table has 20,000 of them or more, and the gain of such a group has a
standard error of about a thousandth of its loss. What more rows could confirm is too small to matter."""

ROWS_PER_PARAMETER = 100
"""A sample has at least as many for each parameter of a model, so that its models are as good as those of all rows: by
chance the loss of n rows is too large by about (number of parameters) / (2 n)."""

LEAST_ROWS = 20
"""Rows that are kept of every group and class at least; a group of fewer confirms nothing."""


def read_selection_rows(value: Any) -> int | str | None:
    """ "auto", None for all rows, or a number of rows."""
    if value is None or (isinstance(value, str) and value == AUTO):
        return value
    if isinstance(value, Integral) and not isinstance(value, bool):
        return whole(value, "selection_rows", minimum=1)
    raise ProblemError(f"selection_rows must be {AUTO!r}, a number of rows, or None for all rows; got {value!r}.")


@dataclass(frozen=True, eq=False)
class Drawn:
    """The rows of a selection, and their splits into training and held-out ones."""

    rows: Rows
    splits: list[Split]
    index: NDArray[np.intp] | None = None
    """The numbers of the rows in the table; None where they are all."""

    @classmethod
    def of(cls, cv: Any, repeats: Any, rows: Rows, n_classes: int, selection_rows: Any, random_state: Any) -> Drawn:
        """Folds are drawn for the rows of the selection, other splits made for all rows, as their maker expects."""
        size = _size(selection_rows, rows, n_classes)
        if size >= len(rows):
            return cls(rows, make_splits(cv, repeats, rows, random_state))
        rng = generator(random_state)
        if not is_count(cv):
            return cls.of_splits(make_splits(cv, repeats, rows, rng), rows, n_classes, selection_rows, rng)
        drawn, index = draw_rows(rows, n_classes, size, rng)
        return cls(drawn, make_splits(cv, repeats, drawn, rng), index)

    @classmethod
    def of_splits(
        cls, splits: list[Split], rows: Rows, n_classes: int, selection_rows: Any, random_state: Any
    ) -> Drawn:
        """From splits of all rows."""
        size = _size(selection_rows, rows, n_classes)
        if size >= len(rows):
            return cls(rows, splits)
        drawn, index = draw_rows(rows, n_classes, size, generator(random_state))
        return cls(drawn, restricted(splits, index, drawn.groups), index)


def _size(selection_rows: Any, rows: Rows, n_classes: int) -> int:
    limit = read_selection_rows(selection_rows)
    if limit is None:
        return len(rows)
    if isinstance(limit, int):
        return limit
    n_parameters = rows.X.shape[1] * (n_classes if n_classes > 2 else 1)
    return max(MOST_ROWS, ROWS_PER_PARAMETER * n_parameters)


def draw_rows(rows: Rows, n_classes: int, size: int, rng: np.random.Generator) -> tuple[Rows, NDArray[np.intp]]:
    """About ``size`` rows with weights, and their numbers in increasing order.

    Rows are drawn at random within strata: the rows of one group (where groups overlap, of the same groups) and of one
    class. A stratum of n_h of n rows gives ``allocated`` rows. Its rows are weighted so that the weights of those drawn
    add up to the weights of all: shares of groups are those of the table, and weighted means of the sample estimate
    those of the table. The standard errors of `Sample` take the weights into account.
    """
    strata = _strata(rows, n_classes)
    sizes = np.bincount(strata)
    counts = allocated(sizes, size)
    order = np.lexsort((rng.random(strata.size), strata))
    rank = np.arange(strata.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    index = np.sort(order[rank < np.repeat(counts, sizes)])
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    of_all = np.bincount(strata, weight)
    of_drawn = np.bincount(strata[index], weight[index], of_all.size)
    factor: Vector = of_all / of_drawn
    return replace(rows.subset(index).compact(), weight=weight[index] * factor[strata[index]]), index


def allocated(sizes: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """The rows to draw from strata of these sizes: min(n_h, size/2 n_h/n + c) with c such that they add up to ``size``.

    Half of the rows are drawn in proportion, half fill up the small strata, as none is known to matter less. So the
    variance of the mean of all rows is at most twice that of a sample in proportion, and that of a group at most twice
    that of equal parts. Rounded up, and at least ``LEAST_ROWS`` of each stratum.
    """
    half = 0.5 * min(size, int(sizes.sum()))
    proportional = half * sizes / sizes.sum()
    room = np.sort(sizes - proportional)
    filled = np.cumsum(room) - room
    # c if the smallest strata up to this one, but not itself, are filled up; the first that has room for it.
    levels = (half - filled) / np.arange(room.size, 0, -1)
    c = levels[np.argmax(levels <= room)]
    counts = np.ceil(np.minimum(sizes, np.maximum(proportional + c, LEAST_ROWS))).astype(np.intp)
    return np.minimum(counts, sizes)


def _strata(rows: Rows, n_classes: int) -> NDArray[np.intp]:
    """The number 0, 1, ... of the stratum of each row."""
    columns = [*rows.groups.numbers.T, *([rows.y] if n_classes else [])]
    strata = np.zeros(len(rows), dtype=np.intp)
    for column in columns:
        values = column.astype(np.intp)
        strata = np.unique(strata * (int(values.max()) + 1) + values, return_inverse=True)[1].reshape(-1)
    return strata
