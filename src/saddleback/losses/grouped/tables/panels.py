"""Panels: the rows of a read plan that are multiplied with several parameter vectors while they are in cache."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices, Vector
from ..kernels.arguments import read_only
from .read_plan import ReadPlan

WIDEST = 16
"""Lanes of a panel that are multiplied at a time: two registers of AVX-512 for each of eight sums."""

PANEL_BYTES = 1 << 18
"""Bytes of a panel of a dense table and of its margins, values and slopes in all lanes."""

MOST_ROWS = 512
FEWEST_ROWS = 16
"""Rows of a panel, whatever they take: the parameters and gradients of all lanes are read once for each panel."""


@dataclass(frozen=True, eq=False)
class Panels:
    """A read plan in panels, whose rows belong to one thread and one stage: blocks, or parts of several blocks.

    Where every row is in one group, the visits of a panel are its positions, and a panel has one run.
    """

    plan: ReadPlan
    starts: Indices
    """The first position of each panel, and the end."""
    run_starts: Indices
    visit_starts: Indices
    run_target: Indices
    alone: bool

    @classmethod
    def of_blocks(cls, plan: ReadPlan) -> Panels:
        """The blocks themselves."""
        return cls(plan, plan.block_starts, plan.run_starts, plan.visit_starts, plan.run_target, visits_alone(plan))

    @classmethod
    def of_rows(cls, plan: ReadPlan, rows: int) -> Panels:
        """At most so many rows of one target, thread and stage; the plan's blocks where groups overlap."""
        if not visits_alone(plan):
            return cls.of_blocks(plan)
        cuts = np.unique([cut for stage in plan.stages for cut in stage.cuts])
        changes = np.flatnonzero(np.diff(plan.run_target)) + 1
        blocks = np.union1d(cuts, changes)
        bounds = plan.block_starts[blocks]
        lengths = np.diff(bounds)
        counts = -(-lengths // rows)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        starts = np.append(np.repeat(bounds[:-1], counts) + within * rows, bounds[-1])
        targets = np.repeat(plan.run_target[blocks[:-1]], counts)
        return cls(plan, starts, np.arange(starts.size), starts, targets, True)

    @cached_property
    def largest(self) -> int:
        """The most rows of a panel, filled up to a multiple of eight."""
        return -(-int(np.diff(self.starts).max()) // 8) * 8

    @cached_property
    def shares(self) -> list[list[tuple[int, int]]]:
        """For each stage the first and the last panel of each thread."""
        positions = self.plan.block_starts
        return [
            list(pairwise(np.searchsorted(self.starts, positions[list(stage.cuts)]).tolist()))
            for stage in self.plan.stages
        ]

    def rows_of(self, first: int, last: int) -> Iterator[tuple[slice, slice]]:
        """The positions of some panels, and their places where every panel is filled up to a multiple of eight."""
        begin = 0
        for start, end in pairwise(self.starts[first : last + 1].tolist()):
            yield slice(start, end), slice(begin, begin + end - start)
            begin += -(-(end - start) // 8) * 8

    def arguments(self, n_columns: int) -> tuple[NDArray[np.intp] | NDArray[np.uintp] | Vector, ...]:
        """The panels as the kernels' argument."""
        identity = np.arange(max(self.largest, n_columns), dtype=np.uintp)
        slot = np.empty(0, dtype=np.uintp) if self.alone else self.plan.slot.astype(np.uintp)
        places = self.starts, self.run_starts, self.visit_starts, self.run_target, self.plan.order
        return *map(read_only, places), read_only(identity), read_only(slot), read_only(self.plan.coefficient)


def visits_alone(plan: ReadPlan) -> bool:
    """Whether every row is in one group, so that blocks have one run and visits are positions."""
    n_blocks = plan.block_starts.size - 1
    return plan.run_target.size == n_blocks and plan.visit_position.size == plan.order.size


def panel_rows(bytes_per_row: float) -> int:
    """The rows of a panel: a multiple of eight."""
    return int(np.clip(PANEL_BYTES / bytes_per_row // 8 * 8, FEWEST_ROWS, MOST_ROWS))
