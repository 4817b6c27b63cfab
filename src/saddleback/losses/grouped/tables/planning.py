"""Making a read plan: rows sorted by group, cut into blocks, blocks distributed to threads."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices, Vector
from ..memberships import Memberships
from .read_plan import ReadPlan, Stage


class Blocked(Protocol):
    """A table or the source of one: the sizes of its blocks and stages, and the costs of its rows."""

    @property
    def block_rows(self) -> int:
        """Rows that stay in cache together."""

    @property
    def stage_rows(self) -> int:
        """Rows that are in memory at a time: all, or those of one piece of a file."""

    @property
    def row_costs(self) -> Vector | None:
        """Relative costs of the rows; None where all are equal."""


def make_read_plan(memberships: Memberships, table: Blocked, n_threads: int, *, repeat: bool = False) -> ReadPlan:
    """Blocks that fit in cache, each within one stage of the table, distributed to the threads by their costs.

    A row has one position, or with ``repeat`` one for each of its groups.
    """
    stage, n_groups = table.stage_rows, memberships.n_groups
    alone = repeat or _one_group_each(memberships)
    if alone:
        # One visit per position, in the same order.
        sort, key = _sorted(_by_stage(memberships.rows, memberships.groups, stage, memberships))
        rows = memberships.rows[sort]
        position = np.arange(rows.size)
    else:
        rows, position, key = _visiting_order(memberships, stage)
    block_starts = _blocks(key, table.block_rows)
    stages, thread = _distribute(rows, block_starts, table, memberships.n_rows, n_threads)
    if alone:
        visit_block = np.repeat(np.arange(block_starts.size - 1), np.diff(block_starts))
        group = memberships.groups[sort]
        # A block has rows of one group.
        visit_starts, run_block = block_starts, np.arange(block_starts.size - 1)
    else:
        sort, visit_block = _by_block_and_group(position, memberships.groups, block_starts)
        position, group = position[sort], memberships.groups[sort]
        visit_starts = _changes(visit_block, group)
        run_block = visit_block[visit_starts[:-1]]
    target, first, extra_groups = _targets(thread[run_block], group[visit_starts[:-1]], n_groups, n_threads)
    return ReadPlan(
        order=rows if stage >= memberships.n_rows else rows % stage,
        rows=rows,
        block_starts=block_starts,
        run_starts=np.searchsorted(run_block, np.arange(block_starts.size)).astype(np.intp),
        visit_starts=visit_starts,
        run_target=target,
        run_is_first=first,
        slot=position - block_starts[visit_block],
        coefficient=memberships.coefficients[sort],
        stages=stages,
        n_targets=n_groups + extra_groups.size,
        extra_groups=extra_groups,
        visit_position=position,
        visit_group=group,
    )


def _one_group_each(memberships: Memberships) -> bool:
    """Whether the rows of the memberships are sorted and none has several groups, as where groups are labels."""
    rows = memberships.rows
    return bool((rows[1:] > rows[:-1]).all())


def _by_stage(rows: Indices, groups: Indices, stage: int, memberships: Memberships) -> Indices:
    """(stage, group) as one number."""
    return groups if stage >= memberships.n_rows else rows // stage * memberships.n_groups + groups


def _visiting_order(memberships: Memberships, stage: int) -> tuple[Indices, Indices, Indices]:
    """The row at each position, by stage and first group; the position of each visit; (stage, group) as one number."""
    first_group = np.full(memberships.n_rows, memberships.n_groups, dtype=np.intp)
    np.minimum.at(first_group, memberships.rows, memberships.groups)
    used = np.flatnonzero(first_group < memberships.n_groups)
    sort, key = _sorted(_by_stage(used, first_group[used], stage, memberships))
    rows = used[sort]
    position = np.empty(memberships.n_rows, dtype=np.intp)
    position[rows] = np.arange(rows.size)
    return rows, position[memberships.rows], key


def _by_block_and_group(visit_position: Indices, groups: Indices, block_starts: Indices) -> tuple[Indices, Indices]:
    """The visits sorted by block, group and position, and the block of each."""
    block = np.searchsorted(block_starts, visit_position, side="right") - 1
    sort = np.lexsort((visit_position, groups, block))
    return sort, block[sort]


def _sorted(key: Indices) -> tuple[Indices | slice, Indices]:
    """The order that sorts numbers >= 0, a slice where they are sorted, and the sorted numbers."""
    if (key[1:] >= key[:-1]).all():
        return slice(None), key
    sort = _stable_sort(key)
    return sort, key[sort]


def _stable_sort(key: Indices) -> Indices:
    """The order that sorts numbers >= 0. NumPy sorts numbers of 16 bits by counting, which is faster."""
    return np.argsort(key.astype(np.uint16) if key.max() < 1 << 16 else key, kind="stable")


def _distribute(
    rows: Indices, block_starts: Indices, table: Blocked, n_rows: int, n_threads: int
) -> tuple[tuple[Stage, ...], Indices]:
    """The stages, and the thread of each block: the one whose share of the stage's costs contains its middle."""
    row_costs, stage_rows = table.row_costs, table.stage_rows
    block_costs = np.diff(block_starts) if row_costs is None else np.add.reduceat(row_costs[rows], block_starts[:-1])
    block_stage = rows[block_starts[:-1]] // stage_rows
    stages, thread = [], np.zeros(block_stage.size, dtype=np.intp)
    for number in np.unique(block_stage).tolist():
        begin, end = np.searchsorted(block_stage, [number, number + 1])
        done = np.cumsum(block_costs[begin:end])
        thread[begin:end] = (done - block_costs[begin:end] / 2) / done[-1] * n_threads
        cuts = begin + np.searchsorted(thread[begin:end], np.arange(n_threads + 1))
        first_row = number * stage_rows
        stages.append(Stage(first_row, min(first_row + stage_rows, n_rows), tuple(cuts.tolist())))
    return tuple(stages), thread


def _blocks(key: Indices, block: int) -> Indices:
    """Where blocks start: at each change of the key, and after every ``block`` positions."""
    starts = _changes(key)
    lengths = np.diff(starts)
    counts = -(-lengths // block)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.append(np.repeat(starts[:-1], counts) + within * block, key.size)


def _changes(*keys: Indices) -> Indices:
    """0, the positions where a key differs from the one before, and the length."""
    differs = np.zeros(keys[0].size - 1, dtype=bool)
    for key in keys:
        differs |= key[1:] != key[:-1]
    return np.concatenate(([0], np.flatnonzero(differs) + 1, [keys[0].size]))


def _targets(
    thread: Indices, group: Indices, n_groups: int, n_threads: int
) -> tuple[Indices, NDArray[np.int8], Indices]:
    """The target of each run, whether the run is its target's first, and the groups of the extra targets."""
    target, extra_groups = group, np.empty(0, dtype=np.intp)
    if n_threads > 1:
        pairs, run_pair = np.unique(thread * n_groups + group, return_inverse=True)
        _, owners = np.unique(pairs % n_groups, return_index=True)
        extra = np.ones(pairs.size, dtype=bool)
        extra[owners] = False
        target_of_pair = pairs % n_groups
        target_of_pair[extra] = n_groups + np.arange(np.count_nonzero(extra))
        target = target_of_pair[run_pair]
        extra_groups = pairs[extra] % n_groups
    first = np.zeros(target.size, dtype=np.int8)
    _, first_runs = np.unique(target, return_index=True)
    first[first_runs] = np.where(target[first_runs] < n_groups, 1, 2)
    return target, first, extra_groups
