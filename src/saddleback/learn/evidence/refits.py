"""Refits of a model to bootstrap resamples of a large table, which share one table and its reads."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._types import Indices, Matrix, Vector
from ...errors import ConvergenceWarning
from ...linalg.blas_threads import one_blas_thread
from ...losses import GroupedLinear
from ...losses.grouped.partitions.works import combined
from ...losses.grouped.resamples import Resamples
from ...losses.grouped.tables.panels import WIDEST
from ...losses.resampled import ResampledLosses
from ...losses.standardized import StandardizedLosses
from ..data.remote import RemoteMatrix
from ..data.rows import Rows
from ..data.standardization import Standardization
from ..fitting.candidate import Candidate, NoCorrection
from ..fitting.prepared import Prepared, each_is_a_group, standardization_of
from ..fitting.reference import OWN, References
from ..fitting.setting import Setting
from ..fitting.trainer import Fit, Trainer
from ..selection.meeting import Meeting
from ..selection.predicted_hessians import PilotHessians, SplitHessians
from ..selection.side_by_side import LEAST_BYTES, METHODS, bytes_of, most_fits
from ..selection.split_moments import standardizations

WORK = 2e11
ROW_WORK = 2000.0
"""Of all refits together, for rows of p parameters each p^2 and this much: to draw, count and standardize a row takes
as long as 2,000 products of a Hessian. Some ten seconds, of 400,000 rows of 50 columns, 1,000,000 of 10 or 60,000 of
300."""

TRUSTED = 4
"""Steps of a refit with predicted Hessians. Reads are shared, and a Hessian takes as long as many of them: with 2, as
in a selection, every refit of 100,000 x 100 and of 60,000 x 300 rows computed one, with 4 none of them."""

Answer = tuple[Vector, Matrix]


def shares_reads(rows: Rows, setting: Setting, candidate: Candidate) -> bool:
    """Whether refits to resamples of these rows share one table: where it is large, and losses say all."""
    own_models = isinstance(setting.reference, str) and setting.reference == OWN
    return not (
        isinstance(candidate, NoCorrection)
        or isinstance(rows.X, RemoteMatrix)
        or setting.method not in METHODS
        or own_models
        or each_is_a_group(rows, setting)
        or bytes_of(rows.X) < LEAST_BYTES
    )


def affordable(rows: Rows, n_params: int) -> int:
    """The refits of a model that go within the time for them."""
    return int(WORK / (len(rows) * (n_params**2 + ROW_WORK)))


class Question(NamedTuple):
    """M f(w) and M G(w) for the losses f on the resample with this place."""

    w: Vector
    M: Matrix
    place: int


class SameHessians(SplitHessians):
    """Predicts the Hessians of a resample by those of all rows at the solution of the model."""

    def __init__(self, pilot: PilotHessians) -> None:
        super().__init__(pilot)
        self.trusted = TRUSTED

    def predicts(self) -> bool:
        return True

    def predicted(self, c: int, which: Indices) -> Matrix:
        return self._pilot.of_candidates[c][which]

    def learn(self, c: int, which: Indices, H: Matrix) -> None:
        """Nothing: those of another resample are as far from these as from those of all rows."""


@dataclass(frozen=True, eq=False)
class SharedRefits:
    """Fits of one model to any number of resamples, each from the model itself; no table is copied for a resample."""

    rows: Rows
    trainer: Trainer
    """Of all rows."""
    prepared: Prepared
    candidate: Candidate
    model: tuple[Matrix, Vector]
    """Coefficients and intercepts, in the user's units."""
    tol: float
    hessians: SplitHessians | None

    @classmethod
    def of(
        cls, rows: Rows, setting: Setting, candidate: Candidate, model: tuple[Matrix, Vector], tol: float
    ) -> SharedRefits:
        prepared = Prepared.of(rows, setting)
        trainer = Trainer(rows, setting, prepared)
        pilot = PilotHessians.of(trainer, [candidate], [trainer.standardized(*model)])
        hessians = None if pilot is None else SameHessians(pilot)
        return cls(rows, trainer, prepared, candidate, model, tol, hessians)

    @property
    def at_a_time(self) -> int:
        """How many go on side by side."""
        return max(1, most_fits(self.trainer))

    def fits(self, times: NDArray[np.uint8]) -> list[tuple[Trainer, Fit]]:
        """The fits to some resamples, in which row i counts times[r, i] times."""
        resamples = self._losses.resamples(times)
        meeting: Meeting[Question, Answer] = Meeting(partial(self._answers, resamples), WIDEST)
        own = self._standardizations(times)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return meeting.hold([partial(self._fit, meeting, resamples, r, own[r]) for r in range(len(times))])

    def _fit(
        self, meeting: Meeting[Question, Answer], resamples: Resamples, r: int, own: Standardization
    ) -> tuple[Trainer, Fit]:
        prepared, totals = self.prepared, resamples.totals[r]
        present = np.flatnonzero(totals > 0.0)
        losses = ResampledLosses(
            self._losses,
            np.eye(totals.size)[present],
            evaluation=lambda w, M: meeting.ask(Question(w, M, r)),
            resamples=resamples,
            place=r,
        )
        center, scale = prepared.standardization.center, prepared.standardization.scale
        changed = StandardizedLosses(losses, (own.center - center) / scale, own.scale / scale)
        weights = (totals * prepared.weights)[present]
        trainer = Trainer(
            self.rows,
            self.trainer.setting,
            Prepared(changed, own, prepared.center, prepared.nonempty[present], weights),
        )
        known = self.hessians if present.size == totals.size else None
        fit = trainer.fit(
            self.candidate,
            trainer.standardized(*self.model),
            References(trainer).at(self.candidate.l2),
            tol=self.tol,
            change=None if known is None else partial(known.put, 0),
        )
        return trainer, fit

    def _answers(self, resamples: Resamples, questions: Sequence[Question]) -> list[Answer]:
        places = np.array([question.place for question in questions])
        W = np.stack([question.w for question in questions])
        f, G = self._losses.evaluate_many(W, resamples=resamples[places])
        return [(combined(M, f[i]), combined(M, G[i])) for i, (_, M, _) in enumerate(questions)]

    def _standardizations(self, times: NDArray[np.uint8]) -> list[Standardization]:
        """Those of the resamples: of a dense table by one read of it."""
        rows, setting = self.rows, self.trainer.setting
        known: list[Standardization | None] = [None] * len(times)
        if setting.standardize and not sp.issparse(rows.X):
            parts = np.arange(len(rows)), np.ascontiguousarray(times.T), rows.weight
            with one_blas_thread():
                known = standardizations(rows.X, self.prepared.standardization, *parts, intercept=setting.fit_intercept)
        weight = 1.0 if rows.weight is None else rows.weight
        return [
            standardization_of(rows.X, of_one * weight, setting) if own is None else own
            for of_one, own in zip(times, known, strict=True)
        ]

    @property
    def _losses(self) -> GroupedLinear:
        losses = self.prepared.losses
        assert isinstance(losses, GroupedLinear)
        return losses
