"""The rows of one partition in the layout of the kernels; they stay where they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices, Vector
from ..column_reader import ColumnReader
from ..group_reader import GroupReader
from ..memberships import Memberships
from ..pointwise_loss import PointwiseLoss
from ..reader import Reader
from ..tables.layout import Layout
from .preparing import Prepared
from .sizes import bytes_of
from .weighing import Coefficients


@dataclass(frozen=True, eq=False)
class Resident:
    """A reader of the groups that have rows here, with the coefficients of all partitions together."""

    reader: GroupReader
    groups: Indices
    """Their numbers among all groups."""
    n_groups: int

    def __sizeof__(self) -> int:
        return bytes_of(self)

    def spread(self, of_own: NDArray[Any], axis: int = 0) -> Vector:
        """An array with an entry for every group, zeros for those without rows here."""
        if self.groups.size == self.n_groups:
            return of_own
        shape = list(of_own.shape)
        shape[axis] = self.n_groups
        spread = np.zeros(shape)
        spread[(slice(None),) * axis + (self.groups,)] = of_own
        return spread


@dataclass(frozen=True, eq=False)
class Arrange:
    """Make a resident of a partition; None where no row is in a group."""

    coefficients: Coefficients
    names: list[Any]
    loss: PointwiseLoss
    layout: Layout

    def __call__(self, part: Prepared | None) -> Resident | None:
        if part is None:
            return None
        kept = part.weight > 0.0
        groups, weight = part.groups[kept], part.weight[kept]
        present = np.unique(groups)
        if not present.size:
            return None
        of = self.coefficients
        members = Memberships(
            n_rows=part.n_rows,
            names=[self.names[j] for j in present],
            rows=part.rows[kept],
            groups=np.searchsorted(present, groups).astype(np.intp),
            coefficients=of.of(groups, weight),
            sizes=np.bincount(groups, minlength=of.sizes.size)[present],
            weights=of.weights[present],
        )
        y, offset = self.loss.absorb(part.y, part.offset)
        # One thread: partitions are read side by side, and the number of threads is part of the bits.
        reader = Reader.of(part.source, members, y, offset, self.layout.n_outputs, 1, many_passes=True)
        kind = ColumnReader if ColumnReader.suits(reader, self.loss) else GroupReader
        return Resident(kind(reader, self.loss, self.layout, 1), present, len(self.names))
