"""Hessians of the losses on the rows of one split, predicted from those on another split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..._types import Indices, Matrix, Vector
from ...capabilities import offers
from ...losses import Losses
from ...losses.base import HasLossHessians
from ...losses.wrapped import WrappedLosses
from ...methods import AUTO, Newton, choose_method
from ..fitting.candidate import Candidate, NoCorrection
from ..fitting.trainer import Trainer


@dataclass(frozen=True)
class PredictionControl:
    """When Hessians are predicted, and how often."""

    least_work: float = 5e6
    """Multiplications of the Hessians from which they are predicted: fewer take less than a fifth of a millisecond."""
    rows_per_parameter: int = 100
    """Rows for each parameter from which they are predicted: with fewer, the Hessians of two splits differ too much.
    With 30 (heart disease by hospital) Newton's method took 2.2 steps with predictions where it takes 1.6."""
    group_rows_per_parameter: float = 0.75
    """The same of the smallest group: Hessians of groups of few rows are singular, in other directions on each split.
    With 0.95 (adult by race and sex) a selection takes three quarters of its time, with 0.5 (by education) it takes
    2.6 steps per fit instead of 1.6."""
    most_entries: int = 1 << 23
    """Entries of the pilot's Hessians of all candidates, 64 MB."""
    trusted: int = 2
    """Predictions in one fit. Where so many steps were not enough, the next Hessians are computed."""


CONTROL = PredictionControl()


Work = Callable[[Sequence[Callable[[], Matrix]]], list[Matrix]]
"""Does tasks, one by one or side by side."""


def one_by_one(tasks: Sequence[Callable[[], Matrix]]) -> list[Matrix]:
    return [task() for task in tasks]


@dataclass(frozen=True, eq=False)
class PilotHessians:
    """H_j at the solution of every candidate on the rows of the pilot."""

    of_candidates: dict[int, Matrix]
    """(J, d, d), by the candidate's place in the grid."""
    groups: Indices
    """The groups that have rows there."""

    @classmethod
    def of(
        cls, trainer: Trainer, candidates: list[Candidate], solutions: list[Vector], work: Work = one_by_one
    ) -> PilotHessians | None:
        """None where they would not pay, by the sizes of the table alone. ``work`` computes those of all candidates."""
        if not solutions or not _pays(trainer, len(solutions)):
            return None
        fitted = [c for c, candidate in enumerate(candidates) if not isinstance(candidate, NoCorrection)]
        every = np.arange(trainer.losses.n_losses)
        tasks = [
            partial(trainer.penalized(candidates[c].l2).loss_hessians, w, every)
            for c, w in zip(fitted, solutions, strict=True)
        ]
        return cls(dict(zip(fitted, work(tasks), strict=True)), trainer.nonempty)


def _pays(trainer: Trainer, n_candidates: int) -> bool:
    losses = trainer.losses
    J, d, n = losses.n_losses, losses.n_params, len(trainer.rows)
    return (
        trainer.setting.method == AUTO
        and losses.n_entries * losses.n_outputs * d >= CONTROL.least_work
        and n >= CONTROL.rows_per_parameter * d
        and trainer.rows.groups.sizes[trainer.nonempty].min() >= CONTROL.group_rows_per_parameter * d
        and n_candidates * J * d * d <= CONTROL.most_entries
        and offers(losses, HasLossHessians)
        and isinstance(choose_method(trainer.losses, near=True), Newton)
    )


class SplitHessians:
    """Predicts H_j(c) on the rows of a split: that of the pilot, plus the difference where it was last computed.

    The difference, of other rows and of other solutions, hardly depends on the candidate: the error of the prediction
    is a mixed second difference. Penalties cancel in it.
    """

    def __init__(self, pilot: PilotHessians) -> None:
        self._pilot = pilot
        self.trusted = CONTROL.trusted
        self._difference: Matrix | None = None

    def predicts(self) -> bool:
        """Whether Hessians were computed once."""
        return self._difference is not None

    def predicted(self, c: int, which: Indices) -> Matrix:
        """The Hessians of these losses for candidate c."""
        assert self._difference is not None
        return self._pilot.of_candidates[c][which] + self._difference[which]

    def learn(self, c: int, which: Indices, H: Matrix) -> None:
        """Take the difference where the Hessians of these losses were computed; the first time those of all."""
        known = self._pilot.of_candidates[c]
        if self._difference is None:
            self._difference = np.zeros_like(known)
        self._difference[which] = H - known[which]

    def copy(self) -> SplitHessians:
        """With a difference of its own, for fits that go on side by side."""
        other = SplitHessians(self._pilot)
        other._difference = None if self._difference is None else self._difference.copy()
        return other

    def put(self, c: int, losses: Losses) -> WithPredictedHessians:
        """The losses of candidate c, with predictions in place of their first Hessians."""
        return WithPredictedHessians(losses, self, c)


@dataclass(frozen=True, eq=False)
class WithPredictedHessians(WrappedLosses):
    """The same losses, whose Hessians are predicted at first: steps of Newton's method without a read of the table.

    Values, gradients and with them all certificates are exact. So is ``hessian``, which a run reads once more before it
    ends.
    """

    hessians: SplitHessians
    c: int
    requests: list[int] = field(init=False, default_factory=list)
    """How many Hessians were asked for at each request."""

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        f, G = self.losses.evaluate(w)
        return f, G

    def values(self, w: Vector) -> Vector:
        f: Vector = self.losses.values(w)
        return f

    def parameter_scales(self) -> Vector:
        scales: Vector = self.losses.parameter_scales()
        return scales

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        H: Matrix = self.losses.hessian(w, lam)
        return H

    def loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        self.requests.append(len(which))
        if self.hessians.predicts() and len(self.requests) <= self.hessians.trusted:
            return self.hessians.predicted(self.c, which)
        if not self.hessians.predicts():
            H = self.losses.loss_hessians(w, np.arange(self.n_losses))
            self.hessians.learn(self.c, np.arange(self.n_losses), H)
            return np.asarray(H[which])
        H = self.losses.loss_hessians(w, which)
        self.hessians.learn(self.c, which, H)
        return np.asarray(H)
