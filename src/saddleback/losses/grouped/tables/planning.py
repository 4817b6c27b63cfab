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
    stage = table.stage_rows
    rows, visit_position, key = _visiting_order(memberships, stage, repeat=repeat)
    block_starts = _blocks(key, table.block_rows)
    row_costs = table.row_costs
    costs = np.ones(rows.size) if row_costs is None else row_costs[rows]
    block_costs = np.add.reduceat(costs, block_starts[:-1])
    stages, thread = _distribute(rows[block_starts[:-1]] // stage, block_costs, stage, memberships.n_rows, n_threads)

    sort, visit_block = _by_block_and_group(visit_position, memberships.groups, block_starts)
    group = memberships.groups[sort]
    visit_starts = _changes(visit_block, group)
    run_block, run_group = visit_block[visit_starts[:-1]], group[visit_starts[:-1]]
    target, first, extra_groups = _targets(thread[run_block], run_group, memberships.n_groups)
    return ReadPlan(
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
        sort = _stable_sort(key)
        return memberships.rows[sort], _inverse(sort), key[sort]
    first_group = np.full(memberships.n_rows, memberships.n_groups, dtype=np.intp)
    np.minimum.at(first_group, memberships.rows, memberships.groups)
    used = np.flatnonzero(first_group < memberships.n_groups)
    key = used // stage * memberships.n_groups + first_group[used]
    sort = _stable_sort(key)
    rows = used[sort]
    position = np.empty(memberships.n_rows, dtype=np.intp)
    position[rows] = np.arange(rows.size)
    return rows, position[memberships.rows], key[sort]


def _by_block_and_group(visit_position: Indices, groups: Indices, block_starts: Indices) -> tuple[Indices, Indices]:
    """The visits sorted by block, group and position, and the block of each."""
    if visit_position.size == block_starts[-1]:
        # One visit per position, and positions are sorted by group.
        return _inverse(visit_position), np.repeat(np.arange(block_starts.size - 1), np.diff(block_starts))
    block = np.searchsorted(block_starts, visit_position, side="right") - 1
    sort = np.lexsort((visit_position, groups, block))
    return sort, block[sort]


def _stable_sort(key: Indices) -> Indices:
    """The order that sorts numbers >= 0. NumPy sorts numbers of 16 bits by counting, which is faster."""
    return np.argsort(key.astype(np.uint16) if key.max() < 1 << 16 else key, kind="stable")


def _inverse(permutation: Indices) -> Indices:
    inverse = np.empty(permutation.size, dtype=np.intp)
    inverse[permutation] = np.arange(permutation.size)
    return inverse


def _distribute(
    block_stage: Indices, block_costs: Vector, stage: int, n_rows: int, n_threads: int
) -> tuple[tuple[Stage, ...], Indices]:
    """The stages, and the thread of each block: the one whose share of the stage's costs contains its middle."""
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
    _, first_runs = np.unique(target, return_index=True)
    first[first_runs] = np.where(target[first_runs] < n_groups, 1, 2)
    return target, first, pairs[extra] % n_groups
