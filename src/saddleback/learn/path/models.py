"""The models of a path, fitted on all rows."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

from ..data.retained import Retained
from ..fitting.candidate import Candidate
from ..fitting.reference import References
from ..fitting.trainer import Fit, Trainer, TrainingBound


def fit_along(trainer: Trainer, candidates: list[Candidate]) -> list[Fit]:
    """The fits of all candidates, those in between started from the one before.

    The first and the last start as `MinimaxClassifier` itself does, so that they are the same to the last bit.
    """
    references = References(trainer)
    fits: list[Fit] = []
    for i, candidate in enumerate(candidates):
        start = fits[-1].result.w if 0 < i < len(candidates) - 1 else None
        fits.append(trainer.fit(candidate, start, references.at(candidate.l2)))
    return fits


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
