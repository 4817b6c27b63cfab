"""Losses, gradients and Hessians of a narrow table: columns of rows that are sorted by group, one margin per row.

There is one kernel per pointwise loss, so that only the one that is used is compiled. Arrays are flat and their indices
unsigned: Numba tests signed indices for negative values, which prevents vectorization.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg,var-annotated"

from __future__ import annotations

from functools import cache

import numpy as np

from .arguments import HESSIAN_ROWS
from .column_loops import add_gradient, add_symmetric, add_tiles, part, set_margins, weigh, weighted_sum
from .compiling import FUSED, kernel
from .pointwise import set_curvature, set_value_and_slope

ZERO, TWO, THREE, FOUR = np.uintp(0), np.uintp(2), np.uintp(3), np.uintp(4)

PIECE = np.uintp(HESSIAN_ROWS)


@cache
def evaluation(loss: int):
    """The kernel of values and gradients of one loss."""

    @kernel(FUSED)
    def evaluate(X, n, d, y, coefficient, offset, blocks, first, last, w, l2, options, address, room, f, G):
        """Set the targets of some blocks in f, without the penalty, and where G has columns in G, with it.

        A block is a row (start, target, kind): kind 1 begins a target of a loss, 2 an extra target, 0 continues.
        """
        longest = np.uintp(room.size) // THREE
        eta, value, slope = part(room, ZERO, longest), part(room, longest, longest), part(room, TWO * longest, longest)
        with_gradient = G.size > 0
        for block in range(first, last):
            start, target, begins = np.uintp(blocks[block, 0]), blocks[block, 1], blocks[block, 2]
            size = np.uintp(blocks[block + 1, 0]) - start
            set_margins(X, n, d, offset, w, start, size, eta)
            set_value_and_slope(loss, options, address, eta, part(y, start, size), size, value, slope)
            if begins > 0:
                f[target] = 0.0
            f[target] += weighted_sum(coefficient, start, size, value)
            if with_gradient:
                g = G[target]
                if begins > 0:
                    for k in range(g.size):
                        g[k] = l2 * w[k] if begins == 1 and k < d else 0.0
                weigh(slope, 1.0, coefficient, start, size)
                add_gradient(X, n, d, start, size, slope, g)

    return evaluate


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
        A, b = part(room, ZERO, tiles), part(room, tiles, stride)
        rest = tiles + stride
        eta, h, scaled = (
            part(room, rest, PIECE),
            part(room, rest + PIECE, PIECE),
            part(room, rest + TWO * PIECE, FOUR * PIECE),
        )
        p = np.uintp(w.size)
        for segment in range(len(segments)):
            number = segments[segment, 0]
            if segment == 0 or segments[segment - 1, 0] != number:
                for k in range(rest):
                    room[k] = 0.0
            scale, end = scales[segment], np.uintp(segments[segment, 2])
            for start in range(np.uintp(segments[segment, 1]), end, PIECE):
                size = PIECE if end - start > PIECE else end - start
                set_margins(X, n, d, offset, w, start, size, eta)
                set_curvature(loss, options, eta, part(y, start, size), size, h)
                weigh(h, scale, coefficient, start, size)
                add_tiles(X, n, d, start, size, h, scaled, PIECE, A)
                if p > d:
                    add_gradient(X, n, d, start, size, h, b)
            if segment + 1 == len(segments) or segments[segment + 1, 0] != number:
                add_symmetric(room, d, H, np.uintp(number), p)

    return add_hessians
