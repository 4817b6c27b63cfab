"""Whether probabilities are right, group by group: predicted against observed, on held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector
from ..data.rows import Rows
from ..metrics.intervals import wilson
from .attributes import group_texts

BINS = 10
"""Bins of equal width, as in the calibration error of `group_table`."""
LEVEL = 0.95


def calibration_of(probability: Vector, is_positive: NDArray[np.bool_], rows: Rows) -> list[dict[str, Any]]:
    """All rows first, then every group; bins without rows are left out. ``high`` and ``low`` are Wilson's ends."""
    weights = np.ones(len(rows)) if rows.weight is None else rows.weight
    bins = np.minimum((probability * BINS).astype(np.intp), BINS - 1)
    everyone = np.arange(len(rows))
    table = [_curve("all rows", everyone, probability, is_positive, weights, bins)]
    if len(rows.groups.names) == 1:
        return table
    for j, text in enumerate(group_texts(rows.groups)):
        own = np.flatnonzero((rows.groups.numbers == j).any(axis=1))
        table.append(_curve(text, own, probability, is_positive, weights, bins))
    return table


def _curve(
    text: str,
    own: NDArray[np.intp],
    probability: Vector,
    is_positive: NDArray[np.bool_],
    weights: Vector,
    bins: NDArray[np.intp],
) -> dict[str, Any]:
    rows = np.bincount(bins[own], minlength=BINS)
    w = weights[own]
    total = np.bincount(bins[own], w, minlength=BINS)
    there = np.flatnonzero(rows)
    predicted = np.bincount(bins[own], w * probability[own], minlength=BINS)[there] / total[there]
    observed = np.bincount(bins[own], w * is_positive[own], minlength=BINS)[there] / total[there]
    effective = total[there] ** 2 / np.bincount(bins[own], w * w, minlength=BINS)[there]
    low, high = wilson(np.clip(observed, 0.0, 1.0), effective, LEVEL)
    return {
        "group": text,
        "rows": own.size,
        "bins": [
            {"rows": rows[b], "predicted": predicted[k], "observed": observed[k], "low": low[k], "high": high[k]}
            for k, b in enumerate(there)
        ],
    }
