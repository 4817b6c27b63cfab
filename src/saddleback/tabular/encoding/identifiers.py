"""Columns that name a row instead of describing it."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

NAMED_LIKE_ONE = re.compile(
    r"(^|[^a-z])(id|uuid|guid|index|idx|key|ssn|rowid|row_?number|unnamed: ?\d+|passport|iban|e-?mail)s?$",
    re.IGNORECASE,
)
CAMEL_CASE = re.compile(r"[a-z](Id|ID|Uuid|UUID|Key)$")
NO_NAME = re.compile(r"\(column \d+\)")

FEWEST_ROWS = 20
"""In fewer rows, values that all differ tell nothing."""

VARIED_TEXT_SHARE = 0.5
"""Texts of which more than this share of the rows differ name rows or are sentences; they are no categories."""

NAMED_SHARE = 0.9
"""Whole numbers with an identifier's name are one where more than this share of the rows differ."""


def is_named_like_one(name: str) -> bool:
    return bool(NAMED_LIKE_ONE.search(name[-100:]) or CAMEL_CASE.search(name[-100:]) or NO_NAME.fullmatch(name))


def are_row_numbers(values: NDArray[np.float64], name: str) -> bool:
    """Whether whole numbers, none missing, name the rows: all differ and follow each other, or nearly all differ and
    the name of the column says so."""
    if values.size < FEWEST_ROWS or (values != np.floor(values)).any():
        return False
    low, high = values.min(), values.max()
    if is_named_like_one(name):
        return bool(np.unique(values).size > NAMED_SHARE * values.size)
    return bool(high - low == values.size - 1 and np.unique(values).size == values.size)
