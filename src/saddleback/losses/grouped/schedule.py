"""In which order, by which thread and into which sum the rows are read."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector
from .constant import constant
from .memberships import Memberships

Indices = NDArray[np.intp]


class Shape(Protocol):
    """What a schedule must know of a table."""

    @property
    def block_rows(self) -> int:
        """Rows that stay in cache together."""

    @property
    def stage_rows(self) -> int:
        """Rows that are read at a time: all, or those of one piece of a file."""

    @property
    def row_costs(self) -> Vector | None:
        """What a row costs relative to others, where they differ."""


@dataclass(frozen=True)
class Stage:
    """Rows first, ..., last - 1 of the table; thread t takes the blocks cuts[t], ..., cuts[t + 1] - 1."""

    first_row: int
    last_row: int
    cuts: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Schedule:
    """A static plan: the same sums in the same order at every evaluation, hence the same bits.

    Rows are visited by group, so that the gradient of one group stays in cache; *blocks* of them are small enough to
    stay in cache between the margins and the gradient. The visits of one group to one block are a *run*. Each thread
    adds to *targets* of its own: the first thread that meets group j has target j, a later one an extra target. With
    groups that do not overlap, at most one group is cut between two neighboring threads.
    """

    order: Indices
    """The row at each position, counted from the first row of its stage."""
    block_starts: Indices
    run_starts: Indices
    visit_starts: Indices
    run_target: Indices
    run_is_first: NDArray[np.int8]
    """1 where the target is group j's own and has not been met before, 2 where it is an extra one, else 0."""
    slot: Indices
    """The position of a visit within its block."""
    coefficient: Vector
    stages: tuple[Stage, ...]
    n_targets: int
    extra_groups: Indices
    """The group of each target beyond the J first."""
    rows: Indices
    """The row at each position, counted from the first row of the table."""
    visit_position: Indices
    visit_group: Indices

    @cached_property
    def arrays(self) -> tuple[object, ...]:
        """As the kernel takes it."""
        largest = int(np.diff(self.block_starts).max())
        indices = self.order, self.block_starts, self.run_starts, self.visit_starts, self.run_target
        of_visits = constant(self.run_is_first), constant(self.slot), constant(self.coefficient)
        return (*map(constant, indices), *of_visits, largest)

    def __getstate__(self) -> dict[str, object]:
        # Without what is cached: a read-only array comes back from a file as one that can be written to.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def by_row(self) -> Indices:
        """The positions in the order in which their rows lie in memory."""
        return np.argsort(self.rows, kind="stable") if (np.diff(self.order) < 0).any() else np.arange(self.order.size)

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
        """Targets as groups, in place: the extra ones are added in the order of the threads."""
        n_groups = self.n_targets - self.extra_groups.size
        for extra, group in enumerate(self.extra_groups):
            sums[group] += sums[n_groups + extra]
        return sums[:n_groups]


