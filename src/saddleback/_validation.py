"""Checks of user input that several rooms share; each raises a ProblemError: what, got, expected, remedy."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dasum
from scipy.sparse import issparse

from ._sparse import to_dense
from .errors import ProblemError

T = TypeVar("T")

# Entries that differ from their mirror images by less than this share of the largest entry are rounding.
ASYMMETRY = 1e-10


def all_finite(x: NDArray[np.float64]) -> bool:
    """Whether no entry is NaN or inf: where the sum of their sizes is finite, which BLAS tells faster, they all are."""
    return (x.size > 0 and isfinite(dasum(x.ravel("K")))) or bool(np.isfinite(x).all())


def real_array(x: Any) -> NDArray[Any]:
    """``x`` as an array of real numbers, in its own precision; a TypeError or ValueError where it is none."""
    array = np.asarray(x)
    if array.dtype.kind == "O":
        # NumPy would read None as NaN.
        if any(item is None for item in array.flat):
            raise TypeError("it holds None")
        return array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"its entries are of type {array.dtype}")
    return array


def finite_vector(x: Any, name: str, length: int | None = None) -> NDArray[np.float64]:
    """``x`` as a new float64 vector, refused when it is not one or holds NaN or inf."""
    try:
        vector = np.array(real_array(x), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{name} must be a vector of numbers; got {type(x).__name__} ({error}).") from error
    vector = np.atleast_1d(vector)
    if vector.ndim != 1 or vector.size == 0:
        raise ProblemError(f"{name} must be a non-empty vector; got an array of shape {vector.shape}.")
    if length is not None and vector.size != length:
        raise ProblemError(f"{name} must have length {length}; got length {vector.size}.")
    if not np.isfinite(vector).all():
        where = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise ProblemError(f"{name} must be finite; got {vector[where]} at position {where}.")
    return vector


def number(x: Any, name: str, *, minimum: float = -np.inf, strict: bool = False) -> float:
    """``x`` as a finite float that is at least (``strict``: above) ``minimum``."""
    try:
        value = float(real_array(x))
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{name} must be a number; got {x!r}.") from error
    if not np.isfinite(value) or value < minimum or (strict and value == minimum):
        bound = "" if minimum == -np.inf else f" {'>' if strict else '>='} {minimum:g}"
        raise ProblemError(f"{name} must be a finite number{bound}; got {x!r}.")
    return value


def whole(x: Any, name: str, *, minimum: int = 0) -> int:
    """``x`` as an int that is at least ``minimum``."""
    if not isinstance(x, int | np.integer) or isinstance(x, bool) or x < minimum:
        raise ProblemError(f"{name} must be a whole number >= {minimum}; got {x!r}.")
    return int(x)


def lookup(registry: Mapping[str, T], name: str, what: str) -> T:
    """``registry[name]``, or an error that lists the names there are."""
    try:
        return registry[name]
    except (KeyError, TypeError):
        known = ", ".join(repr(key) for key in registry)
        raise ProblemError(f"unknown {what} {name!r}; expected one of {known}, or an object.") from None


def symmetric(F: Any, name: str, *, finite: bool = True) -> NDArray[np.float64]:
    """A symmetric matrix, or a stack of them, as a new array of float64 without the rounding of its asymmetry."""
    try:
        array = np.array(real_array(to_dense(F, name) if issparse(F) else F), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{name} must be a matrix of numbers; got {type(F).__name__} ({error}).") from error
    if array.ndim not in (2, 3) or array.size == 0 or array.shape[-1] != array.shape[-2]:
        raise ProblemError(f"{name} must be square and not empty; got shape {array.shape}.")
    mirrored = array.swapaxes(-1, -2)
    if not np.isfinite(array).all():
        if finite:
            raise ProblemError(f"{name} must be finite; it holds NaN or inf.")
        return array
    difference = np.abs(array - mirrored)
    if (difference.max((-1, -2)) > ASYMMETRY * np.abs(array).max((-1, -2))).any():
        *which, i, j = (int(x) for x in np.unravel_index(int(difference.argmax()), array.shape))
        where = f"{name}[{which[0]}]" if which else name
        raise ProblemError(
            f"{where} must be symmetric; entries ({i}, {j}) and ({j}, {i}) are {array[*which, i, j]:g} and "
            f"{array[*which, j, i]:g}. Pass (F + F.T)/2 if that is what you mean."
        )
    return 0.5 * (array + mirrored)
