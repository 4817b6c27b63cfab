"""What separates the columns of a CSV file."""

from __future__ import annotations

import csv
import io
from itertools import islice

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
# The first lines that must agree on the number of columns.
LINES_COMPARED = 20


def find_separator(sample: str) -> str:
    """The separator by which the first lines have one and the same number of columns, and the most of them.

    Where none does so, the one that the first line has most often; a comma where it has none.
    """
    agreed = {separator: _columns_agreed(sample, separator) for separator in SEPARATORS}
    if max(agreed.values()) > 1:
        return max(agreed, key=lambda separator: agreed[separator])
    first = (sample.splitlines() or [""])[0]
    return max(SEPARATORS, key=first.count)


def _columns_agreed(sample: str, separator: str) -> int:
    """The number of columns of the first lines, 0 where it differs."""
    rows = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
    try:
        counts = {len(row) for row in islice((row for row in rows if row), LINES_COMPARED)}
    except csv.Error:
        return 0
    return counts.pop() if len(counts) == 1 else 0
