"""Scores of every row for every candidate, by models that have not seen the row."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ..._types import Matrix
from ...errors import ConvergenceWarning, warn_user
from ..data.folds import Split, check_classes
from ..data.rows import Rows
from ..fitting.candidate import Candidate, NoCorrection
from ..fitting.margins import margins_of
from ..fitting.observer import NOBODY
from ..fitting.reference import References
from ..fitting.setting import Setting
from ..fitting.trainer import Fit, Trainer
from .predicted_hessians import PilotHessians, SplitHessians
from .scores import RowScore
from .warm_starts import WarmStarts

SELECTION_TOL = 1e-6
"""The certified gap of the models of folds, in the unit of the losses: held-out losses of groups differ by some 1e-6
from those of exact models, far less than their standard errors, which are above 1e-3 for a thousand rows. With 1e-5,
which saves 4 % of the time, they differ by 1e-5 and more, so that close decisions depended on the way of the solver."""

AVERAGE_TOL = 1e-7
"""The same of average models: the penalty with the least mean is taken, however small the difference. With 1e-5 the
means of two penalties on adult, 5e-5 apart, changed their order."""


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
    """Fit every candidate on every split, and score the held-out rows.

    Fits are warm-started along the path of the candidates, and those of all other splits also by the solutions on the
    first one. So the result does not depend on how many splits are worked through at a time.
    """
    observer, setting = setting.observer, replace(setting, observer=NOBODY)
    observer.begin_splits(f"{len(candidates)} candidates on held-out rows", len(splits))
    task = _Task(rows, setting, candidates, score)
    total, times = np.zeros((len(rows), len(candidates))), np.zeros((len(rows), 1))
    n_failed = 0
    for (_, test), part in zip(splits, _parts(task, splits, n_jobs), strict=True):
        observer.end_split()
        _add(total, test, part.scores)
        _add(times, test, 1.0)
        n_failed += part.n_failed
    n_fits = len(splits) * sum(not isinstance(candidate, NoCorrection) for candidate in candidates)
    if n_failed:
        warn_user(
            f"{n_failed} of {n_fits} fits for the selection ended above the tolerance; raise max_iter, or l2.",
            ConvergenceWarning,
        )
    with np.errstate(invalid="ignore"):
        return OutOfFold(np.divide(total, times, out=total), n_fits, n_failed)


def _add(total: Matrix, index: NDArray[np.intp], values: Matrix | float) -> None:
    """total[index] += values, also where splits of the user hold out a row twice."""
    if np.unique(index).size == index.size:
        total[index] += values
    else:
        np.add.at(total, index, values)


@dataclass(frozen=True, eq=False)
class _Part:
    """What one split gives."""

    scores: Matrix
    """(m, C): of the rows that it holds out."""
    n_failed: int
    pilot: Pilot | None = None
    """What the other splits begin with; of the first one."""


@dataclass(frozen=True, eq=False)
class Pilot:
    """What the fits on one split tell those on the others."""

    starts: WarmStarts
    """The solutions."""
    hessians: PilotHessians | None


@dataclass(frozen=True, eq=False)
class _Task:
    """What is done on every split."""

    rows: Rows
    setting: Setting
    candidates: list[Candidate]
    score: RowScore

    def on(self, split: Split, pilot: Pilot | None = None) -> _Part:
        """Fit all candidates to the training rows, and score the others."""
        train, test = split
        training, held_out = self.rows.subset(train), self.rows.subset(test)
        check_classes(training.y, self.setting.n_classes)
        trainer, fits = Trainer(training, self.setting), []
        references, starts = References(trainer), WarmStarts(None if pilot is None else pilot.starts)
        hessians = _hessians(trainer, pilot)
        with warnings.catch_warnings():
            # Told once for all splits, by the caller.
            warnings.simplefilter("ignore", ConvergenceWarning)
            for c, candidate in enumerate(self.candidates):
                if isinstance(candidate, NoCorrection):
                    continue
                change = None if hessians is None else partial(hessians.put, c)
                start, reference = starts.predicted(candidate), references.at(candidate.l2)
                fit = trainer.fit(candidate, start, reference, tol=self._tol(candidate), change=change)
                starts.add(candidate, fit.result.w)
                fits.append(fit)
        n_failed = sum(not fit.result.success for fit in fits)
        scores = self._scores(fits, held_out)
        if pilot is not None:
            return _Part(scores, n_failed)
        own = PilotHessians.of(trainer, self.candidates, [fit.result.w for fit in fits])
        return _Part(scores, n_failed, Pilot(starts, own))

    def _tol(self, candidate: Candidate) -> float:
        asked, unit = self.setting.tol, self.setting.units.loss
        tol = max(asked, SELECTION_TOL * unit)
        return min(tol, max(0.1 * asked, AVERAGE_TOL * unit)) if candidate.is_average else tol

    def _scores(self, fits: list[Fit], held_out: Rows) -> Matrix:
        """(m, C)."""
        scores, margins = np.empty((len(held_out), len(self.candidates))), margins_of(fits, held_out)
        for c, candidate in enumerate(self.candidates):
            eta = held_out.offset if isinstance(candidate, NoCorrection) else next(margins)
            scores[:, c] = self.score(eta, held_out.y)
        return scores


def _hessians(trainer: Trainer, pilot: Pilot | None) -> SplitHessians | None:
    """What predicts Hessians: None for the pilot itself, and where other groups have rows."""
    known = None if pilot is None else pilot.hessians
    return None if known is None or not np.array_equal(known.groups, trainer.nonempty) else SplitHessians(known)


def _parts(task: _Task, splits: list[Split], n_jobs: int | None) -> Iterator[_Part]:
    """The parts of all splits, in their order."""
    first = task.on(splits[0])
    yield first
    yield from Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(task.on)(split, first.pilot) for split in splits[1:]
    )
