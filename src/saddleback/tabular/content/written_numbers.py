"""Numbers written as text, as in 1,234.5 or 3,14."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

PLAIN, THOUSANDS, DECIMAL_COMMA = "plain", "thousands", "decimal comma"
POINTS_AND_COMMA = "thousands with points, decimal comma"
STYLES = (PLAIN, THOUSANDS, DECIMAL_COMMA, POINTS_AND_COMMA)

# 00123 among whole numbers is a code; 0, 0.5 and 00.5 are numbers.
LEADING_ZERO = r"^0[0-9]+$"
WHOLE = r"^-?[0-9]+$"
# 1,234 and 1,234,567.89, beside numbers without commas.
WITH_THOUSANDS = r"^[+-]?([1-9][0-9]{0,2}(,[0-9]{3})+|[0-9]+)(\.[0-9]*)?$"
WITH_DECIMAL_COMMA = r"^[+-]?[0-9]+(,[0-9]+)?([eE][+-]?[0-9]+)?$"
# 1.234,5 and 1.234.567, beside numbers without points.
WITH_POINTS_AND_COMMA = r"^[+-]?([1-9][0-9]{0,2}(\.[0-9]{3})+|[0-9]+)(,[0-9]*)?$"
# Perhaps with the sign of a unit.
LIKE_A_NUMBER = r"^[$€£¥]?\s*[+-]?[0-9][0-9.,]*([eE][+-]?[0-9]+)?\s*[%$€£¥]?$"
# Looked at first: most texts are ruled out by a few.
FEW = 100


def style_of(levels: pa.StringArray) -> str | None:
    """How all of these texts are written as numbers; None where some are none, or are codes with leading zeros.

    Where commas could be of either kind, because three digits follow each of them, they are taken for thousands.
    """
    if len(levels) == 0 or (len(levels) > FEW and _style(levels[:FEW]) is None):
        return None
    return _style(levels)


def _style(levels: pa.StringArray) -> str | None:
    if _any(levels, LEADING_ZERO) and _all(levels, WHOLE):
        return None
    if parse(levels, PLAIN) is not None:
        return PLAIN
    # A few plain numbers, such as 1e5, may stand among numbers with commas; they would have to match as well.
    styles = (
        (THOUSANDS, WITH_THOUSANDS),
        (DECIMAL_COMMA, WITH_DECIMAL_COMMA),
        (POINTS_AND_COMMA, WITH_POINTS_AND_COMMA),
    )
    for style, pattern in styles:
        if _all(levels, pattern) and parse(levels, style) is not None:
            return style
    return None


def _any(levels: pa.StringArray, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(levels, pattern)).as_py())


def _all(levels: pa.StringArray, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(levels, pattern)).as_py())


def are_booleans(levels: pa.StringArray) -> bool:
    """Whether all of these texts are true or false, in any case of the letters."""
    return 0 < len(levels) <= FEW and {text.casefold() for text in levels.to_pylist()} <= {"true", "false"}


def parse(levels: pa.StringArray, style: str) -> NDArray[np.float64] | None:
    """The numbers of texts written in a style; None where one of them is not a number."""
    texts = pc.replace_substring_regex(levels, r"^\+", "")
    if style == THOUSANDS:
        texts = pc.replace_substring(texts, ",", "")
    if style == POINTS_AND_COMMA:
        texts = pc.replace_substring(texts, ".", "")
    if style in (DECIMAL_COMMA, POINTS_AND_COMMA):
        texts = pc.replace_substring(texts, ",", ".")
    try:
        return np.asarray(texts.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    except pa.ArrowInvalid:
        return None


def unlike_numbers(levels: pa.StringArray) -> list[str]:
    """The texts that are not written as numbers are, with or without the sign of a unit."""
    unlike = pc.invert(pc.match_substring_regex(levels, LIKE_A_NUMBER))
    return [str(text) for text in levels.filter(unlike).to_pylist()]


def first_unparsed(levels: pa.StringArray, style: str) -> int:
    """The first text that is not a number."""
    for code in range(len(levels)):
        if parse(levels.slice(code, 1), style) is None:
            return code
    raise AssertionError("every text is a number")
