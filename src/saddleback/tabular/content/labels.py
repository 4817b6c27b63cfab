"""Labels of groups and classes: the same ones, whether a column of them was read as text or as numbers.

How a column is read depends on all of its values. Beside a text such as "unknown", 1.0 is a text; in a file of test
rows without such a text it is a number, whose label is "1". Labels must not depend on this.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from .texts import MISSING_CODE, Texts

# Not 007, which is a code, and not 1e5, which may be one. Whole numbers are written in one way only.
FRACTION = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]*")
LARGEST_EXACT = 2.0**53


def class_label(text: str) -> str:
    """The label of a class: a number is that number however it is written, so that 1.0 is "1" and 2.50 is "2.5"."""
    if not FRACTION.fullmatch(text) or abs(number := float(text)) >= LARGEST_EXACT:
        return text
    return str(int(number)) if number.is_integer() else repr(number)


def group_label(text: str) -> str:
    """The label of a group: as that of a class, and truth values in small letters, as columns of them have them."""
    return text.casefold() if text.casefold() in ("true", "false") else class_label(text)


def relabelled(texts: Texts, label: Callable[[str], str]) -> Texts:
    """The texts with labels in the place of levels, and levels of one label merged."""
    levels = texts.levels.to_pylist()
    labels = [label(level) for level in levels]
    if labels == levels:
        return texts
    number = {name: k for k, name in enumerate(dict.fromkeys(labels))}
    codes = np.array([*(number[name] for name in labels), MISSING_CODE], dtype=np.int32)
    # The code -1 takes the last entry.
    return Texts(codes[texts.codes], pa.array(list(number), pa.string()))
