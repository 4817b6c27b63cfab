"""Scores of every row for every candidate, by models that have not seen the row."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ..._types import Matrix
from ...errors import ConvergenceWarning, warn_user
from ..data.folds import Split
from ..data.rows import Rows
from ..fitting.candidate import Candidate
from ..fitting.observer import NOBODY
from ..fitting.setting import Setting
from ..fitting.trainer import Trainer
from .scores import RowScore
from .side_by_side import fitted_side_by_side, pays
from .split_fits import Part, Pilot, SplitFits, Task


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
    first one. So the result does not depend on how many splits are worked through at a time. Where a read of the table
    costs more than the rest, fits go on side by side and share the reads.
    """
    observer, setting = setting.observer, replace(setting, observer=NOBODY)
    observer.begin_splits(f"{len(candidates)} candidates on held-out rows", len(splits))
    task = Task(rows, setting, candidates, score)
    parts = fitted_side_by_side(task, splits) if pays(task, splits, n_jobs) else _one_by_one(task, splits, n_jobs)
    total, times = np.zeros((len(rows), len(candidates))), np.zeros((len(rows), 1))
    n_failed = 0
    for (_, test), part in zip(splits, parts, strict=True):
        observer.end_split()
        _add(total, test, part.scores)
        _add(times, test, 1.0)
        n_failed += part.n_failed
    n_fits = len(splits) * len(task.fitted)
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


def _one_by_one(task: Task, splits: list[Split], n_jobs: int | None) -> Iterator[Part]:
    """The parts of all splits, in their order, each with a table of its own."""
    first, pilot = _pilot(task, splits[0])
    yield first
    yield from Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_on_split)(task, split, pilot) for split in splits[1:]
    )


def _pilot(task: Task, split: Split) -> tuple[Part, Pilot]:
    fits = _fits(task, split, None)
    part = fits.part(task.rows.subset(split[1]))
    return part, fits.pilot()


def _on_split(task: Task, split: Split, pilot: Pilot) -> Part:
    return _fits(task, split, pilot).part(task.rows.subset(split[1]))


def _fits(task: Task, split: Split, pilot: Pilot | None) -> SplitFits:
    """All fits to the training rows of a split, one after the other."""
    fits = SplitFits(task, task.rows.subset(split[0]), lambda training: Trainer(training, task.setting), pilot)
    hessians = fits.hessians()
    with warnings.catch_warnings():
        # Told once for all splits, by the caller.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for c in task.fitted:
            fits.fit(c, hessians)
    return fits
