"""Points that may separate thousands: 2.528 in a file whose other columns have decimal commas."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from ..content.numbers import floats
from ..content.types import decoded
from ..content.written_numbers import DECIMAL_COMMA, PLAIN, POINTS_AND_COMMA
from ..names import quoted
from .finding import Finding, warning
from .rules import ColumnRule, NumberRule

THREE_DECIMALS = 0.75
"""Of whole numbers nine of ten do not end with 0: read as 2.528, they have three decimals."""


def points_beside_decimal_commas(table: pa.Table, rules: Iterable[ColumnRule]) -> list[Finding]:
    """Warnings of columns of plain numbers whose points look like those of thousands, where others have decimal commas.

    Where all columns have points, 2.528 is a number between 2 and 3, and nothing is told.
    """
    numbers = [rule for rule in rules if isinstance(rule, NumberRule)]
    if not any(rule.style in (DECIMAL_COMMA, POINTS_AND_COMMA) for rule in numbers):
        return []
    found = []
    for rule in numbers:
        column = decoded(table.column(rule.name))
        if rule.style == PLAIN and pa.types.is_floating(column.type) and (example := _like_thousands(column)):
            told = (
                f"{quoted(rule.name)} holds numbers such as {example}, read as they stand, while other columns have "
                f"decimal commas. If the point separates thousands, write {example.replace('.', '')}."
            )
            found.append(warning(rule.name, "numbers", told))
    return found


def _like_thousands(column: pa.ChunkedArray) -> str | None:
    """A value such as 2.528, where all values have no or three decimals, and less than four digits before them."""
    values = floats(column)
    broken = np.abs(values[np.isfinite(values) & (values != np.floor(values))])
    if broken.size == 0 or broken.max() >= 1000.0 or broken.min() < 1.0:
        return None
    thousandths = np.round(1000.0 * broken)
    if (np.abs(1000.0 * broken - thousandths) > 1e-6).any() or (thousandths % 10 != 0).mean() < THREE_DECIMALS:
        return None
    return f"{broken[np.argmax(thousandths % 10 != 0)]:.3f}"
