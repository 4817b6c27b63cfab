"""One table for the training rows of all splits: nothing is copied for a split, and one pass answers many solvers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..._types import Matrix, Vector
from ...linalg.blas_threads import one_blas_thread
from ...losses import GroupedLinear
from ...losses.combined import CombinedLosses
from ...losses.grouped.tables.panels import WIDEST
from ...losses.standardized import StandardizedLosses
from ..data.folds import Split
from ..data.remote import RemoteMatrix
from ..data.rows import Rows
from ..data.standardization import Standardization
from ..fitting.prepared import Prepared, center_of, shifted, standardization_of
from ..fitting.setting import Setting
from .cells import Cells, Parts
from .meeting import Meeting
from .split_moments import standardizations

MOST_NUMBERS = 1 << 24
"""Numbers in the answers of one pass, 128 MB: where there would be more, it is several passes."""


class Question(NamedTuple):
    """M f(w) and M G(w) for the losses f of all cells, or their Hessians."""

    w: Vector
    M: Matrix
    hessians: bool = False
    """Whether sum_j M_ij Hessian f_j(w) is asked for instead, for every row of M."""

    @property
    def is_evaluation(self) -> bool:
        return not self.hessians


Answer = tuple[Vector, Matrix] | Matrix


@dataclass(frozen=True, eq=False)
class SharedTable:
    """The losses of all cells (group, part), and of every split as combinations of them.

    The table is standardized by all rows, where it is in memory. Each split has its own standardization nevertheless:
    what differs is a change of its parameters.
    """

    rows: Rows
    setting: Setting
    splits: Sequence[Split]
    cells: Cells
    standardization: Standardization
    center: float
    losses: GroupedLinear
    meeting: Meeting[Question, Answer]

    @classmethod
    def of(cls, rows: Rows, setting: Setting, splits: Sequence[Split], parts: Parts) -> SharedTable:
        cells, center = Cells.of(rows.groups, parts), center_of(rows, setting)
        options: dict[str, Any] = {"loss": setting.loss, "fit_intercept": setting.fit_intercept}
        arguments = rows.y, cells.labels
        weight, offset = _weight_of_trained(rows.weight, parts), shifted(rows, center)
        standardization = Standardization.none(rows.X.shape[1])
        if isinstance(rows.X, RemoteMatrix):
            losses = rows.X.grouped_linear(*arguments, weight, offset, **options)
        else:
            standardization = standardization_of(rows.X, rows.weight, setting)
            options |= {"sample_weight": weight, "offset": offset, "n_threads": setting.n_threads}
            losses = GroupedLinear(standardization.apply(rows.X), *arguments, **options)
        meeting = Meeting(_Together(losses).answers, WIDEST, attrgetter("is_evaluation"))
        return cls(rows, setting, splits, cells, standardization, center, losses, meeting)

    def training(self, split: int) -> Rows:
        """The training rows of a split, whose features are not copied."""
        return self.rows.view(self.splits[split][0])

    def prepared(self, split: int, training: Rows, *, together: bool = True) -> Prepared:
        """The losses of the training rows of a split, evaluated ``together`` with those of others, or by themselves."""
        nonempty = np.flatnonzero(training.groups.sizes)
        M, weights = self.cells.combinations(split, self.losses.group_weights, nonempty)
        share = len(training) / len(self.rows)
        # In memory Hessians take their arithmetic, which is not shared.
        hessians = self._asked_hessians if together and isinstance(self.rows.X, RemoteMatrix) else None
        combined = CombinedLosses(self.losses, M, share, self._asked if together else None, hessians)
        of_split = self._standardization(split, training)
        center, scale = self.standardization.center, self.standardization.scale
        losses = StandardizedLosses(combined, (of_split.center - center) / scale, of_split.scale / scale)
        return Prepared(losses, of_split, self.center, nonempty, weights)

    def _asked(self, w: Vector, M: Matrix) -> tuple[Vector, Matrix]:
        answer = self.meeting.ask(Question(w, M))
        assert isinstance(answer, tuple)
        return answer

    def _asked_hessians(self, w: Vector, M: Matrix) -> Matrix:
        answer = self.meeting.ask(Question(w, M, hessians=True))
        assert not isinstance(answer, tuple)
        return answer

    def _standardization(self, split: int, training: Rows) -> Standardization:
        if isinstance(self.rows.X, RemoteMatrix):
            return standardization_of(training.X, training.weight, self.setting)
        known = self._of_splits[split]
        if known is not None:
            return known
        times = self.cells.parts.times[self.cells.parts.of_rows, split]
        weight = times.astype(np.float64) if self.rows.weight is None else times * self.rows.weight
        return standardization_of(self.rows.X, weight, self.setting)

    @cached_property
    def _of_splits(self) -> list[Standardization | None]:
        """Of a dense table; None where one is computed by itself."""
        rows, setting, parts = self.rows, self.setting, self.cells.parts
        if sp.issparse(rows.X) or not setting.standardize:
            return [None] * len(self.splits)
        times = parts.times.astype(np.float64)
        arguments = parts.of_rows, times, rows.weight
        with one_blas_thread():
            return standardizations(rows.X, self.standardization, *arguments, intercept=setting.fit_intercept)


@dataclass(frozen=True, eq=False)
class _Together:
    """Answers questions by as few passes as memory allows."""

    losses: GroupedLinear

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        answers: dict[int, Answer] = {}
        p = self.losses.n_params
        for kind, by_one_pass, numbers in (
            (False, self._evaluated, self.losses.n_losses * (1 + p)),
            (True, self._hessians, max(len(question.M) for question in questions) * p * p),
        ):
            places = [place for place, question in enumerate(questions) if question.hessians == kind]
            step = max(1, MOST_NUMBERS // numbers)
            for first in range(0, len(places), step):
                some = places[first : first + step]
                answers.update(zip(some, by_one_pass([questions[place] for place in some]), strict=True))
        return [answers[place] for place in range(len(questions))]

    def _hessians(self, questions: Sequence[Question]) -> Sequence[Answer]:
        sizes = [len(question.M) for question in questions]
        W = np.stack([question.w for question in questions]).repeat(sizes, axis=0)
        H = self.losses.combined_hessians(W, np.vstack([question.M for question in questions]))
        return np.split(H, np.cumsum(sizes)[:-1])

    def _evaluated(self, questions: Sequence[Question]) -> Sequence[Answer]:
        sizes = [len(question.M) for question in questions]
        # Splits may lack groups: their matrices are filled up with zeros to one shape.
        maps = [np.vstack([M, np.zeros((max(sizes) - len(M), M.shape[1]))]) for _, M, _ in questions]
        f, G = self.losses.evaluate_many(np.stack([question.w for question in questions]), maps)
        return [(f[i, :size], G[i, :size]) for i, size in enumerate(sizes)]


def _weight_of_trained(weight: Vector | None, parts: Parts) -> Vector | None:
    """The sample weights, with 0 for rows that no split trains on."""
    trained = parts.trained
    if trained.all():
        return weight
    return trained.astype(np.float64) if weight is None else np.where(trained, weight, 0.0)
