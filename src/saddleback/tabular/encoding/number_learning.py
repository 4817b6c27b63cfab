"""The rule of a column of numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..content.numbers import floats, refuse_infinite
from ..content.written_numbers import DECIMAL_COMMA, POINTS_AND_COMMA, THOUSANDS
from ..names import quoted, to_type
from .finding import Finding, note, warning
from .identifiers import FEWEST_ROWS, are_row_numbers, is_named_like_one
from .leakage import Sample
from .learned import Learned, identifier, left_out
from .rules import NumberRule

LARGEST_EXACT = 2.0**53
"""Larger whole numbers are rounded in floating point."""

LARGEST_SUMMED = 1e290
"""Sums of numbers below this do not overflow."""

MANY_MISSING = 0.5
"""A warning is given where a larger share of the values is missing."""


def learn_numbers(
    column: pa.ChunkedArray,
    name: str,
    rows: NDArray[np.bool_] | None,
    sampled: NDArray[np.intp],
    style: str,
    forced: bool,
) -> Learned:
    """The rule of a column of numbers or booleans."""
    values = floats(column)
    refuse_infinite(values, name)
    sample = Sample.of_numbers(values[sampled])
    values = values if rows is None else values[rows]
    missing = np.isnan(values)
    n_missing = int(missing.sum())
    here = values[~missing] if n_missing else values
    if here.size == 0:
        return left_out(name, "it has no values")
    varies = bool(here.min() < here.max())
    if not varies and n_missing == 0:
        return left_out(name, f"it is {here[0]:g} in every row")
    if not forced and n_missing == 0 and are_row_numbers(here, name):
        return identifier(name, "it has whole numbers that differ in all rows, or nearly all")
    mean = mean_of(here)
    kind = "0 and 1 for false and true" if pa.types.is_boolean(column.type) else "a number as it is"
    marked = ", and a 0/1 column marks them" if n_missing else ""
    text = f"{kind}; missing values are replaced by the mean, {mean:.6g}{marked}"
    if not varies:
        text = f"{here[0]:g} or missing: a 0/1 column marks missing values"
    findings = _findings(name, column, style, n_missing, values.size, float(np.abs(here).max()))
    return Learned(NumberRule(name, text, mean, varies, n_missing > 0, style), findings, sample)


def mean_of(values: NDArray[np.float64]) -> float:
    """The mean, also of numbers whose sum overflows."""
    if max(-float(values.min()), float(values.max())) > LARGEST_SUMMED:
        return float((values / values.size).sum())
    return float(values.mean())


def missing_finding(name: str, n_missing: int, n_rows: int, treatment: str) -> Finding:
    """How many values are missing, and what is done about it."""
    tell = warning if n_missing > MANY_MISSING * n_rows else note
    share = f"{n_missing} of {n_rows} rows ({100 * n_missing / n_rows:.2g} %)"
    return tell(name, "missing", f"{quoted(name)} has no value in {share}: {treatment}.")


def _findings(
    name: str, column: pa.ChunkedArray, style: str, n_missing: int, n_rows: int, largest: float
) -> list[Finding]:
    found = []
    codes = (
        f"If they are codes, make a category of it: {to_type('--category', [name])} (categories=), or leave it out: "
        f"{to_type('--drop', [name])} (drop=)."
    )
    if n_missing:
        treatment = "missing values are replaced by the mean, and a 0/1 column marks them"
        found.append(missing_finding(name, n_missing, n_rows, treatment))
    if style == THOUSANDS:
        told = f"{quoted(name)} holds numbers such as 1,234: their commas are taken to separate thousands."
        found.append(warning(name, "numbers", told))
    if style == DECIMAL_COMMA:
        found.append(note(name, "numbers", f"{quoted(name)} holds numbers with a decimal comma."))
    if style == POINTS_AND_COMMA:
        told = f"{quoted(name)} holds numbers such as 1.234,5: their points are taken to separate thousands."
        found.append(warning(name, "numbers", told))
    if pa.types.is_integer(column.type) and largest > LARGEST_EXACT:
        told = f"{quoted(name)} holds whole numbers above 2^53, which are rounded. {codes}"
        found.append(note(name, "numbers", told))
    if is_named_like_one(name) and n_rows >= FEWEST_ROWS:
        told = f"{quoted(name)} has the name of an identifier; its values repeat, and are used as numbers. {codes}"
        found.append(note(name, "identifier", told))
    return found
