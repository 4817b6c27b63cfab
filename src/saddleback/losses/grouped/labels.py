"""Labels of any hashable type as numbers 0, 1, ..."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ProblemError


def refuse_masked(x: Any, name: str) -> None:
    """NumPy would read what is behind a mask."""
    if np.ma.isMaskedArray(x) and np.ma.is_masked(x):
        raise ProblemError(f"{name} must not hold masked entries; got a masked array. Fill them, or drop their rows.")


def label_vector(x: Any, name: str, length: int) -> NDArray[Any]:
    """``x`` as a 1-d array of labels; tuples and other hashable objects stay what they are."""
    array = np.asarray(x) if hasattr(x, "__array__") else _from_sequence(x, name)
    if array.ndim != 1:
        raise ProblemError(f"{name} must be a vector with one label per row; got an array of shape {array.shape}.")
    if array.size != length:
        raise ProblemError(f"{name} must have one entry per row of X, {length}; got {array.size}.")
    return array


def encode(labels: NDArray[Any], name: str) -> tuple[list[Any], NDArray[np.intp]]:
    """The distinct labels, sorted where they can be compared, else as they first appear; and the number of each."""
    missing = _missing(labels)
    if missing is not None:
        raise ProblemError(
            f"{name} must not hold missing labels; got {labels[missing]!r} in row {missing}. Drop such rows, or give "
            "them a label of their own."
        )
    if labels.dtype.kind != "O":
        distinct, codes = np.unique(labels, return_inverse=True)
        return distinct.tolist() if labels.dtype.kind not in "mM" else list(distinct), codes.astype(np.intp)
    numbers: dict[Any, int] = {}
    try:
        codes = np.fromiter((numbers.setdefault(label, len(numbers)) for label in labels), np.intp, labels.size)
    except TypeError as error:
        raise ProblemError(f"{name} must hold hashable labels; got {error}.") from error
    names = list(numbers)
    try:
        sort = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:
        return names, codes
    rank = np.empty(len(names), dtype=np.intp)
    rank[sort] = np.arange(len(names))
    return [names[i] for i in sort], rank[codes]


def _from_sequence(x: Any, name: str) -> NDArray[Any]:
    """As an array of objects: NumPy would turn [1, "a"] into strings and a list of tuples into a matrix."""
    if isinstance(x, str) or not hasattr(x, "__len__") or not hasattr(x, "__iter__"):
        raise ProblemError(f"{name} must be a vector of labels; got {type(x).__name__}.")
    array = np.empty(len(x), dtype=object)
    for i, label in enumerate(x):
        array[i] = label
    return array


def _missing(labels: NDArray[Any]) -> int | None:
    """The first row whose label is None, NaN, NaT or NA."""
    if labels.dtype.kind in "fcmM":
        where = np.flatnonzero(labels != labels)
        return int(where[0]) if where.size else None
    if labels.dtype.kind != "O":
        return None
    return next((row for row, label in enumerate(labels) if _is_missing(label)), None)


def _is_missing(label: Any) -> bool:
    if label is None:
        return True
    try:
        return bool(label != label)
    except (TypeError, ValueError):
        # pandas.NA refuses to be compared; an array is refused later, as it cannot be hashed.
        return type(label).__name__ == "NAType"
