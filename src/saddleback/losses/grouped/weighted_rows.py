"""Weighted sums over rows: which rows, with which weights, and these rows in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._types import Indices, Vector
from .reader import Reader
from .tables.read_plan import ReadPlan
from .tables.sparse_blocks import SparseBlocks
from .tables.sparse_table import SparseTable

DENSE_SHARE = 0.05
"""Share of stored entries below which a product of sparse matrices is faster than BLAS on zeros."""


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """The rows of one sum: their positions, stage by stage, and their weights, none of which is 0."""

    positions: Indices
    weight: Vector

    @classmethod
    def of_weights(cls, plan: ReadPlan, weight: Vector) -> WeightedRows:
        """From the weights of all positions, in the order of memory: consecutive rows need no copy."""
        positions = plan.by_row[weight[plan.by_row] != 0.0]
        return cls(positions, weight[positions])

    @classmethod
    def of_losses(cls, plan: ReadPlan, lam: Vector) -> WeightedRows:
        """The rows of <lam, f>."""
        of_visits = lam[plan.visit_group] * plan.coefficient
        weight = np.bincount(plan.visit_position, of_visits, plan.rows.size)
        return cls.of_weights(plan, weight.astype(np.float64, copy=False))

    @classmethod
    def of_loss(cls, plan: ReadPlan, group: int) -> WeightedRows:
        """The rows of one group."""
        visits = plan.visits_of(group)
        return cls(plan.visit_position[visits], plan.coefficient[visits])

    def between(self, begin: int, end: int) -> WeightedRows:
        """The rows at positions from ``begin`` to ``end``."""
        inside = (self.positions >= begin) & (self.positions < end)
        return self if inside.all() else WeightedRows(self.positions[inside], self.weight[inside])


class Block(NamedTuple):
    """Some rows of a sum."""

    number: int
    """Of the sum."""
    A: Any
    """Dense in float64, not to be written to, or a sparse matrix."""
    positions: Indices
    weight: Vector


def rows_in_blocks(reader: Reader, sums: Sequence[WeightedRows], block: int) -> Iterator[Block]:
    """The rows of the sums, one sum after the other within each stage; a stage is opened once."""
    table, plan = reader.table, reader.plan
    few = table.n_entries < DENSE_SHARE * table.shape[0] * table.shape[1]
    sparse = table if few and isinstance(table, SparseTable | SparseBlocks) else None
    for stage in plan.stages:
        positions = plan.positions_of(stage)
        of_stage = [rows.between(positions.start, positions.stop) for rows in sums]
        if not any(rows.positions.size for rows in of_stage):
            continue
        X = table.open(stage)
        for number, rows in enumerate(of_stage):
            step = block if sparse is None else max(1, rows.positions.size)
            for first in range(0, rows.positions.size, step):
                part = slice(first, first + step)
                order = plan.order[rows.positions[part]]
                A = table.dense(X, order) if sparse is None else sparse.some_rows(order)
                yield Block(number, A, rows.positions[part], rows.weight[part])
        table.close(stage)
