"""Scores of every row for every candidate, by models that have not seen the row."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed

from ..._types import Matrix
from ...errors import ConvergenceWarning, warn_user
from ..data.folds import Split, check_classes
from ..data.rows import Rows
from ..fitting.candidate import Candidate, NoCorrection
from ..fitting.observer import NOBODY
from ..fitting.reference import References
from ..fitting.setting import Setting
from ..fitting.trainer import Trainer
from .scores import RowScore
from .warm_starts import WarmStarts

SELECTION_TOL = 1e-5
"""The certified gap of the models of folds, in the unit of the losses: far below the standard errors of held-out
losses, which are above 1e-3 for a thousand rows."""


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """The scores, and how many of the fits were not certified to the tolerance."""

    scores: Matrix
    """(n, C): the mean over the folds in which the row was held out; NaN where there was none."""
    n_fits: int
    n_failed: int


def out_of_fold(
    rows: Rows, setting: Setting, candidates: list[Candidate], splits: list[Split], score: RowScore, n_jobs: int | None
) -> OutOfFold:
    """Fit every candidate on every split, warm-started along the path, and score the held-out rows."""
    observer, setting = setting.observer, replace(setting, observer=NOBODY)
    observer.begin_splits(f"{len(candidates)} candidates on held-out rows", len(splits))
    parts = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_scores_of_split)(rows, setting, candidates, split, score) for split in splits
    )
    n_fits = len(splits) * sum(not isinstance(candidate, NoCorrection) for candidate in candidates)
    total, times = np.zeros((len(rows), len(candidates))), np.zeros((len(rows), 1))
    n_failed = 0
    for (_, test), (scores, failed) in zip(splits, parts, strict=True):
        observer.end_split()
        np.add.at(total, test, scores)
        np.add.at(times, test, 1.0)
        n_failed += failed
    if n_failed:
        warn_user(
            f"{n_failed} of {n_fits} fits for the selection ended above the tolerance; raise max_iter, or l2.",
            ConvergenceWarning,
        )
    with np.errstate(invalid="ignore"):
        return OutOfFold(np.divide(total, times, out=total), n_fits, n_failed)


def _scores_of_split(
    rows: Rows, setting: Setting, candidates: list[Candidate], split: Split, score: RowScore
) -> tuple[Matrix, int]:
    train, test = split
    training, held_out = rows.subset(train), rows.subset(test)
    check_classes(training.y, setting.n_classes)
    trainer = Trainer(training, setting)
    references = References(trainer)
    scores, failed = np.empty((test.size, len(candidates))), 0
    starts, tol = WarmStarts(), max(setting.tol, SELECTION_TOL * setting.units.loss)
    with warnings.catch_warnings():
        # Told once for all folds, by the caller.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for c, candidate in enumerate(candidates):
            if isinstance(candidate, NoCorrection):
                scores[:, c] = score(held_out.offset, held_out.y)
                continue
            fit = trainer.fit(candidate, starts.predicted(candidate), references.at(candidate.l2), tol=tol)
            starts.add(candidate, fit.result.w)
            failed += not fit.result.success
            scores[:, c] = score(fit.margins(held_out), held_out.y)
    return scores, failed
