"""Losses of one table that several solvers ask for, answered together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from ..._types import Matrix, Vector
from ...losses import GroupedLinear
from ...losses.combined import CombinedLosses
from ...losses.grouped.tables.panels import WIDEST
from .meeting import Meeting

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
class Together:
    """Losses whose evaluations, of solvers that run side by side, are answered by as few passes as memory allows."""

    losses: GroupedLinear

    @cached_property
    def meeting(self) -> Meeting[Question, Answer]:
        return Meeting(self.answers, WIDEST, attrgetter("is_evaluation"))

    def combined(self, M: Matrix, share: float = 1.0, *, hessians: bool) -> CombinedLosses:
        """Combinations of the losses, which ask in the meeting: for evaluations, and for Hessians if told so."""
        return CombinedLosses(self.losses, M, share, self._asked, self._asked_hessians if hessians else None)

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

    def _asked(self, w: Vector, M: Matrix) -> tuple[Vector, Matrix]:
        answer = self.meeting.ask(Question(w, M))
        assert isinstance(answer, tuple)
        return answer

    def _asked_hessians(self, w: Vector, M: Matrix) -> Matrix:
        answer = self.meeting.ask(Question(w, M, hessians=True))
        assert not isinstance(answer, tuple)
        return answer

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
