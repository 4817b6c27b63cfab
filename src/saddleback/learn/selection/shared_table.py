"""One table for the training rows of all splits: nothing is copied for a split, and one pass answers many solvers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._types import Vector
from ...linalg.blas_threads import one_blas_thread
from ...losses import GroupedLinear
from ...losses.combined import CombinedLosses
from ...losses.standardized import StandardizedLosses
from ..data.folds import Split
from ..data.remote import RemoteMatrix
from ..data.rows import Rows
from ..data.standardization import Standardization
from ..fitting.prepared import Prepared, center_of, shifted, standardization_of
from ..fitting.setting import Setting
from .cells import Cells, Parts
from .split_moments import standardizations
from .together import Together


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
    together: Together

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
        return cls(rows, setting, splits, cells, standardization, center, Together(losses))

    def training(self, split: int) -> Rows:
        """The training rows of a split, whose features are not copied."""
        return self.rows.view(self.splits[split][0])

    def prepared(self, split: int, training: Rows, *, together: bool = True) -> Prepared:
        """The losses of the training rows of a split, evaluated ``together`` with those of others, or by themselves."""
        nonempty = np.flatnonzero(training.groups.sizes)
        losses = self.together.losses
        M, weights = self.cells.combinations(split, losses.group_weights, nonempty)
        share = len(training) / len(self.rows)
        # In memory Hessians take their arithmetic, which is not shared.
        hessians = isinstance(self.rows.X, RemoteMatrix)
        combined = self.together.combined(M, share, hessians=hessians) if together else CombinedLosses(losses, M, share)
        of_split = self._standardization(split, training)
        center, scale = self.standardization.center, self.standardization.scale
        changed = StandardizedLosses(combined, (of_split.center - center) / scale, of_split.scale / scale)
        return Prepared(changed, of_split, self.center, nonempty, weights)

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


def _weight_of_trained(weight: Vector | None, parts: Parts) -> Vector | None:
    """The sample weights, with 0 for rows that no split trains on."""
    trained = parts.trained
    if trained.all():
        return weight
    return trained.astype(np.float64) if weight is None else np.where(trained, weight, 0.0)
