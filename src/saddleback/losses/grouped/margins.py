"""The margins of all rows of a table, in their order."""

from __future__ import annotations

import numpy as np

from ..._types import Matrix
from .schedule import Stage
from .sparse_table import SparseTable
from .tables import Table

BLOCK_ENTRIES = 1 << 20
"""Numbers that are converted to float64 at a time: 8 MB."""


def margins_of_table(table: Table, W: Matrix) -> Matrix:
    """X W', of shape (n, K), in float64; the rows of X must still be in the user's order."""
    n, d = table.shape
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(table, SparseTable):
            return np.asarray(table.csr @ W.T)
        eta = np.empty((n, len(W)))
        block = max(1, BLOCK_ENTRIES // d)
        for first in range(0, n, table.stage_rows):
            stage = Stage(first, min(first + table.stage_rows, n), ())
            X = table.open(stage)
            for begin in range(0, len(X), block):
                part = X[begin : begin + block].astype(np.float64, copy=False)
                eta[first + begin : first + begin + len(part)] = part @ W.T
            table.close(stage)
    return eta
