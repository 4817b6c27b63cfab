"""What one partition contributes to parameter scales and to a sample, once per run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...._types import Indices, Vector
from ..parameter_scales import one_per_row, root_mean_squares, unexplained
from ..sampled_hessian import SampledHessian, evenly_spaced
from .resident import Resident


@dataclass(frozen=True, eq=False)
class Stored:
    """The rows and entries that a partition has stored, and the visits of its groups."""

    n_rows: int
    n_entries: int
    groups: Indices
    visits: Indices


def stored_by(resident: Resident | None) -> Stored | None:
    """Ask a partition; it costs no pass."""
    if resident is None:
        return None
    reader = resident.reader.reader
    return Stored(reader.plan.rows.size, reader.table.n_entries, resident.groups, reader.memberships.sizes)


@dataclass(frozen=True, eq=False)
class Moments:
    """Of the rows of one partition: the root mean square of each column, and of y - offset its moments over the largest
    magnitude, so that no square overflows."""

    n_rows: int
    rms: Vector
    largest: float
    least: float
    greatest: float
    mean: float
    squares: float
    """The sum of squared distances from the mean."""

    @classmethod
    def of(cls, resident: Resident | None) -> Moments | None:
        if resident is None:
            return None
        reader = resident.reader.reader
        positions = one_per_row(reader)
        y = unexplained(reader)[positions]
        largest = float(np.abs(y).max())
        u = y / largest if largest > 0.0 else y
        rms = root_mean_squares(reader, positions)
        squares = float(((u - u.mean()) ** 2).sum())
        return cls(y.size, rms, largest, float(y.min()), float(y.max()), float(u.mean()), squares)


def merged_scale(parts: Sequence[Moments]) -> float:
    """The standard deviation of y - offset; the root mean square where these are all equal, 1 where they are zero."""
    largest = max(part.largest for part in parts)
    if largest == 0.0:
        return 1.0
    if min(part.least for part in parts) == max(part.greatest for part in parts):
        return largest
    n = sum(part.n_rows for part in parts)
    means = [part.mean * (part.largest / largest) for part in parts]
    mean = sum(part.n_rows * m for part, m in zip(parts, means, strict=True)) / n
    squares = sum(
        part.squares * (part.largest / largest) ** 2 + part.n_rows * (m - mean) ** 2
        for part, m in zip(parts, means, strict=True)
    )
    return largest * float(np.sqrt(squares / n))


def merged_rms(parts: Sequence[Moments]) -> Vector:
    """The root mean squares of the columns of all partitions."""
    largest = np.max([part.rms for part in parts], axis=0)
    # Over the largest, so that no square overflows or underflows; a column of zeros keeps its 0.
    over = np.where(largest > 0.0, largest, 1.0)
    n = sum(part.n_rows for part in parts)
    return largest * np.sqrt(sum(part.n_rows * (part.rms / over) ** 2 for part in parts) / n)


@dataclass(frozen=True, eq=False)
class Draw:
    """Some rows of one partition: of its k-th group those with the numbers chosen[k]."""

    chosen: dict[int, list[Indices]]
    """By the number of the partition."""

    def of_partition(self, number: int, resident: Resident | None) -> SampledHessian | None:
        """These rows, with the numbers of their groups among all groups."""
        if resident is None or number not in self.chosen:
            return None
        reader = resident.reader.reader
        group = reader.plan.visit_group
        visits = np.concatenate([np.flatnonzero(group == k)[of_k] for k, of_k in enumerate(self.chosen[number])])
        rows = SampledHessian.of_visits(reader, visits)
        return SampledHessian(
            rows.X, rows.y, rows.offset, rows.positions, resident.groups[rows.groups], rows.coefficients
        )


def spread_sample(stored: Sequence[Stored | None], n_groups: int, per_group: int) -> dict[int, list[Indices]]:
    """Evenly spaced rows of each group over all partitions, as of one table: which rows of which partition."""
    sizes = np.zeros((len(stored), n_groups), dtype=np.intp)
    for number, of_one in enumerate(stored):
        if of_one is not None:
            sizes[number, of_one.groups] = of_one.visits
    ends = np.cumsum(sizes, axis=0)
    picked = [evenly_spaced(int(total), per_group) for total in ends[-1]]
    chosen = {}
    for number, of_one in enumerate(stored):
        if of_one is None:
            continue
        own = []
        for j in of_one.groups:
            first, last = ends[number, j] - sizes[number, j], ends[number, j]
            begin, end = np.searchsorted(picked[j], [first, last])
            own.append(picked[j][begin:end] - first)
        if sum(map(len, own)):
            chosen[number] = own
    return chosen
