"""Rows that count a whole number of times, another one in each lane: resamples of the rows."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg"

from __future__ import annotations

import numpy as np

from .compiling import FUSED, inlined, pasted

ZERO = np.uintp(0)


@pasted(FUSED)
def count_rows(resamples, first, n_lanes, place, n_outputs, distance, counts, value, slope):
    """Multiply the values and slopes of a panel in lane q by the times of resample which[first + q].

    ``resamples`` are the times of all resamples for one row after the other, their number, and ``which``; ``counts`` is
    room for all lanes. A row that does not count has no value, also where it is not finite.
    """
    times, n_resamples, which = resamples
    start, size, lanes = place[0], place[1], place[5]
    for i in range(size):
        begin, row = i * lanes, (start + i) * n_resamples
        for q in range(n_lanes):
            counts[begin + q] = np.float64(times[row + which[first + q]])
    numbers = size * lanes
    _multiply(counts, value, ZERO, numbers)
    for o in range(n_outputs):
        _multiply(counts, slope, o * distance * lanes, numbers)


@pasted(FUSED)
def count_nothing(resamples, first, n_lanes, place, n_outputs, distance, counts, value, slope):
    """In the place of it where every row counts once."""


@inlined(FUSED)
def _multiply(counts, x, begin, numbers):
    for i in range(numbers):
        product = counts[i] * x[begin + i]
        x[begin + i] = product if counts[i] > 0.0 else 0.0
