"""Margins and gradients of a block of rows that is stored by columns, in pieces of four, three, two and one entries.

Within a block rows have numbers of 16 bits and stay in the first-level cache: the entries of a column are added in
registers, and no loop has a length that the processor must guess.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from .compiling import FUSED, kernel

# Unsigned offsets, because Numba tests every other index for a negative value.
ZERO, ONE, TWO, THREE, FOUR = (np.uint64(k) for k in range(5))


def margins_by_pieces(X, order, start, size, w, eta):
    """eta[i] = x_i'w for the rows at positions start, ..., start + size - 1, which are one block."""
    values, columns, rows, sections, block_at = X
    block = block_at[start]
    e, p = sections[block, 0], sections[block, 1]
    n4, n3, n2, n1 = sections[block, 2], sections[block, 3], sections[block, 4], sections[block, 5]
    total = eta[:size]
    for i in range(size):
        total[i] = 0.0
    k, x, r = columns[p : p + n4], values[e : e + 4 * n4], rows[e : e + 4 * n4]
    p, e, f = p + n4, e + 4 * n4, ZERO
    for i in range(n4):
        v = w[k[i]]
        total[r[f]] += v * x[f]
        total[r[f + ONE]] += v * x[f + ONE]
        total[r[f + TWO]] += v * x[f + TWO]
        total[r[f + THREE]] += v * x[f + THREE]
        f += FOUR
    k, x, r = columns[p : p + n3], values[e : e + 3 * n3], rows[e : e + 3 * n3]
    p, e, f = p + n3, e + 3 * n3, ZERO
    for i in range(n3):
        v = w[k[i]]
        total[r[f]] += v * x[f]
        total[r[f + ONE]] += v * x[f + ONE]
        total[r[f + TWO]] += v * x[f + TWO]
        f += THREE
    k, x, r = columns[p : p + n2], values[e : e + 2 * n2], rows[e : e + 2 * n2]
    p, e, f = p + n2, e + 2 * n2, ZERO
    for i in range(n2):
        v = w[k[i]]
        total[r[f]] += v * x[f]
        total[r[f + ONE]] += v * x[f + ONE]
        f += TWO
    k, x, r = columns[p : p + n1], values[e : e + n1], rows[e : e + n1]
    for i in range(n1):
        total[r[i]] += w[k[i]] * x[i]


def gradient_by_pieces(X, order, start, slot, first, size, c, g):
    """g += sum_i c[i] x_i over the rows of the block, all of which the run visits in their order."""
    values, columns, rows, sections, block_at = X
    block = block_at[start]
    e, p = sections[block, 0], sections[block, 1]
    n4, n3, n2, n1 = sections[block, 2], sections[block, 3], sections[block, 4], sections[block, 5]
    k, x, r = columns[p : p + n4], values[e : e + 4 * n4], rows[e : e + 4 * n4]
    p, e, f = p + n4, e + 4 * n4, ZERO
    for i in range(n4):
        left = c[r[f]] * x[f] + c[r[f + ONE]] * x[f + ONE]
        g[k[i]] += left + (c[r[f + TWO]] * x[f + TWO] + c[r[f + THREE]] * x[f + THREE])
        f += FOUR
    k, x, r = columns[p : p + n3], values[e : e + 3 * n3], rows[e : e + 3 * n3]
    p, e, f = p + n3, e + 3 * n3, ZERO
    for i in range(n3):
        g[k[i]] += c[r[f]] * x[f] + c[r[f + ONE]] * x[f + ONE] + c[r[f + TWO]] * x[f + TWO]
        f += THREE
    k, x, r = columns[p : p + n2], values[e : e + 2 * n2], rows[e : e + 2 * n2]
    p, e, f = p + n2, e + 2 * n2, ZERO
    for i in range(n2):
        g[k[i]] += c[r[f]] * x[f] + c[r[f + ONE]] * x[f + ONE]
        f += TWO
    k, x, r = columns[p : p + n1], values[e : e + n1], rows[e : e + n1]
    for i in range(n1):
        g[k[i]] += c[r[i]] * x[i]


@kernel(FUSED)
def arrange_blocks(data, indices, pointers, order, block_starts, first_block, last_block, d, out):
    """Write some blocks of compressed rows in pieces: ``out`` is values, columns, rows and sections.

    ``sections[b]`` has the first entry and the first piece, and gets the numbers of pieces.
    """
    values, columns, rows, sections = out
    left, next_quad, next_rest = np.zeros(d, np.uint32), np.empty(d, np.int64), np.empty(d, np.int64)
    entry, piece = np.empty(4, np.int64), np.empty(4, np.int64)
    for block in range(first_block, last_block):
        begin, end = block_starts[block], block_starts[block + 1]
        for i in range(begin, end):
            k = indices[pointers[order[i]] : pointers[order[i] + 1]]
            for e in range(k.size):
                left[k[e]] += 1
        n_pieces = np.zeros(4, np.int64)
        n_quads = 0
        for k in range(d):
            n_quads += left[k] >> 2
            n_pieces[left[k] & 3] += 1
        start = sections[block, 0]
        sections[block, 2:] = n_quads, n_pieces[3], n_pieces[2], n_pieces[1]
        quad_entry, quad = start, sections[block, 1]
        entry[3], piece[3] = start + 4 * n_quads, quad + n_quads
        entry[2], piece[2] = entry[3] + 3 * n_pieces[3], piece[3] + n_pieces[3]
        entry[1], piece[1] = entry[2] + 2 * n_pieces[2], piece[2] + n_pieces[2]
        # Columns without a rest write to a place that is not read.
        entry[0], piece[0] = 0, columns.size - 1
        for k in range(d):
            quads, rest = left[k] >> 2, left[k] & 3
            next_quad[k], next_rest[k] = quad_entry, entry[rest]
            for _ in range(quads):
                columns[quad] = k
                quad += 1
            quad_entry += 4 * quads
            columns[piece[rest]] = k
            entry[rest] += rest
            piece[rest] += min(rest, 1)
            left[k] = 4 * quads
        for i in range(begin, end):
            row = order[i]
            k, x = indices[pointers[row] : pointers[row + 1]], data[pointers[row] : pointers[row + 1]]
            for e in range(k.size):
                column = k[e]
                if left[column] > 0:
                    left[column] -= 1
                    place = next_quad[column]
                    next_quad[column] = place + 1
                else:
                    place = next_rest[column]
                    next_rest[column] = place + 1
                values[place] = x[e]
                rows[place] = i - begin
