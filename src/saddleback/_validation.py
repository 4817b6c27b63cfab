"""Shared checks of user input; each raises a ProblemError with what is wrong, what was given and what is expected."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from reprlib import repr as shortened
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dasum
from scipy.sparse import issparse

from .errors import ProblemError
from .linalg.sparse import to_dense

T = TypeVar("T")

FLOAT64 = np.dtype(np.float64)
NUMBERS = frozenset((float, int, np.float64))

# Asymmetry of a matrix below this share of its largest entry is accepted as rounding error; in lower precision, below
# this many units in the last place.
ASYMMETRY_ROUNDING = 1e-10
ASYMMETRY_ULPS = 64.0


def all_finite(x: NDArray[np.float64]) -> bool:
    """Whether no entry is NaN or inf. The sum of absolute values by BLAS decides faster, unless it overflows."""
    return (x.size > 0 and isfinite(dasum(x if x.ndim == 1 else x.ravel("K")))) or bool(np.isfinite(x).all())


def holds_masked(x: Any) -> bool:
    """Whether ``x`` is a masked array with masked entries, or a list that holds one: NumPy would ignore the masks."""
    if isinstance(x, np.ma.MaskedArray):
        return bool(np.ma.is_masked(x))
    # Most lists hold plain numbers only: their types are known without a look at each.
    if not isinstance(x, list | tuple) or NUMBERS.issuperset(map(type, x)):
        return False
    return any(holds_masked(item) for item in x if isinstance(item, np.ma.MaskedArray | list | tuple))


def real_array(x: Any) -> NDArray[Any]:
    """``x`` as an array of real numbers, in its own precision; a TypeError or ValueError where it is not one.

    Masked entries, numbers written as text, pandas categories and None are refused: NumPy would convert them silently.
    """
    if type(x) is np.ndarray and x.dtype.kind in "biuf":
        return x
    if isinstance(x, bytearray):
        raise TypeError("it is text")
    if holds_masked(x):
        raise TypeError("it holds masked entries")
    if hasattr(getattr(x, "dtype", None), "categories"):
        raise TypeError("it holds categories")
    array = np.asarray(x)
    if array.dtype.kind == "O":
        for item in array.flat:
            if not _is_number(item):
                raise TypeError(f"it holds {shortened(item)}")
        try:
            return array.astype(np.float64)
        except OverflowError as error:
            raise ValueError(str(error)) from error
    if array.dtype.kind not in "biuf":
        raise TypeError(f"its entries are of type {array.dtype}")
    return array


def _is_number(item: Any) -> bool:
    """Whether float(item) equals item; some NumPy scalars that are not real numbers have a float(), too."""
    if isinstance(item, np.character | np.datetime64 | np.timedelta64 | np.complexfloating):
        return False
    return hasattr(item, "__float__") and getattr(item, "ndim", 0) == 0


def n_axes(x: Any) -> int:
    """The number of axes of ``x``; 1 where it is not an array, so that the check of a vector refuses it by name."""
    try:
        return 1 if holds_masked(x) else np.ndim(x)
    except (TypeError, ValueError):
        return 1


def loss_array(x: Any) -> NDArray[Any]:
    """An array returned by losses, in its own precision; NaN and inf are allowed."""
    try:
        return real_array(x)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"the losses must return numbers; got {type(x).__name__} ({error}).") from error


def loss_pair(answer: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """The pair returned by ``losses.evaluate``, as two arrays of numbers in their own precision."""
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise ProblemError(f"losses.evaluate must return the pair (values, jacobian); got {type(answer).__name__}.")
    f, G = answer
    return loss_array(f), loss_array(G)


def finite_vector(x: Any, name: str, length: int | None = None) -> NDArray[np.float64]:
    """``x`` as a new float64 vector, refused when it is not one or holds NaN or inf."""
    if (
        type(x) is np.ndarray
        and x.dtype == FLOAT64
        and x.ndim == 1
        and x.size
        and length in (None, x.size)
        and all_finite(x)
    ):
        # Most often it has been checked before.
        return x.copy()
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
        array = real_array(x)
        if array.ndim > 0 or array.dtype.kind == "b":
            raise TypeError("booleans and arrays are not accepted as numbers")
        value = float(array)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{name} must be a number; got {shortened(x)}.") from error
    if not np.isfinite(value) or value < minimum or (strict and value == minimum):
        bound = "" if minimum == -np.inf else f" {'>' if strict else '>='} {minimum:g}"
        raise ProblemError(f"{name} must be a finite number{bound}; got {x!r}.")
    return value


def whole(x: Any, name: str, *, minimum: int = 0) -> int:
    """``x`` as an int that is at least ``minimum``."""
    if not isinstance(x, int | np.integer) or isinstance(x, bool) or x < minimum:
        raise ProblemError(f"{name} must be a whole number >= {minimum}; got {shortened(x)}.")
    return int(x)


def indices(x: Any, name: str, length: int) -> NDArray[np.intp]:
    """``x`` as a vector of whole numbers from 0 to ``length`` - 1; it may be empty."""
    array = x if type(x) is np.ndarray else np.asarray(x)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise ProblemError(f"{name} must be a vector of whole numbers; got {shortened(x)}.")
    if array.size and not (min(numbers := array.tolist()) >= 0 and max(numbers) < length):
        raise ProblemError(f"{name} must hold numbers from 0 to {length - 1}; got {shortened(x)}.")
    return array.astype(np.intp, copy=False)


def flag(x: Any, name: str) -> bool:
    """``x`` as a bool; "no" and 0 are refused."""
    if not isinstance(x, bool | np.bool_):
        raise ProblemError(f"{name} must be True or False; got {shortened(x)}.")
    return bool(x)


def lookup(registry: Mapping[str, T], name: str, what: str) -> T:
    """``registry[name]``, or an error that lists the known names."""
    try:
        return registry[name]
    except (KeyError, TypeError):
        known = ", ".join(repr(key) for key in registry)
        raise ProblemError(f"unknown {what} {shortened(name)}; expected one of {known}, or an object.") from None


def symmetric(F: Any, name: str, *, finite: bool = True) -> NDArray[np.float64]:
    """A symmetric matrix, or a stack of them, as a new float64 array that is exactly symmetric."""
    try:
        given = real_array(to_dense(F, name) if issparse(F) else F)
        array = np.array(given, dtype=np.float64)
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
    rounding = ASYMMETRY_ROUNDING
    if given.dtype.kind == "f":
        rounding = max(rounding, ASYMMETRY_ULPS * float(np.finfo(given.dtype).eps))
    if (difference.max((-1, -2)) > rounding * np.abs(array).max((-1, -2))).any():
        *which, i, j = (int(x) for x in np.unravel_index(int(difference.argmax()), array.shape))
        where = f"{name}[{which[0]}]" if which else name
        raise ProblemError(
            f"{where} must be symmetric; entries ({i}, {j}) and ({j}, {i}) are {array[*which, i, j]:g} and "
            f"{array[*which, j, i]:g}. Pass (F + F.T)/2 if that is what you mean."
        )
    return 0.5 * (array + mirrored)
