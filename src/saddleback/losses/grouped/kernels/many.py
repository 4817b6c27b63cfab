"""Losses and gradients at several parameter vectors in one pass over X, panel by panel; or in two halves.

A panel is read from memory once, and multiplied with all parameter vectors, eight or sixteen *lanes* at a time (see
`lanes`). Its margins and slopes have the lanes of one row side by side, so that the pointwise losses of all lanes are
loops over one long vector. Where the coefficients of a panel's rows are equal, as without weights, many rows share one
logarithm of the logistic loss (`logistic_lanes`). The rows of the next panel are asked for meanwhile.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg,var-annotated"

from __future__ import annotations

from functools import cache

import numpy as np

from .arguments import LOGISTIC, PANEL_SLICE, SOFTMAX, USER
from .column_loops import part
from .compiling import FUSED, kernel, pasted
from .counting import count_nothing, count_rows
from .lanes import add_multiple, fill, sum_lanes, weigh_lanes
from .logistic_lanes import add_logistic
from .panels import add_gradients, ask_for_rows, load_panel, rows_at_a_time, set_margins
from .pointwise import set_value_and_slope, softmax
from .uncounted import uncounted

ZERO, ONE, SEVEN, EIGHT = np.uintp(0), np.uintp(1), np.uintp(7), np.uintp(8)
SLICE = np.uintp(PANEL_SLICE)


@pasted(FUSED)
def _place(panels, panel, shape):
    """Where a panel is: its first position, its rows, and the table's columns, strides of a copy and lanes."""
    d, across, down, lanes, _, _ = shape
    start = np.uintp(panels[0][panel])
    return start, np.uintp(panels[0][panel + 1]) - start, d, across, down, lanes


@pasted(FUSED)
def _set_margins(X, room, panels, place, shape, W, offset, first, count, eta, distance):
    """Set the margins of ``count`` rows of the panel from ``first`` on, those of output o from eta[o distance] on.

    W ends with a zero and a one.
    """
    start, size, d, _, _, lanes = place
    n_outputs, intercept = shape[4], shape[5]
    zero = n_outputs * (d + intercept)
    for o in range(n_outputs):
        begin = o * distance
        base = n_outputs * d + o if intercept > 0 else zero
        set_margins(X, room, panels[4], panels[5], place, W, o * d, base, first, count, eta, begin)
        if offset.size > 0:
            for i in range(count):
                # What fills a panel up to a multiple of eight rows are copies of its last row.
                add_multiple(eta, begin + i, offset[o, start + min(first + i, size - ONE)], W, zero + ONE, lanes)


@pasted(FUSED)
def _add_runs(X, room, panels, panel, place, shape, value, slope, distance, scaled, f, G):
    """Add the panel's values to f, and its slopes to the gradients, both of the targets of its runs."""
    _, run_starts, visit_starts, run_target, order, identity, slot, coefficient = panels
    d, _, _, lanes, n_outputs, intercept = shape
    p = n_outputs * d + n_outputs * intercept
    alone = slot.size == 0
    nowhere = scaled.size // lanes - ONE
    for run in range(run_starts[panel], run_starts[panel + 1]):
        first, target = np.uintp(visit_starts[run]), np.uintp(run_target[run])
        count = np.uintp(visit_starts[run + 1]) - first
        rows = identity if alone else slot
        begin = ZERO if alone else first
        sum_lanes(value, rows, begin, coefficient, first, count, f, target, lanes)
        for o in range(n_outputs):
            slopes = part(slope, o * distance * lanes, distance * lanes)
            if intercept > 0:
                weigh_lanes(
                    slopes, rows, begin, coefficient, first, count, scaled, G, target * p + n_outputs * d + o, lanes
                )
            else:
                weigh_lanes(slopes, rows, begin, coefficient, first, count, scaled, scaled, nowhere, lanes)
            add_gradients(X, room, order, place, rows, begin, count, scaled, ZERO, G, target * p + o * d)


@pasted(FUSED)
def _are_equal(panels, panel):
    """Whether the rows of a panel are in one group each, and have one coefficient."""
    _, run_starts, visit_starts, _, _, _, slot, coefficient = panels
    run = run_starts[panel]
    first, last = np.uintp(visit_starts[run]), np.uintp(visit_starts[run + 1])
    equal = slot.size == 0
    for visit in range(first, last):
        equal &= coefficient[visit] == coefficient[first]
    return equal


