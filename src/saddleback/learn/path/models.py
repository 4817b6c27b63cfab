"""The models of a path, fitted on all rows."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..._types import Vector
from ...losses.standardized import StandardizedLosses
from ..data.remote import RemoteMatrix
from ..data.retained import Retained
from ..fitting.candidate import Candidate
from ..fitting.reference import References
from ..fitting.trainer import Fit, Trainer, TrainingBound
from ..selection.side_by_side import METHODS, most_fits
from ..selection.together import Together


def fit_along(trainer: Trainer, candidates: list[Candidate]) -> list[Fit]:
    """The fits of all candidates, of one prior and penalty.

    The first and the last start as `MinimaxClassifier` itself does, so that they are the same to the last bit. Those in
    between start from the one before; where rows are elsewhere, between the first and the last one and all at once, so
    that they share the reads: a path of 200,000 x 30 numbers in a Parquet file takes 19 passes in place of 59.
    """
    reference = References(trainer).at(candidates[0].l2)
    if isinstance(trainer.rows.X, RemoteMatrix) and trainer.setting.method in METHODS and most_fits(trainer) > 0:
        return _fit_together(trainer, candidates, reference)
    fits: list[Fit] = []
    for i, candidate in enumerate(candidates):
        start = fits[-1].result.w if 0 < i < len(candidates) - 1 else None
        fits.append(trainer.fit(candidate, start, reference))
    return fits


def _fit_together(trainer: Trainer, candidates: list[Candidate], reference: Vector | None) -> list[Fit]:
    first, last = (trainer.fit(candidate, None, reference) for candidate in (candidates[0], candidates[-1]))
    losses = trainer.losses
    assert isinstance(losses, StandardizedLosses)
    together = Together(losses.losses)
    combined = together.combined(np.eye(losses.n_losses), hessians=True)

    def fit(candidate: Candidate) -> Fit:
        p = candidate.worst_weight
        start = (1.0 - p) * first.result.w + p * last.result.w
        return trainer.fit(candidate, start, reference, change=lambda own: replace(own, losses=combined))

    between, step = candidates[1:-1], most_fits(trainer)
    fits = [
        one
        for begin in range(0, len(between), step)
        for one in together.meeting.hold([partial(fit, candidate) for candidate in between[begin : begin + step]])
    ]
    return [first, *fits, last]


def make_models(
    reader: Any, trainer: Trainer, candidates: list[Candidate], fits: list[Fit], retained: Retained | None
) -> list[Any]:
    """A fitted model for each candidate; ``reader`` is the model that has read the rows, and all are like it."""
    models = []
    for candidate, fit in zip(candidates, fits, strict=True):
        model = copy(reader).set_params(worst_weight=candidate.worst_weight, l2=candidate.l2)
        model._keep(fit, trainer.rows)
        model._retained = retained
        models.append(model)
    return models


def training_bounds(trainer: Trainer, l2: float, fits: list[Fit]) -> list[TrainingBound]:
    """For each model how much lower the largest loss of a group can be on the training rows."""
    best = trainer.bound(fits[-1].result.w, l2)
    return [replace(best, value=float(fit.result.losses.max())) for fit in fits]
