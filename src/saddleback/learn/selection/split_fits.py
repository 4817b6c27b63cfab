"""The fits of all candidates to the training rows of one split, and the scores of the rows that it holds out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..._types import Matrix
from ..data.folds import check_classes
from ..data.rows import Rows
from ..fitting.candidate import Candidate, NoCorrection
from ..fitting.margins import margins_of
from ..fitting.reference import References
from ..fitting.setting import Setting
from ..fitting.trainer import Fit, Trainer
from .predicted_hessians import PilotHessians, SplitHessians, Work, one_by_one
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
class Task:
    """What is done on every split."""

    rows: Rows
    setting: Setting
    candidates: list[Candidate]
    score: RowScore

    @property
    def fitted(self) -> list[int]:
        """The places of the candidates that are fitted."""
        return [c for c, candidate in enumerate(self.candidates) if not isinstance(candidate, NoCorrection)]

    def tol(self, candidate: Candidate) -> float:
        """The certified gap of a fit."""
        asked, unit = self.setting.tol, self.setting.units.loss
        tol = max(asked, SELECTION_TOL * unit)
        return min(tol, max(0.1 * asked, AVERAGE_TOL * unit)) if candidate.is_average else tol


@dataclass(frozen=True, eq=False)
class Pilot:
    """What the fits on one split tell those on the others."""

    starts: WarmStarts
    """The solutions."""
    hessians: PilotHessians | None


@dataclass(frozen=True, eq=False)
class Part:
    """What one split gives."""

    scores: Matrix
    """(m, C): of the rows that it holds out."""
    n_failed: int


class SplitFits:
    """Fits of the candidates of a task to the training rows of a split, each from the solutions so far."""

    def __init__(self, task: Task, training: Rows, trainer: Callable[[Rows], Trainer], pilot: Pilot | None) -> None:
        check_classes(training.y, task.setting.n_classes)
        self.task, self.trainer = task, trainer(training)
        self.starts = WarmStarts(None if pilot is None else pilot.starts)
        self._references = References(self.trainer)
        self._known = None if pilot is None else pilot.hessians
        self.fits: dict[int, Fit] = {}
        """By the candidate's place in the grid."""

    def hessians(self) -> SplitHessians | None:
        """What predicts Hessians: None for the pilot itself, and where other groups have rows."""
        known = self._known
        return (
            None if known is None or not np.array_equal(known.groups, self.trainer.nonempty) else SplitHessians(known)
        )

    def fit(self, c: int, hessians: SplitHessians | None) -> None:
        """Fit a candidate, with Hessians that are predicted at first."""
        candidate = self.task.candidates[c]
        change = None if hessians is None else partial(hessians.put, c)
        start, reference = self.starts.predicted(candidate), self._references.at(candidate.l2)
        fit = self.trainer.fit(candidate, start, reference, tol=self.task.tol(candidate), change=change)
        self.starts.add(candidate, fit.result.w)
        self.fits[c] = fit

    def pilot(self, work: Work = one_by_one) -> Pilot:
        """What the fits tell those on other splits; ``work`` computes their Hessians."""
        solutions = [self.fits[c].result.w for c in self.task.fitted]
        return Pilot(self.starts, PilotHessians.of(self.trainer, self.task.candidates, solutions, work))

    def part(self, held_out: Rows) -> Part:
        """The scores of the rows that the split holds out."""
        fits, candidates = [self.fits[c] for c in self.task.fitted], self.task.candidates
        scores, margins = np.empty((len(held_out), len(candidates))), margins_of(fits, held_out)
        for c, candidate in enumerate(candidates):
            eta = held_out.offset if isinstance(candidate, NoCorrection) else next(margins)
            scores[:, c] = self.task.score(eta, held_out.y)
        return Part(scores, sum(not fit.result.success for fit in fits))
