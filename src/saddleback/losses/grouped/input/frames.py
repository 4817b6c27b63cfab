"""Data frames of pandas, Polars, Arrow or another library with named columns; none of them is imported."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...._validation import real_array
from ....errors import ProblemError
from ..files.file_table import FileTable
from ..remedies import ENCODE

Columns = list[tuple[Any, Any]]
"""Names and columns."""


def columns_of(x: Any) -> Columns | None:
    """The names and columns of a data frame; None where ``x`` is not a data frame."""
    if isinstance(x, FileTable) or len(getattr(x, "shape", ())) != 2:
        _refuse_lazy(x)
        return None
    if hasattr(x, "iloc") and hasattr(x, "columns"):
        # By position, because names may occur twice.
        return [(name, x.iloc[:, j]) for j, name in enumerate(x.columns)]
    # In Arrow, ``columns`` are the columns themselves and not their names.
    names = getattr(x, "column_names", None) or getattr(x, "columns", None)
    if names is None:
        return None
    if len(set(names)) < len(names):
        # Only those of Arrow may, and they cannot be asked for by name.
        raise ProblemError(
            f"a data frame must have columns of different names; got {', '.join(map(repr, names[:10]))}."
        )
    return [(name, x[name]) for name in names]


def _refuse_lazy(x: Any) -> None:
    if type(x).__name__ == "LazyFrame":
        raise ProblemError("a data frame must have rows; got a LazyFrame, a plan to make them. Call .collect().")


def matrix_of(frame: Any, name: str, remedy: str = ENCODE) -> Any:
    """A data frame as one matrix of numbers; a column of anything else is refused by its name, with a remedy.

    Columns of different types (such as numbers and the booleans of ``pandas.get_dummies``) and types with missing
    values are converted column by column: NumPy would convert them to a matrix of objects.
    """
    columns = columns_of(frame) or []
    dtypes = {getattr(column, "dtype", None) for _, column in columns}
    only = dtypes.pop() if len(dtypes) == 1 else None
    if isinstance(only, np.dtype) and only.kind in "biuf" and hasattr(frame, "__array__"):
        # Without a copy, where the frame is one block of memory.
        return np.asarray(frame)
    arrays = [_numbers(column, f"column {label!r} of {name}", remedy) for label, column in columns]
    dtype = np.result_type(np.bool_, *arrays)
    single = dtype.kind == "f" and dtype.itemsize <= 4
    matrix = np.empty((len(frame), len(arrays)), dtype=np.float32 if single else np.float64)
    for j, array in enumerate(arrays):
        matrix[:, j] = array
    return matrix


def _numbers(column: Any, what: str, remedy: str) -> Any:
    try:
        return real_array(column)
    except (TypeError, ValueError) as error:
        raise ProblemError(
            f"{what} must hold real numbers; got {getattr(column, 'dtype', 'objects')} ({error}). {remedy}"
        ) from error
