"""Rows drawn at random from all files, which judge a model, and rows of its fit that other models are fitted to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...learn.evidence.splitting import MOST_ROWS
from .block_rows import BlockRows

HELD_OUT_ROWS = MOST_ROWS
"""Rows that judge a model: of a group of a hundredth of them 500, whose mean loss has an error of some hundredths."""

HELD_OUT_SHARE = 0.2
"""Of a small table that is held out, as where rows are in memory."""

LEAST_OF_CLASS = 20
"""Rows of a class of which none is held out: every class is to be among the rows of the fit."""


@dataclass(frozen=True, eq=False)
class Draw:
    """Numbers of rows in increasing order."""

    fitted: NDArray[np.intp]
    """All rows that are not held out."""
    sample: NDArray[np.intp]
    """Some of these, for models that need rows in memory."""
    held_out: NDArray[np.intp]

    @classmethod
    def of(cls, rows: BlockRows, seed: int, *, hold_out: bool) -> Draw:
        """At random among all rows; nothing is held out where other rows judge the model."""
        rng, n = np.random.default_rng(seed), len(rows)
        held_out = np.empty(0, dtype=np.intp)
        fitted = np.arange(n)
        if hold_out:
            drawn = np.sort(rng.choice(n, min(HELD_OUT_ROWS, int(HELD_OUT_SHARE * n)), replace=False, shuffle=False))
            held_out = drawn
            if rows.classes is not None:
                sizes = np.bincount(rows.y)
                held_out = drawn[sizes[rows.y[drawn]] >= LEAST_OF_CLASS]
            fitted = np.delete(fitted, held_out)
        chosen = rng.choice(fitted.size, min(MOST_ROWS, fitted.size), replace=False, shuffle=False)
        return cls(fitted, fitted[np.sort(chosen)], held_out)
