"""Labels of any hashable type, encoded as numbers 0, 1, ..."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ...._validation import holds_masked
from ....errors import ProblemError

LARGEST_CODE = 1 << 62
"""Integers up to this are numbered by counting: their differences do not overflow."""

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
    labels = label_vector(x, name, length)
    categories = categories_of(x)
    if categories is None:
        return _encode(labels, name)
    codes = np.asarray(getattr(x, "cat", x).codes)
    used, numbers = np.unique(codes[codes >= 0], return_inverse=True)
    return [categories[code] for code in used], _scattered(numbers, codes >= 0)


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


def _encode(labels: NDArray[Any], name: str) -> tuple[list[Any], NDArray[np.intp]]:
    """The distinct labels, sorted if comparable, else in the order of their first rows; and the number of each row."""
    if labels.dtype.kind in "biu" and labels.size:
        return _encode_integers(labels)
    known = ~_missing(labels)
    labels = labels if known.all() else labels[known]
    if labels.dtype.kind != "O":
        distinct, codes = np.unique(labels, return_inverse=True)
        return distinct.tolist() if labels.dtype.kind not in "mM" else list(distinct), _scattered(codes, known)
    numbers: dict[Any, int] = {}
    try:
        codes = np.fromiter((numbers.setdefault(label, len(numbers)) for label in labels), np.intp, labels.size)
    except TypeError as error:
        raise ProblemError(f"{name} must hold hashable labels; got {error}.") from error
    names = list(numbers)
    try:
        sort = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:
        return names, _scattered(codes, known)
    rank = np.empty(len(names), dtype=np.intp)
    rank[sort] = np.arange(len(names))
    return [names[i] for i in sort], _scattered(rank[codes], known)


def _scattered(codes: NDArray[Any], known: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The numbers of the known rows at their places, and -1 at all others."""
    spread = np.full(known.size, -1, dtype=np.intp)
    spread[known] = codes
    return spread


def _encode_integers(labels: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """The same by counting, ten times faster than a sort, where the range of the integers is no longer than labels."""
    low, high = int(labels.min()), int(labels.max())
    if high - low >= labels.size or max(-low, high) > LARGEST_CODE:
        distinct, codes = np.unique(labels, return_inverse=True)
        return distinct.tolist(), codes.astype(np.intp)
    shifted = labels.astype(np.intp) - low
    occurs = np.bincount(shifted) > 0
    distinct = (np.flatnonzero(occurs) + low).astype(labels.dtype)
    return distinct.tolist(), (np.cumsum(occurs) - 1)[shifted]


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


def _missing(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Which labels are None, NaN, NaT or NA, or a tuple with one of these."""
    if labels.dtype.kind in "fcmM":
        return labels != labels
    if labels.dtype.kind != "O":
        return np.zeros(labels.size, dtype=np.bool_)
    return np.fromiter(map(_is_missing, labels), np.bool_, labels.size)


def _is_missing(label: Any) -> bool:
    if label is None:
        return True
    if isinstance(label, tuple):
        # NaN != NaN: every row would be a group of its own.
        return any(map(_is_missing, label))
    try:
        return bool(label != label)
    except ArithmeticError:
        # A signaling NaN of the module decimal.
        return True
    except (TypeError, ValueError):
        # pandas.NA raises when compared. Arrays raise too, and are refused later, because they are not hashable.
        return type(label).__name__ == "NAType"
