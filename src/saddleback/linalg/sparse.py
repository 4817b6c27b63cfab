"""Checks of the index arrays of users' sparse matrices, before SciPy or a kernel uses them.

SciPy does not check these arrays, and users can write to them: an index out of range would read or write other memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..errors import ProblemError

REMEDY = "Rebuild the matrix, or look for an integer overflow where it was made."


def to_compressed_rows(X: Any, name: str) -> Any:
    """X in the format "csr", with checked indices; it may share its arrays with X."""
    check_structure(X, name)
    csr = _converted(X, X.tocsr, name)
    check_structure(csr, name)
    return csr


def to_coordinates(X: Any, name: str) -> Any:
    """X as a coo_array with checked indices."""
    check_structure(X, name)
    coo = sp.coo_array(_converted(X, X.tocoo, name))
    check_structure(coo, name)
    return coo


def to_dense(X: Any, name: str) -> NDArray[Any]:
    """X as a dense array, after its indices were checked."""
    return np.asarray(to_compressed_rows(X, name).toarray())


def check_structure(X: Any, name: str) -> None:
    """Refuse index arrays that do not describe a matrix of this shape, in any format."""
    check_values(X, name)
    if X.ndim != 2:
        raise ProblemError(f"{name} must be a matrix; got a sparse array of shape {X.shape}.")
    if X.format in _CHECKS:
        _CHECKS[X.format](X, name)


def check_values(X: Any, name: str) -> None:
    """Refuse a matrix whose values are not an array."""
    if X.format != "dok" and not isinstance(X.data, np.ndarray):
        raise ProblemError(f"{name} must have an array of values; got {type(X.data).__name__}. {REMEDY}")


def _converted(X: Any, convert: Any, name: str) -> Any:
    try:
        return convert()
    except (IndexError, OverflowError, TypeError, ValueError) as error:
        raise ProblemError(f"{name} is no valid sparse matrix of format {X.format!r} ({error}). {REMEDY}") from error


def _compressed(X: Any, name: str) -> None:
    n_major, n_minor = X.shape if X.format == "csr" else X.shape[::-1]
    check_pointers(X.indptr, X.indices, len(X.data), n_major, n_minor, name)
    if X.data.ndim != 1:
        raise ProblemError(f"{name} must have a vector of values; got shape {X.data.shape}. {REMEDY}")


def _blocks(X: Any, name: str) -> None:
    height, width = X.data.shape[1:] if X.data.ndim == 3 else (0, 0)
    if 0 in (height, width) or X.shape[0] % height or X.shape[1] % width:
        raise ProblemError(
            f"{name} must have blocks that divide its shape {X.shape}; got values of shape {X.data.shape}. {REMEDY}"
        )
    check_pointers(X.indptr, X.indices, len(X.data), X.shape[0] // height, X.shape[1] // width, name)


def _coordinates(X: Any, name: str) -> None:
    coordinates = X.coords if hasattr(X, "coords") else (X.row, X.col)
    if not isinstance(coordinates, tuple) or len(coordinates) != 2:
        raise ProblemError(f"{name} must have one vector of indices per axis; got {coordinates!r:.60}. {REMEDY}")
    for indices, size in zip(coordinates, X.shape, strict=True):
        _whole_numbers(indices, "indices", name)
        _check_range(indices, size, name)
        if indices.shape != X.data.shape:
            raise ProblemError(
                f"{name} must have as many indices as values; got {indices.size} and {X.data.size}. {REMEDY}"
            )


def _diagonals(X: Any, name: str) -> None:
    _whole_numbers(X.offsets, "offsets", name)
    if X.data.ndim != 2 or len(X.data) != X.offsets.size:
        raise ProblemError(
            f"{name} must have one row of values per diagonal; got {X.offsets.size} offsets and values of shape "
            f"{X.data.shape}. {REMEDY}"
        )
    if np.unique(X.offsets).size < X.offsets.size:
        raise ProblemError(f"{name} must have offsets that differ; got one of them twice. {REMEDY}")
    outside = (X.offsets < -X.shape[0]) | (X.offsets > X.shape[1])
    if outside.any():
        raise ProblemError(
            f"{name} has a corrupt offset: it must be between {-X.shape[0]} and {X.shape[1]}; got "
            f"{X.offsets[outside][0]}. {REMEDY}"
        )


def _lists(X: Any, name: str) -> None:
    """Refuse lists of different lengths in ``rows`` and ``data``; their indices are checked after conversion."""
    if not isinstance(X.rows, np.ndarray):
        raise ProblemError(f"{name} must have an array of lists of indices; got {type(X.rows).__name__}. {REMEDY}")
    if not (X.rows.shape == X.data.shape == (X.shape[0],)):
        raise ProblemError(
            f"{name} must have one list of indices and one of values per row, {X.shape[0]}; got arrays of shapes "
            f"{X.rows.shape} and {X.data.shape}. {REMEDY}"
        )
    for row, (indices, values) in enumerate(zip(X.rows, X.data, strict=True)):
        if not (isinstance(indices, list) and isinstance(values, list) and len(indices) == len(values)):
            raise ProblemError(
                f"{name} must have as many indices as values, in lists; row {row} has {indices!r:.60} and "
                f"{values!r:.60}. {REMEDY}"
            )


def check_pointers(starts: Any, indices: Any, n_values: int, n_major: int, n_minor: int, name: str) -> None:
    """Refuse compressed rows (or columns) with pointers beyond the arrays or indices beyond the matrix."""
    _whole_numbers(starts, "indptr", name)
    _whole_numbers(indices, "indices", name)
    if starts.size != n_major + 1 or starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise ProblemError(
            f"{name} has a corrupt indptr: it must start at 0, never decrease and have {n_major + 1} entries."
        )
    if starts[-1] > min(indices.size, n_values):
        raise ProblemError(
            f"{name} has a corrupt indptr: it ends at {starts[-1]}, but there are {indices.size} indices and "
            f"{n_values} values."
        )
    _check_range(indices[: starts[-1]], n_minor, name)


def _check_range(indices: Any, size: int, name: str) -> None:
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        wrong = indices.min() if indices.min() < 0 else indices.max()
        raise ProblemError(f"{name} has a corrupt index: it must be between 0 and {size - 1}; got {wrong}. {REMEDY}")


def _whole_numbers(array: Any, part: str, name: str) -> None:
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
        got = f"{array.dtype} of shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise ProblemError(f"{name} must have {part} that are a vector of whole numbers; got {got}. {REMEDY}")


_CHECKS = {
    "csr": _compressed,
    "csc": _compressed,
    "bsr": _blocks,
    "coo": _coordinates,
    "dia": _diagonals,
    "lil": _lists,
}
"""By format. The keys of a "dok" matrix are checked by SciPy, and again after conversion."""
