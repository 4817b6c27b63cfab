"""Margins X W' of all rows of a user's matrix, in the order of the rows."""

from __future__ import annotations

import numpy as np

from ...._types import Matrix
from .mapped_table import MappedTable
from .read_plan import Stage
from .scaled_source import ScaledSource
from .sources import Source
from .sparse_source import SparseSource
from .streamed_table import StreamedTable

BLOCK_ENTRIES = 1 << 20
"""Entries that are converted to float64 at a time: 8 MB."""


def margins_of(matrix: Source, W: Matrix) -> Matrix:
    """X W', of shape (n, K), in float64."""
    n, d = matrix.shape
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(matrix, SparseSource):
            return np.asarray(matrix.X @ W.T)
        eta = np.empty((n, len(W)))
        if isinstance(matrix, StreamedTable):
            place = 0
            for piece in matrix.pieces():
                eta[place : place + len(piece)] = piece.astype(np.float64, copy=False) @ W.T
                place += len(piece)
            return eta
        block = max(1, BLOCK_ENTRIES // d)
        for first in range(0, n, matrix.stage_rows):
            stage = Stage(first, min(first + matrix.stage_rows, n), ())
            X = matrix.open(stage) if isinstance(matrix, MappedTable) else matrix.X
            for begin in range(0, len(X), block):
                part = X[begin : begin + block]
                part = matrix.columns.of(part) if isinstance(matrix, ScaledSource) else part
                part = part.astype(np.float64, copy=False)
                eta[first + begin : first + begin + len(part)] = part @ W.T
            if isinstance(matrix, MappedTable):
                matrix.close(stage)
    return eta
