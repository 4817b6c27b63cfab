"""Data frames of Python users as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from ..errors import ProblemError
from .content.types import decoded
from .names import listed, quoted


def table_from_frame(frame: Any) -> pa.Table:
    """A table of a data frame of pandas or polars, of a dict of columns, or of anything that offers Arrow data.

    Parameters
    ----------
    frame : data frame, mapping of names to columns, or pyarrow.Table
        The columns; their names must be text and differ. The index of a pandas frame is left out.

    Returns
    -------
    pyarrow.Table

    Examples
    --------
    >>> from saddleback.tabular import table_from_frame
    >>> table_from_frame({"age": [31, 54, None], "job": ["clerk", "nurse", "clerk"]}).num_rows
    3
    """
    try:
        if isinstance(frame, pa.Table):
            table = frame
        elif isinstance(frame, Mapping):
            _check_names(list(frame))
            table = pa.table({name: _column(name, values) for name, values in frame.items()})
        elif type(frame).__module__.split(".")[0] == "pandas":
            _check_names(list(frame.columns))
            table = pa.Table.from_pandas(frame, preserve_index=False)
        else:
            table = pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, ProblemError):
            raise
        raise ProblemError(
            "a table must be a data frame of pandas or polars, a dict of columns of one length, or a pyarrow.Table; "
            f"got {type(frame).__name__} ({quoted(str(error))})."
        ) from error
    _check_names(table.column_names)
    columns = [decoded(column) if _is_view(column.type) else column for column in table.columns]
    return pa.table(columns, names=table.column_names)


def _is_view(kind: pa.DataType) -> bool:
    """Whether these are views of texts, on which Arrow cannot do much."""
    return bool(pa.types.is_string_view(kind.value_type if pa.types.is_dictionary(kind) else kind))


def _column(name: str, values: Any) -> Any:
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise ProblemError(
            f"the column {quoted(name)} must hold values of one kind; {quoted(str(error))}. Convert them, as by str."
        ) from error


def _check_names(names: list[Any]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise ProblemError(f"names of columns must be text; got {quoted(name)} of type {type(name).__name__}.")
    if twice := sorted({name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ()):
        raise ProblemError(f"names of columns must differ; got {listed(twice)} more than once. Rename them.")
