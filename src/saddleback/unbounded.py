"""Telling a problem without a lower bound from one that is slow."""

from __future__ import annotations

import numpy as np

from .oracle import Oracle
from .run import Record
from .stopping import UNBOUNDED


def falls_forever(oracle: Oracle, record: Record) -> bool:
    """Whether a point far along the way from w0 to the best point shows an objective without a lower bound.

    Only asked where the second half of the run still fell noticeably, which a run that has reached its minimum does
    not, or where no step was found at all; for a convex g that keeps falling along a ray, the ray ends the question.
    Most problems cost one evaluation here: the first far point is higher.
    """
    values = record.trace.value
    middle = len(values) // 2
    if len(values) > 1 and not values[middle] - values[-1] > 0.01 * (values[0] - values[middle]):
        return False
    at = oracle.evaluate(oracle.w0, watch=False)
    way = record.best.w - oracle.w0 if len(values) > 1 else -at.lam @ at.G
    last = record.best.value
    with np.errstate(all="ignore"):
        for far in np.logspace(1, 40, 40):
            try:
                value = oracle.point(oracle.w0 + far * way, watch=False).value
            except Exception:  # losses that refuse points that far away are no witness; the result stands
                return False
            if not value < last:
                return False
            last = value
            if last < -UNBOUNDED * record.size:
                return True
    return False
