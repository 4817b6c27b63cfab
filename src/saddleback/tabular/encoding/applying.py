"""Rules applied to the columns of a table, a block of rows after the other.

A block is written column by column to a small matrix in which columns are contiguous, and copied from there: the result
is in C order, and writing its columns at once would move all of it through memory for every one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import ProblemError
from ..content.labels import group_label, relabelled
from ..content.numbers import floats, number_column, refuse_infinite
from ..content.texts import Texts, texts_of
from ..content.types import checked
from ..names import listed, quoted
from .finding import Finding, warning
from .rules import MISSING, OTHER, CategoryRule, NumberRule

BLOCK_ROWS = 2048
# Columns of a block at distances of a power of two would fall on the same places of the cache.
APART = 8

AS_THE_MEAN = "they get the mean of those."
AS_SHARES = "they get the shares of the training rows."

Block = NDArray[np.float64]


class NumberFiller:
    """Writes the columns of a `NumberRule`."""

    def __init__(self, rule: NumberRule, column: pa.ChunkedArray) -> None:
        self.rule = rule
        self.column = number_column(checked(column, rule.name), rule.name, rule.style)
        self.n_missing = 0

    def fill(self, block: Block, start: int) -> None:
        values = floats(self.column.slice(start, len(block)))
        refuse_infinite(values, self.rule.name, start)
        missing = np.isnan(values)
        self.n_missing += int(missing.sum())
        if self.rule.varies:
            block[:, 0] = values
            block[missing, 0] = self.rule.mean
        if self.rule.indicator:
            block[:, -1] = missing

    def findings(self) -> list[Finding]:
        if self.n_missing == 0 or self.rule.indicator:
            return []
        name = self.rule.name
        told = f"{self.n_missing} rows have no value in {quoted(name)}, where the training rows had all; {AS_THE_MEAN}"
        return [warning(name, "missing", told)]


class CategoryFiller:
    """Writes the columns of a `CategoryRule`."""

    def __init__(self, rule: CategoryRule, column: pa.ChunkedArray) -> None:
        self.rule = rule
        column = checked(column, rule.name)
        texts = texts_of(column)
        self.texts = relabelled(texts, group_label) if rule.codes else texts
        self.slots = slots_of(rule, self.texts, any_case=pa.types.is_boolean(column.type))

    def fill(self, block: Block, start: int) -> None:
        slots = self.slots[self.texts.codes[start : start + len(block)]]
        width = len(self.rule.shares)
        for j in range(width):
            block[:, j] = slots == j
        # Slot `width` is the first level of two, which has no column; the next one is for what has no level.
        if (without := slots > width).any():
            block[without] = self.rule.shares

    def findings(self) -> list[Finding]:
        rule, width = self.rule, len(self.rule.shares)
        counts = self.texts.counts()
        found = []
        if counts[-1] and self.slots[-1] == width + 1:
            message = (
                f"{counts[-1]} rows have no value in {quoted(rule.name)}, where the training rows had all; {AS_SHARES}"
            )
            found.append(warning(rule.name, "missing", message))
        unseen = np.flatnonzero(self.slots[:-1] == width + 1)
        if unseen.size:
            texts = [self.texts.levels[int(code)].as_py() for code in unseen[:3]]
            more = "" if unseen.size <= 3 else f" and {unseen.size - 3} more"
            seen = f"that the training rows had not ({listed(texts)}{more})"
            message = f"{counts[unseen].sum()} rows have values of {quoted(rule.name)} {seen}; {AS_SHARES}"
            found.append(warning(rule.name, "unseen", message))
        return found


def slots_of(rule: CategoryRule, texts: Texts, *, any_case: bool = False) -> NDArray[np.int32]:
    """The place of every code among the columns of a rule, and, last, of missing values.

    ``any_case``: capitals do not matter, as for booleans, which may have been written as True, TRUE or true.
    """
    place = {level: i for i, level in enumerate(rule.all_levels)}
    width = len(rule.shares)
    if len(rule.all_levels) == 2:
        place = {rule.all_levels[0]: width, rule.all_levels[1]: 0}
    folded = {level.casefold(): i for level, i in place.items()} if any_case else {}
    none = width + 1
    missing = place[MISSING] if rule.missing else none
    other = place[OTHER] if rule.other else none

    def slot(text: str) -> int:
        if text == OTHER:
            return other
        return place.get(text, folded.get(text.casefold(), other))

    return np.array([*map(slot, texts.levels.to_pylist()), missing], dtype=np.int32)


def filler_of(rule: NumberRule | CategoryRule, column: pa.ChunkedArray) -> NumberFiller | CategoryFiller:
    return NumberFiller(rule, column) if isinstance(rule, NumberRule) else CategoryFiller(rule, column)


def _refuse_overflow(rows: NDArray[Any], names: list[str]) -> None:
    """Refuse numbers too large for less precision than float64."""
    if not (finite := np.isfinite(rows).all(axis=0)).all():
        name = names[int(np.argmin(finite))]
        raise ProblemError(f"{quoted(name)} holds numbers that {rows.dtype} cannot hold; use float64, or rescale them.")


def matrix(
    rules: list[NumberRule | CategoryRule],
    column_of: Callable[[str], pa.ChunkedArray],
    n_rows: int,
    dtype: type[np.floating[Any]],
) -> tuple[NDArray[Any], list[Finding]]:
    """The features of all rows in C order, and what is new in them."""
    fillers = [filler_of(rule, column_of(rule.name)) for rule in rules]
    ends = np.cumsum([0, *(len(rule.feature_names) for rule in rules)])
    X = np.empty((n_rows, int(ends[-1])), dtype=dtype)
    work = np.empty((X.shape[1], BLOCK_ROWS + APART))
    for start in range(0, n_rows, BLOCK_ROWS):
        rows = X[start : start + BLOCK_ROWS]
        block = work[:, : len(rows)].T
        for j, filler in enumerate(fillers):
            filler.fill(block[:, ends[j] : ends[j + 1]], start)
        with np.errstate(over="ignore"):
            rows[:] = block
        if dtype != np.float64:
            _refuse_overflow(rows, [name for rule in rules for name in rule.feature_names])
    return X, [finding for filler in fillers for finding in filler.findings()]