@pasted(FUSED)
def _add_equal(X, room, panels, panel, place, following, shape, W, y, offset, eta, scaled, f, G):
    """Add the logistic losses and gradients of rows with one group and coefficient.

    Slice by slice, and the rows of the ``following`` panel are asked for meanwhile.
    """
    _, run_starts, visit_starts, run_target, order, identity, _, coefficient = panels
    start, size, d, _, _, lanes = place
    intercept, run = shape[5], run_starts[panel]
    target, c = np.uintp(run_target[run]), coefficient[visit_starts[run]]
    entry = target * (d + intercept)
    nowhere = np.uintp(scaled.size) // lanes - ONE
    slopes, of_intercept = (G, entry + d) if intercept > 0 else (scaled, nowhere)
    step = rows_at_a_time(X, size, SLICE)
    for first in range(ZERO, size, step):
        count = min(step, size - first)
        ask_for_rows(X, order, following, first, step)
        filled = (count + SEVEN) & ~SEVEN
        _set_margins(X, room, panels, place, shape, W, offset, first, filled, eta, ZERO)
        for i in range(ZERO, count, SLICE):
            few = min(SLICE, count - i)
            begin = first + i
            margins = part(eta, i * lanes, few * lanes)
            add_logistic(margins, y, start + begin, c, few, scaled, begin, f, target, slopes, of_intercept, lanes)
    add_gradients(X, room, order, place, identity, ZERO, size, scaled, ZERO, G, entry)


