"""Test rows that the fit has seen: the same features, target and groups as a training row."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...errors import ProblemError
from ..data.rows import Rows

MANY = 0.1
"""From this share on, repeated rows are told: in tables of few categories some rows are equal by chance."""

FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""The odd number next to 2^64 divided by the golden ratio, which spreads bits."""


def describe_test_rows(training: Rows, test: Rows) -> str:
    """What the test rows are, and how many are equal to training rows; those of the same table are refused."""
    unseen = "Rows of their own, which had no part in the fit."
    if sparse.issparse(training.X) or sparse.issparse(test.X):
        return unseen
    seen, new = _row_hashes(training), _row_hashes(test)
    if seen.size == new.size and np.array_equal(np.sort(seen), np.sort(new)):
        raise ProblemError(
            f"the test rows must be rows that the model has not seen; got the {new.size:,} rows of the fit. Pass other "
            "rows, or none: then folds of the training rows are held out."
        )
    share = float(np.isin(new, seen).mean())
    if share < MANY:
        return unseen
    return (
        f"Rows of a test table: {100 * share:.0f} % of them are equal to a training row in all features, the target "
        "and the groups. Unless that is chance, as in tables of few different values, their figures are too good."
    )


def _row_hashes(rows: Rows) -> NDArray[np.uint64]:
    """One number per row, which is the same for the same features, target and groups."""
    names = np.array([_number_of(name) for name in rows.groups.names], dtype=np.uint64)
    hashes = hashed((*rows.X.T, rows.y))
    for numbers in rows.groups.numbers.T:
        hashes = _mixed(hashes, names[numbers])
    return hashes


def hashed(columns: Iterable[Any], hashes: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
    """One number per row, which is the same for the same numbers in all columns; ``hashes`` are those of others."""
    for column in columns:
        # Adding zero makes 0.0 of -0.0.
        bits = (np.asarray(column, dtype=np.float64) + 0.0).view(np.uint64)
        hashes = _mixed(np.zeros(bits.size, dtype=np.uint64) if hashes is None else hashes, bits)
    assert hashes is not None
    return hashes


def _number_of(name: Any) -> int:
    return int.from_bytes(blake2b(repr(name).encode("utf-8", "backslashreplace"), digest_size=8).digest(), "little")


def _mixed(hashes: NDArray[np.uint64], values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A step of multiplication and shift, as in splitmix64 (Steele, Lea and Flood 2014)."""
    mixed = (hashes ^ values) * FACTOR
    return mixed ^ (mixed >> np.uint64(29))
