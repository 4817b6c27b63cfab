"""The kernel: losses and gradients of all groups in one read of X, block of rows by block of rows; and its halves."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from .compiling import FUSED, REORDERED, inlined, kernel, options, pasted
from .dense_rows import TOGETHER, gradient_by_columns, gradient_by_rows, margins_by_columns, margins_by_rows
from .pointwise import pointwise
from .sparse_rows import gradient_by_entries, margins_by_entries


def _margins(X, order, start, size, w, eta):
    """eta[i] = x_i'w, in the way of the layout; the choice is made when the kernel is compiled."""
    raise NotImplementedError


def _gradient(X, order, start, slot, first, size, c, g):
    """g += sum_i c[i] x_i, likewise."""
    raise NotImplementedError


@overload(_margins, jit_options=options(REORDERED))
def _choose_margins(X, order, start, size, w, eta):
    if isinstance(X, types.BaseTuple):
        return margins_by_entries
    return margins_by_columns if X.layout == "F" else margins_by_rows


@overload(_gradient, jit_options=options(REORDERED))
def _choose_gradient(X, order, start, slot, first, size, c, g):
    if isinstance(X, types.BaseTuple):
        return gradient_by_entries
    return gradient_by_columns if X.layout == "F" else gradient_by_rows


@inlined(REORDERED)
def _weigh(coefficient, slot, first, visits, x, c):
    """c[v] = coefficient x of visit v, followed by zeros, and their sum."""
    total = 0.0
    lowest = slot[first]
    of_visit = coefficient[first : first + visits]
    if slot[first + visits - 1] - lowest == visits - 1:
        # Neighbouring rows, as in groups without overlap: no lookup, so that it vectorizes.
        neighbors = x[lowest : lowest + visits]
        for v in range(visits):
            c[v] = of_visit[v] * neighbors[v]
    else:
        for v in range(visits):
            c[v] = of_visit[v] * x[slot[first + v]]
    # A sum of its own: beside the writing of c it would be vectorized or not by where in memory c happens to lie, and
    # the same point would not always have the same losses.
    for v in range(visits):
        total += c[v]
    for v in range(visits, visits + TOGETHER):
        c[v] = 0.0
    return total


@inlined(FUSED)
def _begin(g, W, l2):
    """The gradient of the penalty, on which those of the rows are added."""
    n_outputs, d = W.shape
    for o in range(n_outputs):
        for k in range(d):
            g[o * d + k] = l2 * W[o, k]
    for k in range(n_outputs * d, g.size):
        g[k] = 0.0


@pasted(FUSED)
def _set_margins(X, W, intercepts, order, start, size, eta):
    """eta[o, i] of the rows at positions start, ..., start + size - 1."""
    for o in range(W.shape[0]):
        _margins(X, order, start, size, W[o], eta[o])
        if intercepts.size > 0:
            for i in range(size):
                eta[o, i] += intercepts[o]


@pasted(FUSED)
def _add_gradient(X, W, intercepts, l2, order, start, slot, coefficient, first, visits, fresh, slope, c, g):
    """Add the slopes of one run to the gradient g of its target; ``fresh`` is the plan's ``run_is_first``."""
    n_outputs, d = W.shape
    if fresh:
        _begin(g, W, l2 if fresh == 1 else 0.0)
    for o in range(n_outputs):
        total = _weigh(coefficient, slot, first, visits, slope[o], c)
        _gradient(X, order, start, slot, first, visits, c, g[o * d : (o + 1) * d])
        if intercepts.size > 0:
            g[n_outputs * d + o] += total


@kernel(FUSED)
def evaluate_blocks(X, W, intercepts, l2, loss, loss_options, plan, y, first_block, last_block, with_gradient, f, G):
    """Add the rows of some blocks to f and G, whose rows are the plan's targets.

    A block is a range of positions, in cache for all that is done with it: margins, pointwise losses, then for each
    run (the visits of one group to rows of the block) the values and the gradient.
    """
    order, block_starts, run_starts, visit_starts, run_target, run_is_first, slot, coefficient, largest = plan
    n_outputs = W.shape[0]
    room = largest + TOGETHER
    eta = np.empty((n_outputs, room))
    slope = np.empty((n_outputs, room))
    value = np.empty(room)
    c = np.empty(room)
    for block in range(first_block, last_block):
        start = block_starts[block]
        size = block_starts[block + 1] - start
        _set_margins(X, W, intercepts, order, start, size, eta)
        pointwise(loss, loss_options, eta, y[start : start + size], size, value, slope)
        for run in range(run_starts[block], run_starts[block + 1]):
            first, fresh = visit_starts[run], run_is_first[run]
            visits = visit_starts[run + 1] - first
            f[run_target[run]] += _weigh(coefficient, slot, first, visits, value, c)
            if with_gradient:
                g = G[run_target[run]]
                _add_gradient(X, W, intercepts, l2, order, start, slot, coefficient, first, visits, fresh, slope, c, g)


@kernel(FUSED)
def margins_of_blocks(X, W, intercepts, plan, first_block, last_block, eta):
    """The first half of ``evaluate_blocks``, for a loss that is not compiled: the margin at each position."""
    order, block_starts, _, _, _, _, _, _, largest = plan
    # Blocks are read a few rows at a time, which may reach beyond their end: never into the rows of another thread.
    margins = np.empty((1, largest + TOGETHER))
    for block in range(first_block, last_block):
        start = block_starts[block]
        size = block_starts[block + 1] - start
        _set_margins(X, W, intercepts, order, start, size, margins)
        for i in range(size):
            eta[start + i] = margins[0, i]


@kernel(FUSED)
def add_blocks(X, W, intercepts, l2, plan, values, slopes, first_block, last_block, with_gradient, f, G):
    """The second half: add what the loss made of the margins to f and G."""
    order, block_starts, run_starts, visit_starts, run_target, run_is_first, slot, coefficient, largest = plan
    c = np.empty(largest + TOGETHER)
    for block in range(first_block, last_block):
        start, end = block_starts[block], block_starts[block + 1]
        value, slope = values[start:end], slopes[start:end].reshape(1, end - start)
        for run in range(run_starts[block], run_starts[block + 1]):
            first, fresh = visit_starts[run], run_is_first[run]
            visits = visit_starts[run + 1] - first
            f[run_target[run]] += _weigh(coefficient, slot, first, visits, value, c)
            if with_gradient:
                g = G[run_target[run]]
                _add_gradient(X, W, intercepts, l2, order, start, slot, coefficient, first, visits, fresh, slope, c, g)
