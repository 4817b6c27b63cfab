"""What a column holds, decided over all of its values, and the rule that follows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..content.labels import group_label, relabelled
from ..content.numbers import number_column
from ..content.texts import texts_of
from ..content.times import are_times
from ..content.types import is_text, is_time
from ..content.written_numbers import PLAIN, are_booleans, style_of
from .learned import Learned
from .number_learning import learn_numbers
from .rules import DroppedRule
from .text_learning import learn_texts


def learn_column(
    column: pa.ChunkedArray,
    name: str,
    rows: NDArray[np.bool_] | None,
    sampled: NDArray[np.intp],
    *,
    forced: bool,
    codes: bool,
) -> Learned:
    """The rule of a decoded column. ``rows``: the training rows, all where None; ``sampled``: some of them.

    ``forced``: the column is kept also if it looks like an identifier or free text; dates are then categories.
    ``codes``: it is a category, whatever its values look like.
    """
    if codes:
        return learn_texts(relabelled(texts_of(column), group_label), name, rows, sampled, forced, codes=True)
    if is_time(column.type) and not forced:
        return _times(name)
    if not (is_text(column.type) or is_time(column.type)):
        return learn_numbers(number_column(column, name), name, rows, sampled, PLAIN, forced)
    texts = texts_of(column)
    if are_times(texts.levels):
        return learn_texts(texts, name, rows, sampled, forced) if forced else _times(name)
    if are_booleans(texts.levels):
        return learn_numbers(number_column(column, name), name, rows, sampled, PLAIN, forced)
    style = style_of(texts.levels)
    if style is not None:
        return learn_numbers(number_column(column, name, style), name, rows, sampled, style, forced)
    return learn_texts(texts, name, rows, sampled, forced)


def _times(name: str) -> Learned:
    return Learned(DroppedRule(name, "dates or times"), is_time=True)
