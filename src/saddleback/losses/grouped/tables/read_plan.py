"""Read plans: the order in which rows are read, by which thread, and the sums to which each row is added."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices, Vector
from ..kernels.arguments import read_only
from ..memberships import Memberships


@dataclass(frozen=True)
class Stage:
    """Rows first, ..., last - 1 of the table; thread t takes the blocks cuts[t], ..., cuts[t + 1] - 1."""

    first_row: int
    last_row: int
    cuts: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ReadPlan:
    """The same sums in the same order at every evaluation, so that results are equal to the last bit.

    Rows are read by group, so that the gradient of one group stays in cache. *Blocks* of rows are small enough to stay
    in cache from the margins to the gradient. A *visit* is a pair (row, group), and the visits of one group within one
    block are a *run*. Each thread adds to *targets* of its own: target j belongs to the first thread that has rows of
    group j, a later thread has an extra target. With groups that do not overlap, neighboring threads share at most one
    group.
    """

    order: Indices
    """The row at each position, counted from the first row of its stage."""
    block_starts: Indices
    run_starts: Indices
    visit_starts: Indices
    run_target: Indices
    run_is_first: NDArray[np.int8]
    """1 for the first run of target j < J, 2 for the first run of an extra target, 0 for later runs."""
    slot: Indices
    """The position of a visit within its block."""
    coefficient: Vector
    stages: tuple[Stage, ...]
    n_targets: int
    extra_groups: Indices
    """The group of each target beyond the first J."""
    rows: Indices
    """The row at each position, counted from the first row of the table."""
    visit_position: Indices
    visit_group: Indices

    @cached_property
    def arrays(self) -> tuple[object, ...]:
        """The plan as the kernel's argument."""
        largest = int(np.diff(self.block_starts).max())
        indices = self.order, self.block_starts, self.run_starts, self.visit_starts, self.run_target
        of_visits = read_only(self.run_is_first), read_only(self.slot), read_only(self.coefficient)
        return (*map(read_only, indices), *of_visits, largest)

    def __getstate__(self) -> dict[str, object]:
        # Without cached values: a read-only array is writable after pickling, and Numba would compile again for it.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def by_row(self) -> Indices:
        """The positions in the order of their rows in memory."""
        return np.argsort(self.rows, kind="stable") if (np.diff(self.order) < 0).any() else np.arange(self.order.size)

    def visits_of(self, group: int) -> Indices:
        """The visits of one group, in the order of the plan."""
        order, starts = self._by_group
        return order[starts[group] : starts[group + 1]]

    @cached_property
    def _by_group(self) -> tuple[Indices, Indices]:
        """The visits sorted by group, and where each group starts."""
        n_groups = self.n_targets - self.extra_groups.size
        starts = np.concatenate(([0], np.cumsum(np.bincount(self.visit_group, minlength=n_groups))))
        return np.argsort(self.visit_group, kind="stable"), starts

    def positions_of(self, stage: Stage) -> slice:
        """The positions of the rows of a stage."""
        return slice(*self.block_starts[[stage.cuts[0], stage.cuts[-1]]].tolist())

    def memberships(self, of_rows: Memberships) -> Memberships:
        """The same memberships with rows numbered by their positions."""
        return replace(
            of_rows,
            n_rows=self.rows.size,
            rows=self.visit_position,
            groups=self.visit_group,
            coefficients=self.coefficient,
        )

    def reduced(self, sums: Vector) -> Vector:
        """The sums of the groups: extra targets are added to their groups in place, in the order of the threads."""
        n_groups = self.n_targets - self.extra_groups.size
        for extra, group in enumerate(self.extra_groups):
            sums[group] += sums[n_groups + extra]
        return sums[:n_groups]
