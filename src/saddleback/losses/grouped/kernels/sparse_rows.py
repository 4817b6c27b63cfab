"""Margins and gradients of a block of a matrix in compressed sparse rows: (values, columns, starts of the rows)."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

# Slices of a row and unsigned columns, because Numba tests every other index for a negative value.


def margins_by_entries(X, order, start, size, w, eta):
    """eta[i] = x_i'w for the rows at positions start, ..., start + size - 1."""
    values, columns, starts = X
    for i in range(size):
        row = order[start + i]
        v, k = values[starts[row] : starts[row + 1]], columns[starts[row] : starts[row + 1]]
        total = 0.0
        for e in range(v.size):
            total += v[e] * w[k[e]]
        eta[i] = total


def gradient_by_entries(X, order, start, slot, first, size, c, g):
    """g += sum_i c[i] x_i over the rows of the visits first, ..., first + size - 1."""
    values, columns, starts = X
    for i in range(size):
        row = order[start + slot[first + i]]
        v, k = values[starts[row] : starts[row + 1]], columns[starts[row] : starts[row + 1]]
        for e in range(v.size):
            g[k[e]] += c[i] * v[e]
