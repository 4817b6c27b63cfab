"""Arrow's types, told apart as people mean them."""

from __future__ import annotations

import pyarrow as pa

from ...errors import ProblemError
from ..names import quoted


def decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column without wrappings: dictionaries of text stay, others, run lengths and extensions become plain values.

    Views of texts, as polars has them, become texts.
    """
    kind = column.type
    if pa.types.is_string_view(kind):
        return column.cast(pa.string())
    if pa.types.is_dictionary(kind) and pa.types.is_string_view(kind.value_type):
        # Arrow has few functions for views, and no cast of a dictionary of them.
        chunks = [pa.DictionaryArray.from_arrays(c.indices, c.dictionary.cast(pa.string())) for c in column.chunks]
        return pa.chunked_array(chunks, type=pa.dictionary(kind.index_type, pa.string()))
    if isinstance(kind, pa.BaseExtensionType):
        return decoded(pa.chunked_array([chunk.storage for chunk in column.chunks], type=kind.storage_type))
    if pa.types.is_run_end_encoded(kind):
        return decoded(pa.chunked_array([chunk.cast(kind.value_type) for chunk in column.chunks], type=kind.value_type))
    if pa.types.is_dictionary(kind) and not is_plain_text(kind.value_type):
        return decoded(column.cast(kind.value_type))
    return column


def is_plain_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def is_text(kind: pa.DataType) -> bool:
    return is_plain_text(kind) or bool(pa.types.is_dictionary(kind) and is_plain_text(kind.value_type))


def is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def is_time(kind: pa.DataType) -> bool:
    return bool(pa.types.is_temporal(kind))


def is_usable(kind: pa.DataType) -> bool:
    """Whether values of this type, once decoded, can be numbers, texts or times: no lists, structs, maps or bytes."""
    return is_text(kind) or is_number(kind) or is_time(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind)


def checked(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """The decoded column, refused where it is of a type that has no place in a table of numbers and texts."""
    try:
        column = decoded(column)
    except pa.ArrowException as error:
        raise ProblemError(f"the column {quoted(name)} of type {column.type} cannot be read ({error}).") from error
    if not is_usable(column.type):
        raise ProblemError(
            f"the column {quoted(name)} is of type {quoted(str(column.type))}; expected numbers or text. Leave it out, "
            "or make columns of numbers or text of it."
        )
    return column
