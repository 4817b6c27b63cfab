"""Distinct labels and their numbers: by counting, by hashing, or by sorting, whichever is fastest for their type."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import ProblemError

LARGEST_CODE = 1 << 53
"""Whole numbers up to this are numbered by counting: float64 has all of them, and their differences do not overflow."""

LONGEST_TEXT = 64
"""Characters of texts up to which hashing was faster than sorting, which compares the first characters only."""

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""Of a multiplicative hash: 2^64 over the golden ratio, odd (Knuth, The Art of Computer Programming, 6.4)."""

Codes = NDArray[np.intp]


def encode(labels: NDArray[Any], name: str) -> tuple[list[Any], Codes]:
    """The distinct labels, sorted if comparable, else in the order of their first rows; and the number of each row.

    A row without a label has the number -1.
    """
    kind = labels.dtype.kind
    if kind == "O":
        return _by_dictionary(labels, name)
    known = labels == labels if kind in "fcmM" else np.ones(labels.size, dtype=np.bool_)
    labels = labels if known.all() else labels[known]
    counted = _by_counting(labels) if kind in "biuf" and labels.size else None
    hashed = _by_hashing(labels) if kind in "US" and labels.size else None
    distinct, codes = counted or hashed or np.unique(labels, return_inverse=True)
    return distinct.tolist() if kind not in "mM" else list(distinct), scattered(codes, known)


def scattered(codes: NDArray[Any], known: NDArray[np.bool_]) -> Codes:
    """The numbers of the known rows at their places, and -1 at all others."""
    if known.all():
        return codes.astype(np.intp, copy=False)
    spread = np.full(known.size, -1, dtype=np.intp)
    spread[known] = codes
    return spread


def _by_counting(labels: NDArray[Any]) -> tuple[NDArray[Any], Codes] | None:
    """For two numbers, and for whole ones in a range no longer than the labels: faster than a sort; None for others."""
    low, high = labels.min().item(), labels.max().item()
    upper = labels == high
    if low < high and (upper | (labels == low)).all():
        # Two numbers, as responses often are. The sum makes 0 of -0.
        return np.array([low, high], dtype=labels.dtype) + labels.dtype.type(0), upper.astype(np.intp)
    if not (low >= -LARGEST_CODE and high <= LARGEST_CODE and int(high) - int(low) < labels.size):
        return None
    shifted = labels.astype(np.intp)
    if labels.dtype.kind == "f" and not (shifted == labels).all():
        return None
    shifted -= int(low)
    occurs = np.bincount(shifted) > 0
    distinct = (np.flatnonzero(occurs) + int(low)).astype(labels.dtype)
    return distinct, shifted if occurs.all() else (np.cumsum(occurs) - 1)[shifted]


def _by_hashing(texts: NDArray[Any]) -> tuple[NDArray[Any], Codes] | None:
    """For short texts: a number for each; None where two texts share one."""
    word = np.uint32 if texts.dtype.kind == "U" else np.uint8
    length = texts.itemsize // np.dtype(word).itemsize
    if not 0 < length <= LONGEST_TEXT:
        return None
    words = np.ascontiguousarray(texts).view(word).reshape(texts.size, length)
    key = words[:, 0].astype(np.uint64)
    for k in range(1, length):
        key = key * MULTIPLIER + words[:, k].astype(np.uint64)
    codes = _by_table(key)
    if codes is None:
        codes = np.unique(key, return_inverse=True)[1]
    row = np.empty(codes.max() + 1, dtype=np.intp)
    row[codes] = np.arange(codes.size)
    distinct = texts[row]
    if not (distinct[codes] == texts).all():
        return None
    sort = np.argsort(distinct)
    return distinct[sort], _ranks(sort)[codes]


def _by_table(key: NDArray[np.uint64]) -> Codes | None:
    """For few distinct numbers, by a table of 2^16 places, without a sort; None where two of them share a place."""
    place = ((key * MULTIPLIER) >> np.uint64(48)).astype(np.intp)
    row = np.full(1 << 16, -1, dtype=np.intp)
    row[place] = np.arange(key.size)
    if not (key[row[place]] == key).all():
        return None
    number = np.cumsum(row >= 0) - 1
    return number[place]


def _by_dictionary(labels: NDArray[Any], name: str) -> tuple[list[Any], Codes]:
    rows = labels.tolist()
    failure: TypeError | None = None
    try:
        names = list(dict.fromkeys(rows))
    except TypeError as error:
        # A signaling NaN of the module decimal is missing, and not hashable.
        names, failure = rows, error
    if any(map(is_missing, names)):
        known = np.fromiter((not is_missing(label) for label in rows), np.bool_, len(rows))
        names, codes = _by_dictionary(labels[known], name)
        return names, scattered(codes, known)
    if failure is not None:
        raise ProblemError(f"{name} must hold hashable labels; got {failure}.") from failure
    try:
        names.sort()
    except TypeError:
        # In the order of their first rows, as they were: list.sort leaves some order behind where it fails.
        names = list(dict.fromkeys(rows))
    numbers = {label: number for number, label in enumerate(names)}
    return names, np.fromiter(map(numbers.__getitem__, rows), np.intp, len(rows))


def _ranks(sort: Codes) -> Codes:
    """The inverse of a permutation."""
    rank = np.empty(sort.size, dtype=np.intp)
    rank[sort] = np.arange(sort.size)
    return rank


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN, NaT or NA, or a tuple with one of these."""
    if label is None:
        return True
    if isinstance(label, tuple):
        # NaN != NaN: every row would be a group of its own.
        return any(map(is_missing, label))
    try:
        return bool(label != label)
    except ArithmeticError:
        # A signaling NaN of the module decimal.
        return True
    except (TypeError, ValueError):
        # pandas.NA raises when compared. Arrays raise too, and are refused later, because they are not hashable.
        return type(label).__name__ == "NAType"
