"""Columns of a block of rows into rows."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg"

from __future__ import annotations

import numpy as np

from .compiling import FUSED, kernel

ZERO, ONE, LINE = np.uintp(0), np.uintp(1), np.uintp(8)
"""Rows at a time: numbers of a line of the cache, which is read once from each column."""


@kernel(FUSED)
def transpose(columns, rows):
    """rows[i, k] = columns[k, i], both in C order. NumPy's copy takes several times as long."""
    d, n = np.uintp(columns.shape[0]), np.uintp(columns.shape[1])
    for first in range(ZERO, n, LINE):
        last = min(first + LINE, n)
        for k in range(ZERO, d, ONE):
            for i in range(first, last, ONE):
                rows[i, k] = columns[k, i]