def make_schedule(memberships: Memberships, table: Shape, n_threads: int, *, repeat: bool = False) -> Schedule:
    """Blocks that fit in cache, within the stages of the table, shared out to the threads by their costs.

    A row has one position, or with ``repeat`` one for each group it is in.
    """
    stage = table.stage_rows
    rows, visit_position, key = _visiting_order(memberships, stage, repeat=repeat)
    block_starts = _blocks(key, table.block_rows)
    row_costs = table.row_costs
    costs = np.ones(rows.size) if row_costs is None else row_costs[rows]
    block_costs = np.add.reduceat(costs, block_starts[:-1])
    stages, thread = _share_out(rows[block_starts[:-1]] // stage, block_costs, stage, memberships.n_rows, n_threads)

    visit_block = np.searchsorted(block_starts, visit_position, side="right") - 1
    sort = np.lexsort((visit_position, memberships.groups, visit_block))
    visit_block, group = visit_block[sort], memberships.groups[sort]
    visit_starts = _changes(visit_block, group)
    run_block, run_group = visit_block[visit_starts[:-1]], group[visit_starts[:-1]]
    target, first, extra_groups = _targets(thread[run_block], run_group, memberships.n_groups)
    return Schedule(
        order=rows if stage >= memberships.n_rows else rows % stage,
        rows=rows,
        block_starts=block_starts,
        run_starts=np.searchsorted(run_block, np.arange(block_starts.size)).astype(np.intp),
        visit_starts=visit_starts,
        run_target=target,
        run_is_first=first,
        slot=visit_position[sort] - block_starts[visit_block],
        coefficient=memberships.coefficients[sort],
        stages=stages,
        n_targets=memberships.n_groups + extra_groups.size,
        extra_groups=extra_groups,
        visit_position=visit_position[sort],
        visit_group=group,
    )


def _visiting_order(memberships: Memberships, stage: int, *, repeat: bool) -> tuple[Indices, Indices, Indices]:
    """The row at each position, by stage and first group; the position of each visit; (stage, group) as one number."""
    if repeat:
        key = memberships.rows // stage * memberships.n_groups + memberships.groups
        sort = np.argsort(key, kind="stable")
        visit_position = np.empty(sort.size, dtype=np.intp)
        visit_position[sort] = np.arange(sort.size)
        return memberships.rows[sort], visit_position, key[sort]
    first_group = np.full(memberships.n_rows, memberships.n_groups, dtype=np.intp)
    np.minimum.at(first_group, memberships.rows, memberships.groups)
    used = np.flatnonzero(first_group < memberships.n_groups)
    key = used // stage * memberships.n_groups + first_group[used]
    sort = np.argsort(key, kind="stable")
    rows = used[sort]
    position = np.empty(memberships.n_rows, dtype=np.intp)
    position[rows] = np.arange(rows.size)
    return rows, position[memberships.rows], key[sort]


def _share_out(
    block_stage: Indices, block_costs: Vector, stage: int, n_rows: int, n_threads: int
) -> tuple[tuple[Stage, ...], Indices]:
    """The stages, and the thread of each block: the one in whose share of its stage the middle of the block lies."""
    stages, thread = [], np.empty(block_stage.size, dtype=np.intp)
    for number in np.unique(block_stage):
        begin, end = np.searchsorted(block_stage, [number, number + 1])
        done = np.cumsum(block_costs[begin:end])
        thread[begin:end] = (done - block_costs[begin:end] / 2) / done[-1] * n_threads
        cuts = begin + np.searchsorted(thread[begin:end], np.arange(n_threads + 1))
        first_row = int(number) * stage
        stages.append(Stage(first_row, min(first_row + stage, n_rows), tuple(int(cut) for cut in cuts)))
    return tuple(stages), thread


def _blocks(key: Indices, block: int) -> Indices:
    """Where blocks start: at each change of the key, and after every ``block`` positions."""
    starts = _changes(key)
    sizes = np.diff(starts)
    counts = -(-sizes // block)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.append(np.repeat(starts[:-1], counts) + within * block, key.size)


def _changes(*keys: Indices) -> Indices:
    """0, the positions where a key differs from the one before, and the length."""
    differs = np.zeros(keys[0].size - 1, dtype=bool)
    for key in keys:
        differs |= key[1:] != key[:-1]
    return np.concatenate(([0], np.flatnonzero(differs) + 1, [keys[0].size]))


def _targets(thread: Indices, group: Indices, n_groups: int) -> tuple[Indices, NDArray[np.int8], Indices]:
    """The target of each run, whether the run is its target's first, and the groups of the extra targets."""
    pairs, run_pair = np.unique(thread * n_groups + group, return_inverse=True)
    _, owners = np.unique(pairs % n_groups, return_index=True)
    extra = np.ones(pairs.size, dtype=bool)
    extra[owners] = False
    target_of_pair = pairs % n_groups
    target_of_pair[extra] = n_groups + np.arange(np.count_nonzero(extra))
    target = target_of_pair[run_pair]
    first = np.zeros(target.size, dtype=np.int8)
    _, meetings = np.unique(target, return_index=True)
    first[meetings] = np.where(target[meetings] < n_groups, 1, 2)
    return target, first, pairs[extra] % n_groups
