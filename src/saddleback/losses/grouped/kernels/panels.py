"""Margins and gradients of a panel, some rows in cache, for several parameter vectors; see `lanes`.

``place`` says where the panel is: its first position, its rows, the columns of X and the lanes. A dense panel is
copied into ``room``, in float64 and in the order of its layout, so that it is read from memory in long stretches and
only once: rows of ``across`` numbers in C order, columns of ``down`` numbers in Fortran order, both multiples of eight.
What fills them up is read, and its sums are not used.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg"

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from .compiling import FUSED, options
from .lanes import add_across, add_along, add_multiple, ask_for, copy_stretch, fill, set_across, set_along

ZERO, EIGHT = np.uintp(0), np.uintp(8)

LINE = np.uintp(64)
"""Bytes of a line of the cache."""


def load_panel(X, order, place, room):
    """Copy the panel's rows into ``room``; the version for the layout of X is chosen at compile time."""
    raise NotImplementedError


def ask_for_rows(X, order, place, first, count):
    """Ask for some of the panel's rows, which are loaded later: from ``first`` on, as many as there are."""
    raise NotImplementedError


def rows_at_a_time(X, size, several):
    """The rows of a panel of ``size`` whose margins are set at a time: all of a sparse one."""
    raise NotImplementedError


def set_margins(X, room, order, identity, place, W, first, base, start, count, eta, begin):
    """eta[begin + i] = W[base] + x_(start + i)'W for i < count, and W from its entry ``first``.

    Beyond the last row of a dense panel, eta is filled up to a multiple of eight rows.
    """
    raise NotImplementedError


def add_gradients(X, room, order, place, rows, start, count, s, begin, g, target):
    """g[target + k] += sum_(v < count) x_ik s[begin + v] over the panel's rows i = rows[start + v]."""
    raise NotImplementedError


@overload(load_panel, jit_options=options(FUSED))
def _choose_load(X, order, place, room):
    if isinstance(X, types.BaseTuple):
        return _load_nothing
    return _load_columns if X.layout == "F" else _load_rows


@overload(ask_for_rows, jit_options=options(FUSED))
def _choose_rows(X, order, place, first, count):
    if isinstance(X, types.BaseTuple):
        return _ask_for_nothing
    return _ask_for_columns if X.layout == "F" else _ask_for_rows


@overload(rows_at_a_time, jit_options=options(FUSED))
def _choose_rows_at_a_time(X, size, several):
    return _all_rows if isinstance(X, types.BaseTuple) else _several_rows


@overload(set_margins, jit_options=options(FUSED))
def _choose_margins(X, room, order, identity, place, W, first, base, start, count, eta, begin):
    if isinstance(X, types.BaseTuple):
        return _margins_by_entries if len(X) == 3 else _margins_by_pieces
    return _margins_by_columns if X.layout == "F" else _margins_by_rows


@overload(add_gradients, jit_options=options(FUSED))
def _choose_gradients(X, room, order, place, rows, start, count, s, begin, g, target):
    if isinstance(X, types.BaseTuple):
        return _gradients_by_entries if len(X) == 3 else _gradients_by_pieces
    return _gradients_by_columns if X.layout == "F" else _gradients_by_rows


def _load_nothing(X, order, place, room):
    pass


def _load_rows(X, order, place, room):
    start, size, d, across, _down, _lanes = place
    for i in range(size):
        copy_stretch(X, np.uintp(order[start + i]), ZERO, d, room, i * across)


def _load_columns(X, order, place, room):
    start, size, d, _across, down, _lanes = place
    for k in range(d):
        copy_stretch(X, start, k, size, room, k * down)


def _ask_for_nothing(X, order, place, first, count):
    pass


