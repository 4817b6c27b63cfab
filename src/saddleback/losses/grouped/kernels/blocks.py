"""Losses and gradients of all groups in one pass over X, block by block; and the same pass in two halves."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg"

from __future__ import annotations

from functools import cache

import numpy as np
from numba import types
from numba.extending import overload

from .arguments import ROWS_AT_A_TIME, SOFTMAX
from .compiling import FUSED, REORDERED, inlined, kernel, options, pasted
from .dense_rows import gradient_by_columns, gradient_by_rows, margins_by_columns, margins_by_rows
from .pointwise import set_value_and_slope, softmax
from .sparse_blocks import gradient_by_pieces, margins_by_pieces
from .sparse_rows import gradient_by_entries, margins_by_entries
from .uncounted import uncounted


def _margins(X, order, start, size, w, eta):
    """eta[i] = x_i'w; the version for the layout of X is chosen at compile time."""
    raise NotImplementedError


def _gradient(X, order, start, slot, first, size, c, g):
    """g += sum_i c[i] x_i; the version for the layout of X is chosen at compile time."""
    raise NotImplementedError


@overload(_margins, jit_options=options(REORDERED))
def _choose_margins(X, order, start, size, w, eta):
    if isinstance(X, types.BaseTuple):
        return margins_by_entries if len(X) == 3 else margins_by_pieces
    return margins_by_columns if X.layout == "F" else margins_by_rows


@overload(_gradient, jit_options=options(REORDERED))
def _choose_gradient(X, order, start, slot, first, size, c, g):
    if isinstance(X, types.BaseTuple):
        return gradient_by_entries if len(X) == 3 else gradient_by_pieces
    return gradient_by_columns if X.layout == "F" else gradient_by_rows


@inlined(REORDERED)
def _weigh(coefficient, slot, first, visits, x, c):
    """c[v] = coefficient x of visit v, followed by zeros, and their sum."""
    total = 0.0
    lowest = slot[first]
    of_visit = coefficient[first : first + visits]
    if slot[first + visits - 1] - lowest == visits - 1:
        # Consecutive rows, as in groups without overlap: without a lookup the loop vectorizes.
        neighbors = x[lowest : lowest + visits]
        for v in range(visits):
            c[v] = of_visit[v] * neighbors[v]
    else:
        for v in range(visits):
            c[v] = of_visit[v] * x[slot[first + v]]
    # In a loop of its own: in the loop that writes c, whether the sum is vectorized would depend on the address of c,
    # and the losses at one point would differ in their last bits.
    for v in range(visits):
        total += c[v]
    for v in range(visits, visits + ROWS_AT_A_TIME):
        c[v] = 0.0
    return total


@inlined(FUSED)
def _begin(g, W, l2):
    """Set g to the gradient of the penalty, to which the rows are added."""
    n_outputs, d = W.shape
    for o in range(n_outputs):
        for k in range(d):
            g[o * d + k] = l2 * W[o, k]
    for k in range(n_outputs * d, g.size):
        g[k] = 0.0


@pasted(FUSED)
def _set_margins(X, W, intercepts, offset, order, start, size, eta):
    """eta[o, i] of the rows at positions start, ..., start + size - 1; ``offset`` is empty where there is none."""
    for o in range(W.shape[0]):
        _margins(X, order, start, size, W[o], eta[o])
        if intercepts.size > 0:
            for i in range(size):
                eta[o, i] += intercepts[o]
        if offset.size > 0:
            of_block = offset[o, start : start + size]
            for i in range(size):
                eta[o, i] += of_block[i]


@pasted(FUSED)
def _add_run(X, W, intercepts, l2, plan, run, start, value, slope, c, with_gradient, f, G):
    """Add the values of one run to f, and its slopes to the gradient of its target."""
    order, _, _, visit_starts, run_target, run_is_first, slot, coefficient, _ = plan
    n_outputs, d = W.shape
    first, target = visit_starts[run], run_target[run]
    visits = visit_starts[run + 1] - first
    f[target] += _weigh(coefficient, slot, first, visits, value, c)
    if with_gradient:
        g = G[target]
        if run_is_first[run]:
            _begin(g, W, l2 if run_is_first[run] == 1 else 0.0)
        for o in range(n_outputs):
            total = _weigh(coefficient, slot, first, visits, slope[o], c)
            _gradient(X, order, start, slot, first, visits, c, g[o * d : (o + 1) * d])
            if intercepts.size > 0:
                g[n_outputs * d + o] += total


@cache
def evaluation(loss: int):
    """The kernel of one pointwise loss: only the one that is used is compiled."""

    @kernel(FUSED)
    def evaluate_blocks(X, W, intercepts, l2, options, address, plan, y, offset, first, last, with_gradient, f, G):
        """Add the rows of the blocks first, ..., last - 1 to f and G, whose rows are the plan's targets.

        ``address`` is that of a user's compiled loss. A block is a range of positions. It stays in cache for its
        margins, its pointwise losses, and then for each run (the visits of one group to rows of the block) the values
        and the gradient.
        """
        X, W, intercepts, plan = uncounted(X), uncounted(W), uncounted(intercepts), uncounted(plan)
        y, offset, f, G = uncounted(y), uncounted(offset), uncounted(f), uncounted(G)
        order, block_starts, run_starts, largest = plan[0], plan[1], plan[2], plan[8]
        n_outputs = W.shape[0]
        room = largest + ROWS_AT_A_TIME
        eta = np.empty((n_outputs, room))
        slope = np.empty((n_outputs, room))
        value = np.empty(room)
        c = np.empty(room)
        for block in range(first, last):
            start = block_starts[block]
            size = block_starts[block + 1] - start
            _set_margins(X, W, intercepts, offset, order, start, size, eta)
            responses = y[start : start + size]
            if loss == SOFTMAX:
                softmax(eta, responses, size, value, slope)
            else:
                set_value_and_slope(loss, options, address, eta[0], responses, size, value, slope[0])
            for run in range(run_starts[block], run_starts[block + 1]):
                _add_run(X, W, intercepts, l2, plan, run, start, value, slope, c, with_gradient, f, G)

    return evaluate_blocks


@kernel(FUSED)
def margins_of_blocks(X, W, intercepts, plan, offset, first_block, last_block, eta):
    """The first half of an evaluation, for a loss that is not compiled: the margin at each position."""
    order, block_starts, largest = plan[0], plan[1], plan[8]
    # Rows are read several at a time, beyond the end of a block: into this array, not into rows of another thread.
    margins = np.empty((1, largest + ROWS_AT_A_TIME))
    for block in range(first_block, last_block):
        start = block_starts[block]
        size = block_starts[block + 1] - start
        _set_margins(X, W, intercepts, offset, order, start, size, margins)
        for i in range(size):
            eta[start + i] = margins[0, i]


@kernel(FUSED)
def add_blocks(X, W, intercepts, l2, plan, values, slopes, first_block, last_block, with_gradient, f, G):
    """The second half: add the values and slopes at each position to f and G."""
    block_starts, run_starts, largest = plan[1], plan[2], plan[8]
    c = np.empty(largest + ROWS_AT_A_TIME)
    for block in range(first_block, last_block):
        start, end = block_starts[block], block_starts[block + 1]
        value, slope = values[start:end], slopes[start:end].reshape(1, end - start)
        for run in range(run_starts[block], run_starts[block + 1]):
            _add_run(X, W, intercepts, l2, plan, run, start, value, slope, c, with_gradient, f, G)
