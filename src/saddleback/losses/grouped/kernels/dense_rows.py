"""Margins and gradients of a dense block, in two layouts that the compiler distinguishes by their type.

C order, for wide tables: eight rows at a time, so that w and the gradient are read once for eight rows. Where fewer are
left, the last row is repeated with coefficient 0.
Fortran order, for narrow tables whose rows were sorted by group: along the columns, so that vectors are long.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from .arguments import ROWS_AT_A_TIME


def margins_by_rows(X, order, start, size, w, eta):
    """eta[i] = x_i'w for the rows at positions start, ..., start + size - 1."""
    last = size - 1
    for i in range(0, size, ROWS_AT_A_TIME):
        r0, r1 = order[start + i], order[start + min(i + 1, last)]
        r2, r3 = order[start + min(i + 2, last)], order[start + min(i + 3, last)]
        r4, r5 = order[start + min(i + 4, last)], order[start + min(i + 5, last)]
        r6, r7 = order[start + min(i + 6, last)], order[start + min(i + 7, last)]
        a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = 0.0
        for k in range(w.size):
            v = w[k]
            a0 += v * X[r0, k]
            a1 += v * X[r1, k]
            a2 += v * X[r2, k]
            a3 += v * X[r3, k]
            a4 += v * X[r4, k]
            a5 += v * X[r5, k]
            a6 += v * X[r6, k]
            a7 += v * X[r7, k]
        eta[i], eta[i + 1], eta[i + 2], eta[i + 3] = a0, a1, a2, a3
        eta[i + 4], eta[i + 5], eta[i + 6], eta[i + 7] = a4, a5, a6, a7


def gradient_by_rows(X, order, start, slot, first, size, c, g):
    """g += sum_i c[i] x_i over the rows of the visits first, ..., first + size - 1; c is 0 beyond its size."""
    last = size - 1
    for i in range(0, size, ROWS_AT_A_TIME):
        r0, r1 = order[start + slot[first + i]], order[start + slot[first + min(i + 1, last)]]
        r2, r3 = order[start + slot[first + min(i + 2, last)]], order[start + slot[first + min(i + 3, last)]]
        r4, r5 = order[start + slot[first + min(i + 4, last)]], order[start + slot[first + min(i + 5, last)]]
        r6, r7 = order[start + slot[first + min(i + 6, last)]], order[start + slot[first + min(i + 7, last)]]
        c0, c1, c2, c3 = c[i], c[i + 1], c[i + 2], c[i + 3]
        c4, c5, c6, c7 = c[i + 4], c[i + 5], c[i + 6], c[i + 7]
        for k in range(g.size):
            g[k] += (
                c0 * X[r0, k]
                + c1 * X[r1, k]
                + c2 * X[r2, k]
                + c3 * X[r3, k]
                + c4 * X[r4, k]
                + c5 * X[r5, k]
                + c6 * X[r6, k]
                + c7 * X[r7, k]
            )


def margins_by_columns(X, order, start, size, w, eta):
    """The same for rows that are stored in the order of the read plan: ``order`` is not read."""
    end = start + size
    d = w.size
    for i in range(size):
        eta[i] = 0.0
    for k in range(0, d - 3, 4):
        # Slices, because Numba tests every index start + i for a negative value, which prevents vectorization.
        x0, x1, x2, x3 = X[start:end, k], X[start:end, k + 1], X[start:end, k + 2], X[start:end, k + 3]
        w0, w1, w2, w3 = w[k], w[k + 1], w[k + 2], w[k + 3]
        for i in range(size):
            eta[i] += (w0 * x0[i] + w1 * x1[i]) + (w2 * x2[i] + w3 * x3[i])
    for k in range(d - d % 4, d):
        x0, w0 = X[start:end, k], w[k]
        for i in range(size):
            eta[i] += w0 * x0[i]


def gradient_by_columns(X, order, start, slot, first, size, c, g):
    """The same for a run of consecutive rows."""
    begin = start + slot[first]
    for k in range(g.size):
        x = X[begin : begin + size, k]
        total = 0.0
        for i in range(size):
            total += c[i] * x[i]
        g[k] += total
