"""What is subtracted from the losses of the groups, so that regret is trained instead of loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector
from ..._validation import finite_vector
from ...errors import ProblemError
from ..data.folds import stratified_folds
from ..data.rows import Rows
from ..groups import Groups
from .candidate import Candidate
from .pointwise import row_losses
from .setting import Setting
from .trainer import Trainer

AVERAGE, OWN = "average", "own"
FOLDS = 5
LEAST_ROWS = 10
"""Rows of a group below which no model of its own is tried: a fold would hold one row or none."""


def read_reference(reference: Any, names: list[Any]) -> str | Vector | None:
    """None, "average", "own", or one number for each group."""
    if reference is None:
        return None
    if isinstance(reference, str):
        if reference not in (AVERAGE, OWN):
            raise ProblemError(
                f"reference must be None, {AVERAGE!r}, {OWN!r} or a number for each group; got {reference!r}."
            )
        return reference
    return finite_vector(reference, "reference", len(names))


class References:
    """The reference losses of the groups that are present, for every penalty that is asked for."""

    def __init__(self, trainer: Trainer) -> None:
        self._trainer = trainer
        self._known: dict[float, Vector] = {}

    def at(self, l2: float) -> Vector | None:
        """(J,) numbers; None where losses are trained as they are."""
        reference = self._trainer.setting.reference
        if reference is None:
            return None
        if not isinstance(reference, str):
            return reference[self._trainer.nonempty]
        if l2 not in self._known:
            self._known[l2] = self._average(l2) if reference == AVERAGE else self._own(l2)
        return self._known[l2]

    def _average(self, l2: float) -> Vector:
        """The losses of the average model, with its penalty: its regrets are 0."""
        return self._trainer.fit(Candidate(0.0, 0.0, l2)).result.losses

    def _own(self, l2: float) -> Vector:
        """For each group the lesser held-out loss of two models: of its own rows alone, and of the average model.

        In-sample losses of models of their own would be too small for small groups, which would then count the most.
        """
        trainer = self._trainer
        rows, setting = trainer.rows, replace(trainer.setting, dual_set=None, reference=None)
        folds = stratified_folds(rows.groups, rows.y, min(FOLDS, len(rows)), np.random.default_rng(0))
        members = [np.flatnonzero((rows.groups.numbers == j).any(axis=1)) for j in trainer.nonempty]
        everybody = _cross_fitted(rows, setting, l2, folds)
        if everybody is None:
            raise ProblemError(
                "reference='own' needs at least two rows of every class, for cross-fitting; got a class of one row."
            )
        best = np.empty(len(members))
        for j, of_group in enumerate(members):
            alone = rows.subset(of_group)
            own = _cross_fitted(alone, setting, l2, folds[of_group]) if of_group.size >= LEAST_ROWS else None
            means = [_mean(losses, alone.weight) for losses in (everybody[of_group], own) if losses is not None]
            best[j] = min(means)
        return best


def _cross_fitted(rows: Rows, setting: Setting, l2: float, folds: NDArray[np.intp]) -> Vector | None:
    """The loss of each row under the average model of the other folds; None where a fold leaves one class."""
    rows = replace(rows, groups=Groups(["all"], np.zeros((len(rows), 1), dtype=np.intp)))
    losses = np.empty(len(rows))
    for fold in np.unique(folds):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if setting.loss.response in ("binary", "classes") and np.unique(rows.y[train]).size < setting.n_classes:
            return None
        held_out = rows.subset(test)
        fit = Trainer(rows.subset(train), setting).fit(Candidate(0.0, 0.0, l2))
        losses[test] = row_losses(setting.loss, fit.margins(held_out), held_out.y)
    return losses


def _mean(losses: Vector, weight: Vector | None) -> float:
    return float(np.average(losses, weights=weight))
