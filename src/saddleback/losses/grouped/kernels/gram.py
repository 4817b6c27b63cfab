"""X' diag(h) X of consecutive rows of a matrix in Fortran order."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from .compiling import REORDERED, kernel

ROWS_IN_CACHE = 256
"""Rows of a block of scaled columns, which stays in the first-level cache for a tile of columns."""


@kernel(REORDERED)
def add_gram(X, begin, h, H):
    """H += sum_i h[i] z_i z_i' over the rows begin, begin + 1, ... of X, in the lower triangle of H.

    z_i is x_i, followed by a 1 where H is one larger than x_i. Some entries above the diagonal change, too. Tiles of
    4 x 3 columns: their twelve sums and four factors fill the sixteen vector registers that every x86-64 CPU has. With
    and without AVX-512 this took 1/3 (d = 8) to 5/6 (d = 128) of the time of BLAS on the same rows.
    """
    d = X.shape[1]
    whole = d - d % 4
    scaled = np.empty((d, ROWS_IN_CACHE)).T
    for start in range(0, h.size, ROWS_IN_CACHE):
        size = min(ROWS_IN_CACHE, h.size - start)
        first = begin + start
        last = first + size
        weight = h[start : start + size]
        for k in range(d):
            x, s = X[first:last, k], scaled[:size, k]
            for i in range(size):
                s[i] = weight[i] * x[i]
        for k in range(0, whole, 4):
            s0, s1, s2, s3 = scaled[:size, k], scaled[:size, k + 1], scaled[:size, k + 2], scaled[:size, k + 3]
            for m in range(0, k + 4, 3):
                # Beyond the last column it is read again, and its sums are not used.
                m1, m2 = min(m + 1, d - 1), min(m + 2, d - 1)
                x0, x1, x2 = X[first:last, m], X[first:last, m1], X[first:last, m2]
                a0 = a1 = a2 = b0 = b1 = b2 = c0 = c1 = c2 = e0 = e1 = e2 = 0.0
                for i in range(size):
                    u, v, w = x0[i], x1[i], x2[i]
                    a0 += s0[i] * u
                    a1 += s0[i] * v
                    a2 += s0[i] * w
                    b0 += s1[i] * u
                    b1 += s1[i] * v
                    b2 += s1[i] * w
                    c0 += s2[i] * u
                    c1 += s2[i] * v
                    c2 += s2[i] * w
                    e0 += s3[i] * u
                    e1 += s3[i] * v
                    e2 += s3[i] * w
                H[k, m] += a0
                H[k + 1, m] += b0
                H[k + 2, m] += c0
                H[k + 3, m] += e0
                if m + 1 < d:
                    H[k, m + 1] += a1
                    H[k + 1, m + 1] += b1
                    H[k + 2, m + 1] += c1
                    H[k + 3, m + 1] += e1
                if m + 2 < d:
                    H[k, m + 2] += a2
                    H[k + 1, m + 2] += b2
                    H[k + 2, m + 2] += c2
                    H[k + 3, m + 2] += e2
        for k in range(whole, d):
            s0 = scaled[:size, k]
            for m in range(k + 1):
                x0, total = X[first:last, m], 0.0
                for i in range(size):
                    total += s0[i] * x0[i]
                H[k, m] += total
        if len(H) > d:
            for k in range(d):
                s0, total = scaled[:size, k], 0.0
                for i in range(size):
                    total += s0[i]
                H[d, k] += total
            total = 0.0
            for i in range(size):
                total += weight[i]
            H[d, d] += total
