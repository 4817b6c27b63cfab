"""Passes over X: the kernel on the blocks of the read plan, in threads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..._types import Matrix, Vector
from .kernels import load
from .kernels.arguments import HALF_SQUARE, NO_OFFSET, read_only
from .memberships import Memberships
from .own_loss import OwnLoss
from .pointwise_loss import PointwiseLoss
from .tables.dense_source import DenseSource
from .tables.mapped_table import MappedTable
from .tables.planning import make_read_plan
from .tables.read_plan import ReadPlan
from .tables.sources import Source, Table
from .tables.sparse_blocks import InBlocks, SparseBlocks, blocks_pay
from .tables.sparse_source import SparseSource
from .tables.streamed_table import StreamedTable
from .tables.threads import SPARSE_ENTRY_COST, run_all, worthwhile_threads

NARROW_COLUMNS = 128
"""Columns up to which a dense table is copied, sorted by group and in Fortran order."""

COPIES_PER_ROW = 3
"""Groups per row, on average, up to which a narrow table is copied, each row once for each of its groups."""

LARGEST_COPY = 1 << 27
"""Entries of such a copy: 1 GB in float64. Larger tables are read in place, at about half the speed."""

ROWS_PER_CALL = 1 << 16
"""Rows of one call of a loss in Python: the overhead of a call is negligible, and the rows stay in cache."""

NO_OPTIONS = (0.0, 0.0)

GroupBlocks = tuple[int, int, int]
"""A group, and the first and the last of a range of blocks of its rows."""


@dataclass(frozen=True, eq=False)
class Reader:
    """A table, its responses and its offset, in the order of a read plan."""

    table: Table
    plan: ReadPlan
    y: Vector
    offset: Matrix | None
    """Added to the margins: one row per output, one column per position."""
    memberships: Memberships

    @classmethod
    def of(
        cls,
        matrix: Source,
        memberships: Memberships,
        y: Vector,
        offset: Matrix | None,
        n_outputs: int,
        n_threads: int | None,
        *,
        many_passes: bool = False,
    ) -> Reader:
        """``offset`` has one row per row of the matrix, and one column per output.

        With ``many_passes`` a large sparse table is arranged at a cost of some evaluations, by which each gains.
        """
        copy = memberships.rows.size * matrix.shape[1]
        narrow = (
            isinstance(matrix, DenseSource)
            and matrix.shape[1] <= NARROW_COLUMNS
            and copy <= min(COPIES_PER_ROW * matrix.n_entries, LARGEST_COPY)
        )
        if n_threads is None:
            cost = SPARSE_ENTRY_COST if isinstance(matrix, SparseSource) else 1
            n_threads = worthwhile_threads(cost * n_outputs * matrix.n_entries, memberships.rows.size)
        blocked: Source | InBlocks = matrix
        if many_passes and isinstance(matrix, SparseSource) and blocks_pay(matrix, memberships):
            blocked = InBlocks(matrix)
        plan = make_read_plan(memberships, blocked, n_threads, repeat=narrow)
        y = y[plan.rows]
        if offset is not None:
            offset = np.ascontiguousarray(offset[plan.rows].T)
        if isinstance(matrix, MappedTable | StreamedTable):
            return cls(matrix, plan, y, offset, memberships)
        if isinstance(matrix, DenseSource) and not narrow:
            return cls(matrix.by_rows(), plan, y, offset, memberships)
        table: Table
        if isinstance(blocked, InBlocks):
            table = SparseBlocks.of(blocked.source, plan, n_threads)
        elif isinstance(matrix, SparseSource):
            table = matrix.arranged(plan.rows)
        else:
            table = matrix.by_columns(plan.rows)
        # The rows of the table are now in the order of the plan, and are numbered by their positions.
        plan = replace(plan, order=np.arange(y.size))
        return cls(table, plan, y, offset, plan.memberships(memberships))

    def counting(self, times: Vector) -> Reader:
        """The same table where the row at position i counts times[i] times; a group of which none counts is 0."""
        plan, members = self.plan, self.memberships
        coefficient = plan.coefficient * times[plan.visit_position]
        totals = np.bincount(plan.visit_group, coefficient, members.n_groups)
        divisors = np.where(totals > 0.0, totals, 1.0)
        counted = replace(plan, coefficient=coefficient / divisors[plan.visit_group])
        # Its pairs are numbered by the rows of the table, or by their positions.
        of_rows = np.zeros(members.n_rows)
        of_rows[plan.visit_position if members.rows is plan.visit_position else plan.rows[plan.visit_position]] = times[
            plan.visit_position
        ]
        return replace(
            self,
            plan=counted,
            memberships=replace(
                members,
                coefficients=members.coefficients * of_rows[members.rows] / divisors[members.groups],
                sizes=np.bincount(members.groups, of_rows[members.rows] > 0.0, members.n_groups).astype(np.intp),
                weights=members.weights * totals,
            ),
        )

    def evaluate(self, W: Matrix, intercepts: Vector, l2: float, loss: PointwiseLoss) -> tuple[Vector, Matrix]:
        """The losses without the penalty, and the gradients with it."""
        f = np.zeros(self.plan.n_targets)
        G = np.empty((self.plan.n_targets, W.size + intercepts.size))
        self._read(W, intercepts, l2, loss, True, f, G)
        return self.plan.reduced(f), self.plan.reduced(G)

    def values(self, W: Matrix, intercepts: Vector, loss: PointwiseLoss) -> Vector:
        """The losses without the penalty."""
        f = np.zeros(self.plan.n_targets)
        self._read(W, intercepts, 0.0, loss, False, f, np.empty((1, 1)))
        return self.plan.reduced(f)

    def gram(self, V: Matrix) -> Matrix:
        """Row j is sum_i m_ij x_i (x_i'v_j) / sum_i m_ij; x_i ends with a 1 where v_j has an entry for an intercept."""
        kernel = load("blocks", "evaluation")(HALF_SQUARE)
        plan, shares = self._by_group
        d = self.table.shape[1]
        y = read_only(np.empty(plan.rows.size))
        V = read_only(V)
        f = np.zeros(plan.n_targets)
        G = np.empty((plan.n_targets, V.shape[1]))

        def read(X: Any, share: list[GroupBlocks]) -> None:
            for group, begin, end in share:
                v = V[group]
                kernel(X, v[None, :d], v[d:], 0.0, NO_OPTIONS, 0, plan.arrays, y, NO_OFFSET, begin, end, True, f, G)

        for stage, of_threads in zip(plan.stages, shares, strict=True):
            X = self.table.open(stage)
            run_all([partial(read, X, share) for share in of_threads])
            self.table.close(stage)
        return plan.reduced(G)

    def _read(
        self, W: Matrix, intercepts: Vector, l2: float, loss: PointwiseLoss, gradient: bool, f: Vector, G: Matrix
    ) -> None:
        if loss.kernel is None:
            self._read_in_halves(W, intercepts, l2, loss, gradient, f, G)
            return
        kernel, plan, y, offset = (
            load("blocks", "evaluation")(loss.kernel),
            self.plan.arrays,
            read_only(self.y),
            self._offset,
        )
        arguments = loss.options, loss.address if isinstance(loss, OwnLoss) else 0
        for stage in self.plan.stages:
            X = self.table.open(stage)
            run_all(
                [
                    partial(kernel, X, W, intercepts, l2, *arguments, plan, y, offset, *blocks, gradient, f, G)
                    for blocks in pairwise(stage.cuts)
                ]
            )
            self.table.close(stage)

    def _read_in_halves(
        self, W: Matrix, intercepts: Vector, l2: float, loss: PointwiseLoss, gradient: bool, f: Vector, G: Matrix
    ) -> None:
        """The same for a loss in Python, called from this thread only: X is read for the margins and for the sums."""
        margins_of_blocks, add_blocks = load("blocks", "margins_of_blocks"), load("blocks", "add_blocks")
        plan, n, offset = self.plan.arrays, self.y.size, self._offset
        eta, value, slope = np.empty(n), np.empty(n), np.empty(n)
        for stage in self.plan.stages:
            X = self.table.open(stage)
            shares = list(pairwise(stage.cuts))
            run_all([partial(margins_of_blocks, X, W, intercepts, plan, offset, *blocks, eta) for blocks in shares])
            positions = self.plan.positions_of(stage)
            for first in range(positions.start, positions.stop, ROWS_PER_CALL):
                part = slice(first, min(first + ROWS_PER_CALL, positions.stop))
                value[part], slope[part] = loss.value_and_slope(eta[part], self.y[part])
            run_all(
                [
                    partial(add_blocks, X, W, intercepts, l2, plan, value, slope, *blocks, gradient, f, G)
                    for blocks in shares
                ]
            )
            self.table.close(stage)

    @property
    def _offset(self) -> Matrix:
        """The offset as the kernel's argument."""
        return NO_OFFSET if self.offset is None else read_only(self.offset)

    @cached_property
    def _by_group(self) -> tuple[ReadPlan, list[list[list[GroupBlocks]]]]:
        """A plan whose blocks have one group each, and for each stage and thread the ranges of blocks of one group."""
        plan = self.plan
        if plan.run_target.size > plan.block_starts.size - 1:
            n_threads = len(plan.stages[0].cuts) - 1
            plan = make_read_plan(self.memberships, self.table, n_threads, repeat=True)
        group = plan.visit_group[plan.visit_starts[:-1]]
        shares = [
            [
                [
                    (int(group[begin + a]), begin + int(a), begin + int(b))
                    for a, b in pairwise(np.flatnonzero(np.diff(group[begin:end], prepend=-1, append=-1)))
                ]
                for begin, end in pairwise(stage.cuts)
            ]
            for stage in plan.stages
        ]
        return plan, shares
