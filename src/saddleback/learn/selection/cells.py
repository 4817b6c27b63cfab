"""Parts of the rows that splits do not tell apart, and the losses of groups on a split as combinations of theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._types import Indices, Matrix, Vector
from ..data.folds import Split
from ..groups import Groups


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows in one part are in the training rows of the same splits, equally often."""

    of_rows: NDArray[np.intp]
    """The part of each row."""
    times: NDArray[np.intp]
    """(n_parts, n_splits): how often a row of the part is among the training rows of the split; 0 where it is not."""

    @classmethod
    def of(cls, splits: Sequence[Split], n: int) -> Parts:
        part = np.zeros(n, dtype=np.intp)
        for train, _ in splits:
            times = np.bincount(train, minlength=n)
            part = np.unique(part * (int(times.max()) + 1) + times, return_inverse=True)[1].reshape(-1)
        first = np.unique(part, return_index=True)[1]
        return cls(part, np.column_stack([np.bincount(train, minlength=n)[first] for train, _ in splits]))

    @property
    def trained(self) -> NDArray[np.bool_]:
        """Whether each row is among the training rows of a split."""
        return self.times.sum(axis=1)[self.of_rows] > 0


@dataclass(frozen=True, eq=False)
class Cells:
    """The rows of one group and one part, for all of them that have rows and are trained on."""

    parts: Parts
    groups: Indices
    """The group of each cell."""
    of_cells: Indices
    """The part of each cell."""
    labels: NDArray[np.intp] | sp.csr_array
    """The cells of the rows, as ``GroupedLinear`` takes them as groups: numbers, or memberships where groups overlap.
    Rows that no split trains on must have weight 0: their number means nothing, and they are in no cell of several."""

    @classmethod
    def of(cls, groups: Groups, parts: Parts) -> Cells:
        n_parts, trained = len(parts.times), parts.trained
        pairs = groups.numbers * n_parts + parts.of_rows[:, None]
        known = np.unique(pairs[trained])
        number = np.where(trained[:, None], np.searchsorted(known, pairs), 0)
        labels: NDArray[np.intp] | sp.csr_array = number[:, 0]
        if groups.overlap:
            n, k = pairs.shape
            place = np.repeat(np.arange(n), k), number.ravel()
            labels = sp.csr_array((np.repeat(trained.astype(np.float64), k), place), shape=(n, known.size))
            labels.eliminate_zeros()
        return cls(parts, known // n_parts, known % n_parts, labels)

    def combinations(self, split: int, weights: Vector, nonempty: Indices) -> tuple[Matrix, Vector]:
        """M with f_split = M f_cells for the groups in ``nonempty``, from the cells' weights; and the groups' weights.

        The loss of a group is the mean of those of its cells, with the weights of their rows as often as they occur.
        """
        counted = self.parts.times[self.of_cells, split] * weights
        M = np.where(self.groups == nonempty[:, None], counted, 0.0)
        # Divided by the largest first, so that no sum of weights overflows.
        largest = M.max(axis=1)
        M /= largest[:, None]
        totals = M.sum(axis=1)
        return M / totals[:, None], totals * largest
