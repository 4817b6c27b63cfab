"""The held-out losses along the path, of every group and of all rows, with standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Matrix, Vector
from ..data.rows import Rows
from ..groups.titles import titles_of
from ..selection.choosing import memberships_of
from ..selection.sample import Sample


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Means over held-out rows at P worst weights, for J groups.

    The standard error of a change is that of the paired difference to the first model, p = 0, on the same rows. It is
    less than that of a loss, because rows that are hard for one model are hard for its neighbors: a change is what the
    path can show, a loss is what a new sample of rows would change.
    """

    names: list[Any]
    """The groups."""
    group_losses: Matrix
    """(P, J); NaN for a group without held-out rows that count."""
    group_errors: Matrix
    """(P, J): standard errors of the losses."""
    change_errors: Matrix
    """(P, J): standard errors of the changes from p = 0."""
    average: Vector
    """(P,): the mean of all rows."""
    average_errors: Vector
    average_change_errors: Vector
    titles: Sequence[str | None] = ()
    """The groups as column=label, as in `Selection`."""

    @classmethod
    def of(cls, scores: Matrix, rows: Rows) -> HeldOut:
        """From out-of-fold scores (n, P) of the rows; one that is NaN at p = 0 does not count."""
        counted = ~np.isnan(scores[:, 0])
        members = memberships_of(rows)
        J, P = len(rows.groups.names), scores.shape[1]
        figures = np.full((3, P, J), np.nan)
        for j in range(J):
            pairs = np.flatnonzero((members.groups == j) & counted[members.rows])
            if pairs.size:
                figures[:, :, j] = _figures(scores, members.rows[pairs], members.coefficients[pairs])
        everyone = np.flatnonzero(counted)
        weights = np.ones(everyone.size) if rows.weight is None else rows.weight[everyone]
        losses, errors, change_errors = figures
        of_all = _figures(scores, everyone, weights)
        return cls(list(rows.groups.names), losses, errors, change_errors, *of_all, titles_of(rows.groups))


def _figures(scores: Matrix, rows: NDArray[np.intp], weights: Vector) -> tuple[Vector, Vector, Vector]:
    """The means, their standard errors, and those of the changes from p = 0."""
    sample, own = Sample.of(rows, weights, None), scores[rows]
    with np.errstate(invalid="ignore"):
        return sample.mean(scores), sample.standard_errors(own), sample.standard_errors(own - own[:, :1])
