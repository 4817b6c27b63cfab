"""The losses of some rows in standardized units, as a trainer needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._types import Indices, Matrix, Vector
from ...losses import GroupedLinear
from ...losses.standardized import StandardizedLosses
from ..data.remote import RemoteMatrix
from ..data.rows import Rows
from ..data.standardization import Standardization
from .pointwise import is_centered
from .setting import Setting


@dataclass(frozen=True, eq=False)
class Prepared:
    """Losses without a penalty, and how their parameters become those of the user. Groups without rows are left out."""

    losses: GroupedLinear | StandardizedLosses
    standardization: Standardization
    center: float
    """What is added to all margins: a large constant in y would cost digits."""
    nonempty: Indices
    """The numbers of the groups that have rows."""
    weights: Vector
    """Of these groups."""

    @classmethod
    def of(cls, rows: Rows, setting: Setting) -> Prepared:
        """The table is standardized and arranged once for all candidates."""
        standardization = standardization_of(rows.X, rows.weight, setting)
        nonempty, center = np.flatnonzero(rows.groups.sizes), center_of(rows, setting)
        by_row = each_is_a_group(rows, setting)
        # Losses of single rows take no weights, as the mean loss of one row does not depend on its weight.
        weight = None if by_row else rows.weight
        groups = rows.groups.matrix[:, nonempty] if rows.groups.overlap else rows.groups.codes
        options: dict[str, Any] = {"loss": setting.loss, "fit_intercept": setting.fit_intercept}
        arguments = rows.y, "rows" if by_row else groups
        offset = shifted(rows, center)
        losses: GroupedLinear | StandardizedLosses
        if isinstance(rows.X, RemoteMatrix):
            plain = rows.X.grouped_linear(*arguments, weight, offset, **options)
            losses = StandardizedLosses(plain, standardization.center, standardization.scale)
        else:
            options |= {"sample_weight": weight, "offset": offset, "n_threads": setting.n_threads}
            losses = plain = GroupedLinear(standardization.apply(rows.X), *arguments, **options)
        weights = rows.weight if by_row and rows.weight is not None else plain.group_weights
        return cls(losses, standardization, center, nonempty, weights)


def standardization_of(X: Any, weight: Vector | None, setting: Setting) -> Standardization:
    """As the setting has it."""
    if not setting.standardize:
        return Standardization.none(X.shape[1])
    return Standardization.of(X, weight, intercept=setting.fit_intercept)


def center_of(rows: Rows, setting: Setting) -> float:
    """The mean of y less the offset, where that is taken out of y; else 0."""
    if not (setting.fit_intercept and is_centered(setting.loss)):
        return 0.0
    residual = rows.y if rows.offset is None else rows.y - rows.offset
    return float(np.average(residual, weights=rows.weight))


def each_is_a_group(rows: Rows, setting: Setting) -> bool:
    """Whether every row is a group of its own, in their order, and is trained as such."""
    groups = rows.groups
    alone = not groups.overlap and np.array_equal(groups.codes, np.arange(len(groups.names)))
    return alone and setting.loss.response != "classes"


def shifted(rows: Rows, center: float) -> Vector | Matrix | None:
    """The offset plus a constant."""
    if center == 0.0:
        return rows.offset
    return np.full(len(rows), center) if rows.offset is None else rows.offset + center