@cache
def evaluation(loss: int, resampled: bool = False):
    """The kernel of one pointwise loss, of all rows or of resamples: only the one that is used is compiled."""
    count = count_rows if resampled else count_nothing

    @pasted(FUSED)
    def set_pointwise(options, address, y, place, distance, n_lanes, eta, responses, lane, value, slope):
        """The values and slopes of a panel in all lanes; ``n_lanes`` of them belong to a parameter vector."""
        start, size, lanes = place[0], place[1], place[5]
        if loss == SOFTMAX:
            for i in range(distance):
                fill(responses, i, y[start + min(i, size - ONE)], lanes)
            numbers = distance * lanes
            n_outputs = eta.size // numbers
            shape = (np.intp(n_outputs), np.intp(numbers))
            softmax(eta.reshape(shape), responses, numbers, value, slope.reshape(shape))
        else:
            # Lane by lane: where the function raises an exception, other lanes are left alone.
            eta_of_lane, value_of_lane = part(lane, ZERO, distance), part(lane, distance, distance)
            slope_of_lane, y_of_panel = part(lane, distance + distance, distance), part(y, start, size)
            for q in range(n_lanes):
                for i in range(size):
                    eta_of_lane[i] = eta[i * lanes + q]
                set_value_and_slope(loss, options, address, eta_of_lane, y_of_panel, size, value_of_lane, slope_of_lane)
                for i in range(size):
                    value[i * lanes + q] = value_of_lane[i]
                    slope[i * lanes + q] = slope_of_lane[i]

    @pasted(FUSED)
    def set_rows(
        X, copy, panels, place, following, shape, W, options, address, y, offset, eta, responses, value, slope
    ):
        """The same slice by slice, from the margins on, and ask for the rows of the ``following`` panel meanwhile."""
        start, size, lanes = place[0], place[1], place[5]
        distance = (size + SEVEN) & ~SEVEN
        step = rows_at_a_time(X, distance, SLICE)
        for first in range(ZERO, distance, step):
            count = min(step, distance - first)
            begin, numbers = first * lanes, count * lanes
            ask_for_rows(X, panels[4], following, first, step)
            _set_margins(X, copy, panels, place, shape, W, offset, first, count, eta, ZERO)
            for i in range(count):
                fill(responses, i, y[start + min(first + i, size - ONE)], lanes)
            set_value_and_slope(
                loss,
                options,
                address,
                eta,
                responses,
                numbers,
                part(value, begin, numbers),
                part(slope, begin, numbers),
            )

    @kernel(FUSED)
    def evaluate_many(X, W, k, options, address, panels, shape, y, offset, resamples, first, last, copy, room, f, G):
        """Add the rows of the panels first, ..., last - 1 to f and G, which have one row for so many lanes.

        A row counts as often as ``resamples`` say, in the kernel of resamples. ``copy`` has room for a panel; ``room``
        for its margins, values, slopes and scaled slopes in all lanes.
        """
        X, W, panels, y, offset = uncounted(X), uncounted(W), uncounted(panels), uncounted(y), uncounted(offset)
        copy, room, f, G = uncounted(copy), uncounted(room), uncounted(f), uncounted(G)
        lanes, n_outputs = shape[3], shape[4]
        for panel in range(first, last):
            place = _place(panels, panel, shape)
            distance = (place[1] + SEVEN) & ~SEVEN
            numbers = distance * lanes
            # Beyond the scaled slopes are the lanes of a sum that is not used.
            eta, slope = part(room, ZERO, n_outputs * numbers), part(room, n_outputs * numbers, n_outputs * numbers)
            rest = (n_outputs + n_outputs) * numbers
            value, scaled = part(room, rest, numbers), part(room, rest + numbers, numbers + lanes)
            rest += numbers + numbers + lanes
            responses, lane = part(room, rest, numbers), part(room, rest, EIGHT * distance)
            load_panel(X, panels[4], place, copy)
            following = _place(panels, min(panel + 1, last - 1), shape)
            equal = not resampled and loss == LOGISTIC and _are_equal(panels, panel)
            for chunk in range(len(W)):
                if equal:
                    _add_equal(
                        X,
                        copy,
                        panels,
                        panel,
                        place,
                        following,
                        shape,
                        W[chunk],
                        y,
                        offset,
                        eta,
                        scaled,
                        f[chunk],
                        G[chunk],
                    )
                    continue
                begin = chunk * lanes
                n_lanes = min(lanes, k - begin)
                if loss in (SOFTMAX, USER):
                    _set_margins(X, copy, panels, place, shape, W[chunk], offset, ZERO, distance, eta, distance)
                    set_pointwise(options, address, y, place, distance, n_lanes, eta, responses, lane, value, slope)
                else:
                    set_rows(
                        X,
                        copy,
                        panels,
                        place,
                        following,
                        shape,
                        W[chunk],
                        options,
                        address,
                        y,
                        offset,
                        eta,
                        responses,
                        value,
                        slope,
                    )
                count(resamples, begin, n_lanes, place, n_outputs, distance, responses, value, slope)
                _add_runs(X, copy, panels, panel, place, shape, value, slope, distance, scaled, f[chunk], G[chunk])

    return evaluate_many


@kernel(FUSED)
def margins_of_panels(X, W, panels, shape, offset, first, last, copy, margins):
    """The first half, for a loss that is not compiled: margins[chunk], of all lanes, from the panel ``first`` on.

    Every panel is filled up to a multiple of eight rows.
    """
    lanes = shape[3]
    begin = ZERO
    for panel in range(first, last):
        place = _place(panels, panel, shape)
        distance = (place[1] + SEVEN) & ~SEVEN
        load_panel(X, panels[4], place, copy)
        for chunk in range(len(W)):
            eta = part(margins[chunk], begin, distance * lanes)
            _set_margins(X, copy, panels, place, shape, W[chunk], offset, ZERO, distance, eta, distance)
        begin += distance * lanes


@kernel(FUSED)
def add_panels(X, values, slopes, panels, shape, first, last, copy, room, f, G):
    """The second half: add the values and slopes of all lanes to f and G."""
    lanes = shape[3]
    begin = ZERO
    for panel in range(first, last):
        place = _place(panels, panel, shape)
        distance = (place[1] + SEVEN) & ~SEVEN
        numbers = distance * lanes
        load_panel(X, panels[4], place, copy)
        for chunk in range(len(values)):
            value, slope = part(values[chunk], begin, numbers), part(slopes[chunk], begin, numbers)
            _add_runs(X, copy, panels, panel, place, shape, value, slope, distance, room, f[chunk], G[chunk])
        begin += numbers
