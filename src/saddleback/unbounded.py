"""Telling a problem without a lower bound from one that is slow."""

from __future__ import annotations

import numpy as np

from ._types import Vector
from .oracle import Oracle
from .run import Record

# A value this many times below the scale of the start, on a ray that only falls, is taken for minus infinity.
FAR = 1e9


def falls_forever(oracle: Oracle, record: Record) -> bool:
    """Whether a point far along the way of the run shows an objective without a lower bound.

    Only asked where the second half of the run still fell noticeably, which a run that has reached its minimum does
    not, or where no step was found at all; for a convex g that keeps falling along a ray, the ray ends the question.
    Most problems cost a few evaluations here: the first far points are higher.
    """
    values = record.trace.value
    middle = len(values) // 2
    if len(values) > 1 and not values[middle] - values[-1] > 0.01 * (values[0] - values[middle]):
        return False
    # Down the averaged slope, in which what swings to and fro has canceled, or on along the way from w0.
    down = np.zeros(0) if record.bound is None else -record.bound.slope
    return any(_falls(oracle, record, way) for way in (down, record.best.w - oracle.w0) if way.any())


def _falls(oracle: Oracle, record: Record, way: Vector) -> bool:
    """Whether g keeps falling along a ray from the best point until it counts as minus infinity."""
    last = record.best.value
    with np.errstate(all="ignore"):
        for far in np.logspace(1, 40, 40):
            try:
                value = oracle.point(record.best.w + far * way, watch=False).value
            except Exception:  # losses that refuse points that far away are no witness; the result stands
                return False
            if not value < last:
                return False
            last = value
            if last < -FAR * record.size:
                return True
    return False
