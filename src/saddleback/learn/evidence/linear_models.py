"""The linear models that a page compares: average, balanced, and the path in between."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from ..._types import Matrix, Vector
from ...errors import ConvergenceWarning
from ..data.folds import make_splits
from ..data.rows import Rows
from ..fitting.candidate import Candidate, NoCorrection
from ..fitting.margins import margins_of
from ..fitting.observer import NOBODY
from ..fitting.reference import References
from ..fitting.setting import Setting
from ..fitting.trainer import Fit, Trainer
from ..selection.choosing import best_average
from ..selection.grid import AUTO, penalties_of
from ..selection.out_of_fold import out_of_fold
from ..selection.scores import RowScore
from ..selection.split_fits import SELECTION_TOL
from ..selection.warm_starts import WarmStarts
from .subject import Subject

WORST_WEIGHTS = tuple(np.linspace(0.0, 1.0, 11).round(1).tolist())
"""p of the trade-off."""
MIDDLE_L2 = 1.0
"""The penalty of the trade-off of corrections where none was chosen: that of the middle of their grid."""
AVERAGE, BALANCED = "average model", "balanced model"


def ordinary(setting: Setting) -> Setting:
    """The same fits without the user's own set of weights, which has no path."""
    return replace(setting, dual_set=None, observer=NOBODY)


def average_l2(subject: Subject, fitted: Any, rows: Rows, random_state: Any) -> float:
    """The penalty of the average model: that of the selection, else the one of least held-out loss among the usual."""
    selection = getattr(fitted, "selection_", None)
    if selection is not None and not subject.corrects:
        return float(selection.candidates["l2"][selection.kept])
    usual = penalties_of(AUTO, classes=subject.setting.n_classes > 0)
    own = [] if isinstance(subject.candidate, NoCorrection) else [subject.candidate.l2]
    candidates = [Candidate(0.0, 0.0, l2) for l2 in sorted({*usual, *own}, reverse=True)]
    setting = replace(ordinary(subject.setting), reference=None)
    splits = make_splits(min(5, len(rows)), 1, rows, random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        scores = out_of_fold(rows, setting, candidates, splits, subject.score, None).scores
    return candidates[best_average(scores, candidates, rows)].l2


def is_average_model(subject: Subject, candidate: Candidate, l2: float) -> bool:
    """Whether the model of a page, or of a part of its rows, is itself the average model with this penalty."""
    own_set = subject.setting.dual_set is not None
    return candidate.is_average and candidate.l2 == l2 and not own_set and not subject.corrects


def path_candidates(subject: Subject) -> list[Candidate]:
    """The models of the trade-off: all p, with the penalty and the prior of the model."""
    l2, prior = subject.candidate.l2, subject.candidate.prior
    if isinstance(subject.candidate, NoCorrection):
        l2, prior = _tried(subject), 0.0
    return [Candidate(p, prior, l2) for p in WORST_WEIGHTS]


def _tried(subject: Subject) -> float:
    """The penalty of the best correction that was not taken."""
    l2 = float(subject.selection.candidates["l2"][subject.selection.choice.best])
    return l2 if np.isfinite(l2) else MIDDLE_L2


def fit_all(trainer: Trainer, candidates: list[Candidate]) -> list[Fit]:
    """The fits of all candidates to the same rows, each from a predicted start."""
    starts, references, setting = WarmStarts(), References(trainer), trainer.setting
    tol, fits = max(setting.tol, SELECTION_TOL * setting.units.loss), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for candidate in candidates:
            fit = trainer.fit(candidate, starts.predicted(candidate), references.at(candidate.l2), tol=tol)
            starts.add(candidate, fit.result.w)
            fits.append(fit)
    return fits


def scores_along(fits: list[Fit], rows: Rows, score: RowScore, *, signs: bool) -> tuple[Matrix, Matrix | None]:
    """(n, P): the scores of the rows, and where there are two classes, which rows have a positive margin."""
    scores = np.empty((len(rows), len(fits)))
    positive = np.zeros((len(rows), len(fits))) if signs else None
    eta: Any
    for k, eta in enumerate(margins_of(fits, rows)):
        scores[:, k] = score(eta, rows.y)
        if positive is not None:
            positive[:, k] = eta >= 0.0
    return scores, positive


def group_means(scores: Matrix, rows: Rows) -> Matrix:
    """(J, P): the means over the rows of each group that count."""
    counted = ~np.isnan(scores[:, 0])
    weight = counted.astype(np.float64) if rows.weight is None else rows.weight * counted
    if not counted.any():
        return np.full((len(rows.groups.names), scores.shape[1]), np.nan)
    return rows.groups.mean(scores, weight)


def mean_of(scores: Vector, weight: Vector | None) -> float:
    """The mean of the scores that count."""
    counted = ~np.isnan(scores)
    return float(np.average(scores[counted], weights=None if weight is None else weight[counted]))
