"""svec: symmetric k x k matrices as vectors of k(k+1)/2 entries, those off the diagonal times sqrt(2).

Inner products are preserved: <svec A, svec B> = tr(A B). The order is that of the lower triangle row by row: (0,0),
(1,0), (1,1), (2,0), ...
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._types import Matrix, Vector

ROOT_TWO = float(np.sqrt(2.0))


class _Layout(NamedTuple):
    """The index arrays and factors of svec for k x k matrices."""

    flat: NDArray[np.intp]
    """Positions of the lower triangle in the k^2 entries."""
    weights: Vector
    """1 on the diagonal, sqrt(2) below."""
    position: NDArray[np.intp]
    """The coordinate that each of the k^2 entries comes from."""
    unweights: Vector
    """The factor of that coordinate."""


@lru_cache(maxsize=64)
def _layout(k: int) -> _Layout:
    rows, columns = np.tril_indices(k)
    weights = np.where(rows == columns, 1.0, ROOT_TWO)
    position = np.zeros((k, k), dtype=np.intp)
    position[rows, columns] = position[columns, rows] = np.arange(rows.size)
    return _Layout(rows * k + columns, weights, position.ravel(), (1.0 / weights)[position.ravel()])


def length(k: int) -> int:
    """k(k+1)/2."""
    return k * (k + 1) // 2


def order(n: int) -> int | None:
    """The k with n = k(k+1)/2; None where there is none."""
    k = (isqrt(8 * n + 1) - 1) // 2
    return k if n >= 1 and length(k) == n else None


def weights(k: int) -> Vector:
    """The factors of the coordinates: 1 on the diagonal, sqrt(2) below."""
    return _layout(k).weights


def pack(A: Matrix) -> Vector | Matrix:
    """svec of one symmetric matrix, or of each in a stack (..., k, k)."""
    k = A.shape[-1]
    layout = _layout(k)
    packed: Matrix = A.reshape(*A.shape[:-2], k * k).take(layout.flat, axis=-1)
    packed *= layout.weights
    return packed


def unpack(x: Vector | Matrix) -> Matrix:
    """The symmetric matrix of svec coordinates, or a stack of them."""
    k = order(x.shape[-1])
    assert k is not None, "the length of svec is a triangular number"
    layout = _layout(k)
    full: Matrix = x.take(layout.position, axis=-1)
    full *= layout.unweights
    return full.reshape(*x.shape[:-1], k, k)


def entries(W: Matrix) -> Vector:
    """The lower triangle of a symmetric matrix in the order of svec, without the factors sqrt(2)."""
    return W.ravel().take(_layout(len(W)).flat)


def congruence(U: Matrix, rows: Matrix) -> Matrix:
    """svec(U' A U) for every row svec(A)."""
    k = len(U)
    half = (unpack(rows).reshape(-1, k) @ U).reshape(-1, k, k)
    # U'(A U) as the transpose of (A U)'U: two products with all rows stacked are faster than one per row.
    return np.asarray(pack((half.swapaxes(1, 2).reshape(-1, k) @ U).reshape(-1, k, k)))
