"""A column as texts: a code for every row, and the text of every code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...errors import ProblemError
from ..names import quoted
from .missing import MARKERS
from .types import decoded, is_text

MISSING_CODE = -1
CODED = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True, eq=False)
class Texts:
    """Row i has the text ``levels[codes[i]]``, or is missing where the code is -1. Every level occurs; they differ."""

    codes: NDArray[np.int32]
    levels: pa.StringArray

    @property
    def n_levels(self) -> int:
        return len(self.levels)

    def counts(self, rows: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """How many rows have each level, and, last, how many are missing."""
        codes = self.codes if rows is None else self.codes[rows]
        return np.bincount(np.where(codes < 0, self.n_levels, codes), minlength=self.n_levels + 1)

    def first_row(self, code: int) -> int:
        """The first row of a level, counted from 1."""
        return 1 + int(np.argmax(self.codes == code))


def texts_of(column: pa.ChunkedArray) -> Texts:
    """The texts of a column of any type, without spaces around them; markers of missing values are missing."""
    column = as_text(column)
    if len(column) == 0:
        return Texts(np.zeros(0, np.int32), pa.array([], pa.string()))
    column = column.dictionary_encode().unify_dictionaries()
    levels = column.chunk(0).dictionary.cast(pa.string())
    codes = np.empty(len(column), np.int32)
    start = 0
    for chunk in column.chunks:
        codes[start : start + len(chunk)] = pc.fill_null(chunk.indices, MISSING_CODE).to_numpy(zero_copy_only=False)
        start += len(chunk)
    return _cleaned(codes, levels)


def _cleaned(codes: NDArray[np.int32], levels: pa.StringArray) -> Texts:
    """Texts trimmed, equal ones merged, missing ones marked, and those without rows left out."""
    trimmed = pc.utf8_trim_whitespace(levels)
    trimmed = pc.if_else(pc.is_in(trimmed, pa.array(MARKERS)), pa.scalar(None, pa.string()), trimmed)
    merged = trimmed.dictionary_encode()
    to_merged = pc.fill_null(merged.indices, MISSING_CODE).to_numpy(zero_copy_only=False).astype(np.int32)
    # The code -1 takes the last entry.
    codes = np.append(to_merged, np.int32(MISSING_CODE))[codes]
    used = np.bincount(codes[codes >= 0], minlength=len(merged.dictionary)) > 0
    if not used.all():
        to_used = np.append(np.where(used, np.cumsum(used) - 1, MISSING_CODE), MISSING_CODE).astype(np.int32)
        codes = to_used[codes]
    return Texts(codes, merged.dictionary.filter(pa.array(used)))


def as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as one of text; whole numbers without a fraction, whatever their type, so that 1.0 is "1"."""
    column = decoded(column)
    kind = column.type
    if pa.types.is_dictionary(kind) and pa.types.is_string(kind.value_type):
        # Dictionaries of chunks are unified below, which may need wider indices.
        if pa.types.is_int32(kind.index_type):
            return column
        chunks = [pa.DictionaryArray.from_arrays(c.indices.cast(pa.int32()), c.dictionary) for c in column.chunks]
        return pa.chunked_array(chunks, type=CODED)
    if is_text(kind):
        return column.cast(pa.string())
    if pa.types.is_null(kind):
        return pa.chunked_array([pa.nulls(len(column), pa.string())])
    if pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        column = column.cast(pa.float64())
    if pa.types.is_floating(column.type):
        return pa.chunked_array([_texts_of_floats(column)])
    try:
        return column.cast(pa.string())
    except (pa.ArrowException, ValueError) as error:
        why = (str(error).splitlines() or [""])[0][:100]
        raise ProblemError(f"a column of type {quoted(str(kind))} cannot be written as text ({why}).") from error


def _texts_of_floats(column: pa.ChunkedArray) -> pa.DictionaryArray:
    values, codes = np.unique(column.to_numpy(), return_inverse=True)
    texts = [
        None if np.isnan(x) else str(int(x)) if x.is_integer() and abs(x) < 2**53 else repr(x) for x in values.tolist()
    ]
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(texts, pa.string())).cast(
        pa.string()
    )
