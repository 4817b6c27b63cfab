"""A column as numbers, with nan where they are missing."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import ProblemError
from ..names import quoted
from .texts import texts_of
from .types import is_number
from .written_numbers import PLAIN, are_booleans, first_unparsed, parse

TRAINING = "the training table"


def number_column(
    column: pa.ChunkedArray, name: str, style: str = PLAIN, first_row: int = 0, like: str = TRAINING
) -> pa.ChunkedArray:
    """A decoded column as one of numbers or booleans, parsed where it is text; an error names what is no number.

    ``like`` is, for the error, where the column held numbers; its rows are counted from ``first_row`` + 1.
    """
    kind = column.type
    if is_number(kind) or pa.types.is_boolean(kind):
        return column
    if pa.types.is_null(kind):
        return pa.chunked_array([pa.nulls(len(column), pa.float64())])
    if pa.types.is_temporal(kind):
        raise ProblemError(f"the column {quoted(name)} must hold numbers, as in {like}; got {kind}.")
    texts = texts_of(column)
    if are_booleans(texts.levels):
        truths = pa.array([text.casefold() == "true" for text in texts.levels.to_pylist()] + [None])
        return pa.chunked_array([truths.take(pa.array(np.where(texts.codes < 0, texts.n_levels, texts.codes)))])
    numbers = parse(texts.levels, style)
    if numbers is None and style != PLAIN:
        numbers = parse(texts.levels, PLAIN)
    if numbers is None:
        code = first_unparsed(texts.levels, style)
        raise ProblemError(
            f"the column {quoted(name)} must hold numbers, as in {like}; got "
            f"{quoted(texts.levels[code].as_py())} in row {first_row + texts.first_row(code)}. Correct it, or leave it "
            "empty."
        )
    return pa.chunked_array([pa.array(np.append(numbers, np.nan)[texts.codes])])


def floats(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """The numbers or booleans of a column as float64, nan where missing. No copy is made where none is needed."""
    kind = column.type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    elif pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy(), dtype=np.float64)


def refuse_infinite(values: NDArray[np.float64], name: str, first_row: int = 0) -> None:
    """Refuse infinity, with the row, counted from 1."""
    infinite = np.isinf(values)
    if infinite.any():
        row = first_row + int(np.argmax(infinite)) + 1
        raise ProblemError(
            f"the column {quoted(name)} holds infinity in row {row} ({int(infinite.sum())} such rows here); numbers "
            "must be finite. Leave the value empty where it is unknown, or drop the column."
        )
