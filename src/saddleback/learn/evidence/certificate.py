"""The certificate in words: how much better any model of this kind could be on the training rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...errors import ConvergenceWarning
from ...result import Result
from ..data.rows import Rows
from ..fitting.candidate import NoCorrection
from ..fitting.region import among, region_of
from ..fitting.trainer import Trainer, TrainingBound
from ..selection.selection import plain
from .linear_models import ordinary
from .subject import Subject

NOT_NEW_DATA = (
    "This is about optimization, not about new data: what the model does on new rows is estimated by held-out rows, "
    "with a standard error, and is never certified."
)


def certificate_of(subject: Subject, trained: Rows) -> dict[str, Any]:
    """Value and bound of the objective, and of the largest loss of a group, penalty included."""
    bound = _bound(subject, trained)
    result: Result = subject.model.result_
    left_alone = isinstance(subject.candidate, NoCorrection)
    value = bound.value if left_alone else result.value
    lower = bound.lower_bound if left_alone else result.lower_bound
    certified = bool(bound.certified if left_alone else result.certified)
    region = region_of(result.reach, _penalty(subject, bound))
    return {
        "value": value,
        "lower_bound": lower,
        "gap": max(value - lower, 0.0),
        "certified": certified,
        "largest_loss": bound.value,
        "largest_loss_bound": bound.lower_bound if bound.certified else None,
        "region": region,
        "words": _words(subject, bound, value, lower, certified=certified),
    }


def _bound(subject: Subject, trained: Rows) -> TrainingBound:
    """That of the selection; of a model that was given, one run of the worst-group model."""
    if subject.selection is not None and subject.selection.bound is not None:
        return subject.selection.bound
    if subject.n_fitted is not None and subject.n_fitted > len(trained):
        # A sample of the rows says nothing certain of all of them.
        worst = float(np.nanmax(subject.model.group_losses_))
        return TrainingBound(worst, -np.inf, False, subject.candidate.l2, subject.model.result_)
    trainer = Trainer(trained, ordinary(subject.setting))
    w = trainer.standardized(np.atleast_2d(subject.model.coef_), np.atleast_1d(subject.model.intercept_))
    with warnings.catch_warnings():
        # The page says whether the bound is certified.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return trainer.bound(w, subject.candidate.l2)


def _penalty(subject: Subject, bound: TrainingBound) -> float:
    return bound.l2 if isinstance(subject.candidate, NoCorrection) else subject.candidate.l2


def _objective(subject: Subject) -> str:
    """What was minimized, with its numbers."""
    p, prior, loss = subject.candidate.worst_weight, subject.candidate.prior, "loss"
    if subject.setting.reference is not None:
        loss = "regret"
    if subject.setting.dual_set is not None:
        return f"the largest weighted {loss} of the groups + penalty"
    average = (
        f"average {loss}" if isinstance(prior, float) and prior == 0.0 else f"average {loss} of the weighted groups"
    )
    if subject.one_group or p == 0.0:
        return f"{average} + penalty"
    if p == 1.0:
        return f"the worst group's {loss} + penalty"
    return f"{1.0 - p:g} times the {average} + {p:g} times the worst group's {loss} + penalty"


def _words(subject: Subject, bound: TrainingBound, value: float, lower: float, *, certified: bool) -> list[str]:
    family = "linear correction of your model" if subject.corrects else "linear model"
    where = "these rows" if subject.same_rows and subject.n_fitted is None else "the rows of the fit"
    l2 = _penalty(subject, bound)
    region = among(subject.model.result_.reach, l2)
    words = []
    if isinstance(subject.candidate, NoCorrection):
        words.append("Your model was left alone; the bound is about what a correction could have gained.")
    elif certified:
        words.append(
            f"The objective, {_objective(subject)}, is {plain(value, 6)} on {where}; no {family} with this penalty "
            f"(l2={l2:g}) has less than {plain(lower, 6)}{region}, so that at most "
            f"{plain(max(value - lower, 0.0), 2)} could be gained."
        )
    else:
        words.append(
            f"The objective, {_objective(subject)}, is {plain(value, 6)} on {where}. It is not certified that no "
            f"{family} does better: the run ended with the status {subject.model.result_.status.value!r}."
        )
    if bound.certified:
        words.append(
            f"The largest loss of a group, penalty included, is {plain(bound.value, 6)}; no {family} with this penalty "
            f"(l2={bound.l2:g}) has a largest loss below {plain(bound.lower_bound, 6)}{bound.region}."
        )
    else:
        words.append("How low the largest loss of a group could be is not certified.")
    return [*words, NOT_NEW_DATA]
