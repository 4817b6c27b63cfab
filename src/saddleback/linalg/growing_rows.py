"""Arrays that grow by rows at their end without a copy of the others."""

from __future__ import annotations

import numpy as np

from .._types import Matrix, Vector

LEAST_ROWS = 8


def appended(rows: Matrix, new: Vector, first: int = 0) -> Matrix:
    """rows[first:] and one more row, in the memory of ``rows`` where the next place there is free.

    A new array has room for as many rows again. A free row starts with NaN, and is part of no array that was returned:
    earlier arrays keep their contents, whichever of them is appended to, and how often.
    """
    n, d = len(rows) - first, new.size
    room, end = _room(rows)
    if room is None or np.isnan(new[0]):
        room, end = np.empty((2 * max(n + 1, LEAST_ROWS), d)), n
        room[n + 1 :, 0] = np.nan
        room[:n] = rows[first:]
    room[end] = new
    grown: Matrix = room[end - n : end + 1]
    return grown


def _room(rows: Matrix) -> tuple[Matrix | None, int]:
    """The array that ``rows`` is the end of so far, and its next row, where that is free."""
    room = rows.base
    if (
        not isinstance(room, np.ndarray)
        or room.ndim != 2
        or room.shape[1:] != rows.shape[1:]
        or room.dtype != rows.dtype
        or not (len(rows) and room.flags.c_contiguous and room.flags.writeable and rows.flags.c_contiguous)
    ):
        return None, 0
    offset = rows.__array_interface__["data"][0] - room.__array_interface__["data"][0]
    end = offset // room.strides[0] + len(rows)
    return (room, end) if end < len(room) and np.isnan(room[end, 0]) else (None, 0)
