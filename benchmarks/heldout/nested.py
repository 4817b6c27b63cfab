"""Nested cross-validation of a contestant on a table: every row is judged by a model that has not seen it."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from .contestants import Contestant
from .folds import draw_folds
from .measures import Vector, row_hit, row_loss
from .tables import Table

OUTER_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Judged:
    """Losses of all rows for one contestant."""

    loss: Vector
    """Held-out: log loss, or squared error in units of the variance of y."""
    hit: Vector
    """Held-out: whether the more probable class is the row's; NaN for numbers."""
    training_loss: Vector
    """The mean loss in the fits that the row was part of."""
    chosen: tuple[str, ...]
    """What the contestant chose in each fold."""
    seconds: float
    """For all folds, one thread."""


def judge(table: Table, contestant: Contestant, split: int) -> Judged:
    """Fit the contestant without each of the outer folds in turn; ``split`` is the seed of the folds."""
    folds = draw_folds(table, OUTER_FOLDS, seed=split)
    unit = 1.0 if table.classes else float(table.y.var())
    n = len(table.y)
    loss, hit, training = np.empty(n), np.empty(n), np.zeros(n)
    chosen, seconds = [], 0.0
    for fold in range(OUTER_FOLDS):
        held_out = folds == fold
        train, test = table.subset(~held_out), table.subset(held_out)
        started = time.perf_counter()
        with threadpool_limits(1):
            fitted = contestant.fit(train)
        seconds += time.perf_counter() - started
        prediction = fitted.predict(test.X)
        loss[held_out], hit[held_out] = row_loss(test, prediction, unit), row_hit(test, prediction)
        training[~held_out] += row_loss(train, fitted.predict(train.X), unit) / (OUTER_FOLDS - 1)
        chosen.append(fitted.chosen)
    return Judged(loss, hit, training, tuple(chosen), seconds)


def fingerprint(table: Table, split: int) -> str:
    """Tells tables and splits apart; changes with any number of them."""
    digest = hashlib.sha256()
    parts: tuple[NDArray[np.generic], ...] = (table.X, table.y, table.groups, draw_folds(table, OUTER_FOLDS, split))
    for part in parts:
        digest.update(f"{part.dtype} {part.shape} ".encode() + np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
