"""Means of held-out scores, their standard errors, and paired differences to a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._types import Vector
from ..data.rows import Rows
from ..path.held_out import HeldOut
from .attributes import group_texts


@dataclass(frozen=True, eq=False)
class Comparison:
    """A model and a baseline on the same rows; every vector has an entry for each group."""

    names: list[str]
    sizes: Vector
    baseline: Vector
    losses: Vector
    errors: Vector
    changes: Vector
    """The loss of the model less that of the baseline."""
    change_errors: Vector
    baseline_errors: Vector
    average: float
    average_error: float
    baseline_average: float
    average_change: float
    average_change_error: float

    @property
    def worst(self) -> int:
        """The group that is worst off under the baseline."""
        return int(np.nanargmax(self.baseline))

    @property
    def worst_after(self) -> int:
        """The group that is worst off under the model."""
        return int(np.nanargmax(self.losses))


def compare(baseline: Vector, model: Vector, rows: Rows, tol: float = 0.0) -> Comparison:
    """Compare the scores of two models; a row whose score is NaN does not count.

    Differences of at most ``tol``, to which the models were solved, are none.
    """
    both = HeldOut.of(np.column_stack([baseline, model]), rows)
    changes = both.group_losses[1] - both.group_losses[0]
    average_change = float(both.average[1] - both.average[0])
    return Comparison(
        names=group_texts(rows.groups),
        sizes=rows.groups.sizes.astype(np.float64),
        baseline=both.group_losses[0],
        losses=both.group_losses[1],
        errors=both.group_errors[1],
        changes=np.where(np.abs(changes) <= tol, 0.0, changes),
        change_errors=both.change_errors[1],
        baseline_errors=both.group_errors[0],
        average=float(both.average[1]),
        average_error=float(both.average_errors[1]),
        baseline_average=float(both.average[0]),
        average_change=0.0 if abs(average_change) <= tol else average_change,
        average_change_error=float(both.average_change_errors[1]),
    )


def known(values: Any) -> Any:
    """Whether there is a number at all."""
    return np.isfinite(np.asarray(values, dtype=np.float64)).any()
