"""Losses, gradients and Hessians of a narrow table: columns of rows that are sorted by group, one margin per row.

There is one kernel per pointwise loss, so that only the one that is used is compiled. Arrays are flat and their indices
unsigned: this compiles in half the time of slices, and Numba tests signed indices for negative values, which prevents
vectorization. Sums are in loops that write nothing: in a loop that writes, whether a sum is vectorized depends on the
addresses of the arrays, and so would its last bits.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from functools import cache

import numpy as np

from .arguments import HESSIAN_ROWS
from .compiling import FUSED, REORDERED, inlined, kernel
from .pointwise import set_curvature, set_value_and_slope

ZERO, ONE, TWO, THREE, FOUR = np.uintp(0), np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)

PIECE = np.uintp(HESSIAN_ROWS)


@inlined(FUSED)
def _set_margins(X, n, d, offset, w, start, size, eta):
    """eta[i] = x_i'w + offset_i of the rows start, start + 1, ...; w ends with the intercept where it is longer than d.

    Beyond the last column it is read again, with weight 0.
    """
    last = d - ONE
    constant = w[d] if w.size > d else 0.0
    for i in range(size):
        eta[i] = constant
    for k in range(ZERO, d, FOUR):
        k1 = k + ONE if k + ONE < d else last
        k2 = k + TWO if k + TWO < d else last
        k3 = k + THREE if k + THREE < d else last
        w0 = w[k]
        w1 = w[k1] if k1 > k else 0.0
        w2 = w[k2] if k2 > k1 else 0.0
        w3 = w[k3] if k3 > k2 else 0.0
        x0, x1, x2, x3 = k * n + start, k1 * n + start, k2 * n + start, k3 * n + start
        for i in range(size):
            eta[i] += (w0 * X[x0 + i] + w1 * X[x1 + i]) + (w2 * X[x2 + i] + w3 * X[x3 + i])
    if offset.size > 0:
        for i in range(size):
            eta[i] += offset[start + i]


@inlined(REORDERED)
def _weighted_sum(coefficient, start, size, value):
    """sum_i coefficient_i value_i."""
    total = 0.0
    for i in range(size):
        total += coefficient[start + i] * value[i]
    return total


@inlined(REORDERED)
def _add_gradient(X, n, d, start, size, c, g):
    """g += sum_i c_i z_i over the rows start, start + 1, ...; z_i is x_i, followed by a 1 where g is longer than d."""
    last = d - ONE
    for k in range(ZERO, d, FOUR):
        k1 = k + ONE if k + ONE < d else last
        k2 = k + TWO if k + TWO < d else last
        k3 = k + THREE if k + THREE < d else last
        x0, x1, x2, x3 = k * n + start, k1 * n + start, k2 * n + start, k3 * n + start
        g0 = g1 = g2 = g3 = 0.0
        for i in range(size):
            v = c[i]
            g0 += v * X[x0 + i]
            g1 += v * X[x1 + i]
            g2 += v * X[x2 + i]
            g3 += v * X[x3 + i]
        g[k] += g0
        if k1 > k:
            g[k1] += g1
        if k2 > k1:
            g[k2] += g2
        if k3 > k2:
            g[k3] += g3
    if g.size > d:
        total = 0.0
        for i in range(size):
            total += c[i]
        g[d] += total


@cache
def evaluation(loss: int):
    """The kernel of values and gradients of one loss."""

    @kernel(FUSED)
    def evaluate(X, n, d, y, coefficient, offset, blocks, first, last, w, l2, options, address, room, f, G):
        """Set the targets of some blocks in f, without the penalty, and where G has columns in G, with it.

        A block is a row (start, target, kind): kind 1 begins a target of a loss, 2 an extra target, 0 continues.
        """
        longest = room.size // np.intp(3)
        eta, value, slope = room[:longest], room[longest : 2 * longest], room[2 * longest :]
        with_gradient = G.size > 0
        for block in range(first, last):
            start, target, begins = np.uintp(blocks[block, 0]), blocks[block, 1], blocks[block, 2]
            size = np.uintp(blocks[block + 1, 0]) - start
            _set_margins(X, n, d, offset, w, start, size, eta)
            set_value_and_slope(loss, options, address, eta, y[start : start + size], size, value, slope)
            if begins > 0:
                f[target] = 0.0
            f[target] += _weighted_sum(coefficient, start, size, value)
            if with_gradient:
                g = G[target]
                if begins > 0:
                    for k in range(g.size):
                        g[k] = l2 * w[k] if begins == 1 and k < d else 0.0
                for i in range(size):
                    slope[i] *= coefficient[start + i]
                _add_gradient(X, n, d, start, size, slope, g)

    return evaluate


@inlined(REORDERED)
def _add_tiles(X, n, d, start, size, h, scaled, A):
    """A += sum_i h_i z_i z_i' over the rows start, start + 1, ..., in the lower triangle, for z_i as in a gradient.

    A is flat with rows of d + 4 numbers or more. Some entries above the diagonal and beyond row d change, too. Tiles of
    4 x 4 columns: on adult (32,561 x 35) 1.25 ms with AVX-512, where twelve sums (4 x 3) took 1.3 and BLAS 2.0.
    """
    last, stride = d - ONE, d + FOUR
    s1, s2, s3 = PIECE, TWO * PIECE, THREE * PIECE
    for k in range(ZERO, d, FOUR):
        x0, x1 = k * n + start, min(k + ONE, last) * n + start
        x2, x3 = min(k + TWO, last) * n + start, min(k + THREE, last) * n + start
        for i in range(size):
            v = h[i]
            scaled[i] = v * X[x0 + i]
            scaled[s1 + i] = v * X[x1 + i]
            scaled[s2 + i] = v * X[x2 + i]
            scaled[s3 + i] = v * X[x3 + i]
        r0 = k * stride
        r1, r2, r3 = r0 + stride, r0 + TWO * stride, r0 + THREE * stride
        for m in range(ZERO, k + FOUR, FOUR):
            x0, x1 = m * n + start, min(m + ONE, last) * n + start
            x2, x3 = min(m + TWO, last) * n + start, min(m + THREE, last) * n + start
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = c0 = c1 = c2 = c3 = e0 = e1 = e2 = e3 = 0.0
            for i in range(size):
                u, v, p, q = X[x0 + i], X[x1 + i], X[x2 + i], X[x3 + i]
                s = scaled[i]
                a0 += s * u
                a1 += s * v
                a2 += s * p
                a3 += s * q
                s = scaled[s1 + i]
                b0 += s * u
                b1 += s * v
                b2 += s * p
                b3 += s * q
                s = scaled[s2 + i]
                c0 += s * u
                c1 += s * v
                c2 += s * p
                c3 += s * q
                s = scaled[s3 + i]
                e0 += s * u
                e1 += s * v
                e2 += s * p
                e3 += s * q
            m1, m2, m3 = m + ONE, m + TWO, m + THREE
            A[r0 + m] += a0
            A[r0 + m1] += a1
            A[r0 + m2] += a2
            A[r0 + m3] += a3
            A[r1 + m] += b0
            A[r1 + m1] += b1
            A[r1 + m2] += b2
            A[r1 + m3] += b3
            A[r2 + m] += c0
            A[r2 + m1] += c1
            A[r2 + m2] += c2
            A[r2 + m3] += c3
            A[r3 + m] += e0
            A[r3 + m1] += e1
            A[r3 + m2] += e2
            A[r3 + m3] += e3


@cache
def curvature(loss: int):
    """The kernel of Hessians of one loss."""

    @kernel(FUSED)
    def add_hessians(X, n, d, y, coefficient, offset, segments, scales, w, options, room, H):
        """Add scale sum_i coefficient_i ell''(eta_i) z_i z_i' over the rows of each segment to the Hessian of its sum.

        A segment is a row (sum, start, end); those of one sum follow each other. ``room`` has (d + 4)^2 numbers for the
        sums of tiles, a row of d + 4 for an intercept and six blocks.
        """
        stride = d + FOUR
        tiles = stride * stride
        A, b = room[:tiles], room[tiles : tiles + stride]
        eta = room[tiles + stride : tiles + stride + PIECE]
        h = room[tiles + stride + PIECE : tiles + stride + TWO * PIECE]
        scaled = room[tiles + stride + TWO * PIECE :]
        p = np.uintp(w.size)
        for segment in range(len(segments)):
            number = segments[segment, 0]
            if segment == 0 or segments[segment - 1, 0] != number:
                for k in range(tiles + stride):
                    room[k] = 0.0
            scale, end = scales[segment], np.uintp(segments[segment, 2])
            for start in range(np.uintp(segments[segment, 1]), end, PIECE):
                size = min(PIECE, end - start)
                _set_margins(X, n, d, offset, w, start, size, eta)
                set_curvature(loss, options, eta, y[start : start + size], size, h)
                for i in range(size):
                    h[i] *= scale * coefficient[start + i]
                _add_tiles(X, n, d, start, size, h, scaled, A)
                if p > d:
                    _add_gradient(X, n, d, start, size, h, b[:p])
            if segment + 1 == len(segments) or segments[segment + 1, 0] != number:
                for k in range(p):
                    for m in range(k + ONE):
                        v = A[k * stride + m] if k < d else b[m]
                        H[number, k, m] += v
                        if m < k:
                            H[number, m, k] += v

    return add_hessians