def _ask_for_rows(X, order, place, first, count):
    start, size, d, _across, _down, _lanes = place
    for i in range(first, min(first + count, size)):
        row = np.uintp(order[start + i])
        for k in range(ZERO, d, LINE // np.uintp(X.itemsize)):
            ask_for(X, row, k)


def _ask_for_columns(X, order, place, first, count):
    start, size, d, _across, _down, _lanes = place
    for i in range(first, min(first + count, size), LINE // np.uintp(X.itemsize)):
        for k in range(d):
            ask_for(X, start + i, k)


def _all_rows(X, size, several):
    return size


def _several_rows(X, size, several):
    return several


def _margins_by_rows(X, room, order, identity, place, W, first, base, start, count, eta, begin):
    _start, _size, d, across, _down, lanes = place
    for i in range(ZERO, count, EIGHT):
        set_along(room, (start + i) * across, across, d, W, first, eta, begin + i, base, lanes)


def _margins_by_columns(X, room, order, identity, place, W, first, base, start, count, eta, begin):
    _start, _size, d, _across, down, lanes = place
    for i in range(ZERO, count, EIGHT):
        set_across(room, start + i, down, identity, ZERO, d, W, first, eta, begin + i, base, lanes)


def _gradients_by_rows(X, room, order, place, rows, start, count, s, begin, g, target):
    _, _size, d, across, _down, lanes = place
    for k in range(ZERO, d, EIGHT):
        wanted = min(d - k, EIGHT)
        add_across(room, k, across, rows, start, count, s, begin, g, target + k, wanted, lanes)


def _gradients_by_columns(X, room, order, place, rows, start, count, s, begin, g, target):
    # A table in columns has rows of one group each: the panel's rows are visited in their order.
    _, _size, d, _across, down, lanes = place
    for k in range(ZERO, d, EIGHT):
        wanted = min(d - k, EIGHT)
        add_along(room, k * down, down, count, s, begin, g, target + k, wanted, lanes)


def _margins_by_entries(X, room, order, identity, place, W, first, base, start, count, eta, begin):
    values, columns, starts = X
    at, size, _d, _across, _down, lanes = place
    for i in range(count):
        fill(eta, begin + i, 0.0, lanes)
        add_multiple(eta, begin + i, 1.0, W, base, lanes)
    for i in range(min(count, size - start)):
        row = order[at + start + i]
        v, k = values[starts[row] : starts[row + 1]], columns[starts[row] : starts[row + 1]]
        for e in range(v.size):
            add_multiple(eta, begin + i, np.float64(v[e]), W, first + k[e], lanes)


def _gradients_by_entries(X, room, order, place, rows, start, count, s, begin, g, target):
    values, columns, starts = X
    first, _size, _d, _across, _down, lanes = place
    for visit in range(count):
        row = order[first + rows[start + visit]]
        v, k = values[starts[row] : starts[row + 1]], columns[starts[row] : starts[row + 1]]
        for e in range(v.size):
            add_multiple(g, target + k[e], np.float64(v[e]), s, begin + visit, lanes)


def _margins_by_pieces(X, room, order, identity, place, W, first, base, start, count, eta, begin):
    # A panel is a block, whose margins are set all at once: ``start`` is 0.
    values, columns, rows, sections, block_at = X
    at, _size, _d, _across, _down, lanes = place
    for i in range(count):
        fill(eta, begin + i, 0.0, lanes)
        add_multiple(eta, begin + i, 1.0, W, base, lanes)
    block = block_at[at]
    e, p = np.uintp(sections[block, 0]), np.uintp(sections[block, 1])
    for section in range(4):
        for _ in range(sections[block, 2 + section]):
            k = first + columns[p]
            for _ in range(4 - section):
                add_multiple(eta, begin + rows[e], np.float64(values[e]), W, k, lanes)
                e += np.uintp(1)
            p += np.uintp(1)


def _gradients_by_pieces(X, room, order, place, rows, start, count, s, begin, g, target):
    # ``rows`` and ``start``, those of the visits, are not used: Numba wants the names of all versions to be equal.
    values, columns, row_of, sections, block_at = X
    first, _size, _d, _across, _down, lanes = place
    block = block_at[first]
    e, p = np.uintp(sections[block, 0]), np.uintp(sections[block, 1])
    for section in range(4):
        for _ in range(sections[block, 2 + section]):
            k = target + columns[p]
            for _ in range(4 - section):
                add_multiple(g, k, np.float64(values[e]), s, begin + row_of[e], lanes)
                e += np.uintp(1)
            p += np.uintp(1)
