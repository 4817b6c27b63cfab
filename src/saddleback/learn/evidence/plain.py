"""Values of Python and NumPy as JSON has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from ...report.schema.kinds import LARGEST_NUMBER, LONGEST_TEXT

MOST_CHARACTERS = 300
"""Of the description of an object that has no plain form."""


LONGEST_NAME = 60
"""Characters of a name within a sentence."""
FIRST_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"


def in_sentence(name: str) -> str:
    """A name within a sentence: not too long, and one of another script keeps its direction inside."""
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."
    return short if short.isascii() else f"{FIRST_ISOLATE}{short}{POP_ISOLATE}"


def plain(value: Any) -> Any:
    """Dicts with texts as keys, lists, texts, finite numbers, True, False and None.

    NaN, inf and what is too large for a report become None, texts that are too long for one are cut.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value) if len(value) <= LONGEST_TEXT else f"{value[: LONGEST_TEXT - 1]}…"
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if isfinite(value) and abs(value) <= LARGEST_NUMBER else None
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 3]}..."
