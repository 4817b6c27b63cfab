"""The bytes of a partition, by which Dask decides what to keep where."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse


def bytes_of(x: Any) -> int:
    """Of all arrays in an object."""
    if isinstance(x, np.ndarray):
        return x.nbytes
    if issparse(x):
        return sum(bytes_of(array) for array in vars(x).values())
    if is_dataclass(x):
        return sum(bytes_of(getattr(x, field.name)) for field in fields(x))
    if isinstance(x, list | tuple):
        return sum(map(bytes_of, x)) if any(map(_holds_arrays, x)) else 8 * len(x)
    if isinstance(x, dict):
        return sum(map(bytes_of, x.values()))
    usage = getattr(x, "memory_usage", None)
    # Of a series or a data frame of pandas.
    return int(np.sum(usage())) if callable(usage) else 0


def _holds_arrays(x: Any) -> bool:
    return isinstance(x, np.ndarray | list | tuple | dict) or issparse(x) or is_dataclass(x)
