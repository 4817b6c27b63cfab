"""Labels of any hashable type, encoded as numbers 0, 1, ..."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ...._validation import holds_masked
from ....errors import ProblemError
from .label_numbers import encode, scattered

NO_ROWS = (str, bytes, bytearray, Mapping, Set, Iterator)
"""Iterable types that are not sequences of rows: text, mappings, sets and iterators."""


def refuse_masked(x: Any, name: str) -> None:
    """Refuse masked entries, which NumPy would read as numbers."""
    if holds_masked(x):
        raise ProblemError(f"{name} must not hold masked entries; got a masked array. Fill them, or drop their rows.")


def listed(labels: list[Any]) -> str:
    """The first labels, for messages."""
    return ", ".join(map(repr, labels[:5])) + (", ..." if len(labels) > 5 else "")


def read_labels(x: Any, name: str, length: int) -> tuple[list[Any], NDArray[np.intp]]:
    """The distinct labels that occur in ``x``, and the number of each row's label; missing labels are refused.

    In the order of the categories where ``x`` is a categorical column of pandas; else sorted where labels can be
    compared; else in the order of their first rows.
    """
    names, codes = read_optional_labels(x, name, length)
    if codes.size and codes.min() < 0:
        _refuse_missing(label_vector(x, name, length), int(np.argmin(codes)), name)
    return names, codes


def read_optional_labels(x: Any, name: str, length: int | None) -> tuple[list[Any], NDArray[np.intp]]:
    """As `read_labels`, where a row without a label (None, NaN, NaT, NA) has the number -1."""
    categories = categories_of(x)
    if categories is None:
        return encode(label_vector(x, name, length), name)
    # The codes, not the labels: pandas would make an object for every row.
    codes = label_vector(getattr(x, "cat", x).codes, name, length)
    known = codes >= 0
    used, numbers = encode(codes if known.all() else codes[known], name)
    return [categories[code] for code in used], scattered(numbers, known)


def categories_of(x: Any) -> list[Any] | None:
    """All categories of a categorical column of pandas, also those without rows; None for other labels."""
    categories = getattr(getattr(x, "dtype", None), "categories", None)
    return None if categories is None or not hasattr(getattr(x, "cat", x), "codes") else list(categories)


def label_vector(x: Any, name: str, length: int | None) -> NDArray[Any]:
    """``x`` as a 1-d array of labels; tuples and other hashable objects are kept as objects."""
    array = _from_array(x, name) if hasattr(x, "__array__") and not isinstance(x, NO_ROWS) else _from_sequence(x, name)
    if array.ndim != 1:
        raise ProblemError(
            f"{name} must be a vector with one label per row; got an array of shape {array.shape}. Pass one column."
        )
    if length is not None and array.size != length:
        raise ProblemError(f"{name} must have one entry per row of X, {length}; got {array.size}.")
    return array


def _refuse_missing(labels: NDArray[Any], row: int, name: str) -> NoReturn:
    raise ProblemError(
        f"{name} must not hold missing labels; got {labels[row]!r} in row {row}. Drop such rows, or give them a label "
        "of their own."
    )


def _from_array(x: Any, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(x)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{name} must be a vector of labels; got {type(x).__name__} ({error}).") from error
    # NumPy cannot sort its variable-width strings where some are missing.
    return array.astype(object) if array.dtype.kind == "T" else array


def _from_sequence(x: Any, name: str) -> NDArray[Any]:
    """As an array of objects: NumPy would turn [1, "a"] into strings and a list of tuples into a matrix."""
    if isinstance(x, NO_ROWS) or issparse(x) or not hasattr(x, "__len__") or not hasattr(x, "__iter__"):
        raise ProblemError(
            f"{name} must be a vector of labels; got {type(x).__name__}. Pass a list or an array, one label per row."
        )
    for kind in set(map(type, x)):
        # Tensors and series, if hashable, are hashed by their address: every row would be a label of its own.
        if hasattr(kind, "__array__") and not issubclass(kind, np.generic | np.ndarray):
            raise ProblemError(
                f"{name} must hold one plain label per row; got a list of {kind.__name__}. Pass one array; to cross "
                "two columns a and b, list(zip(a, b))."
            )
    array = np.empty(len(x), dtype=object)
    for i, label in enumerate(x):
        array[i] = label
    return array
