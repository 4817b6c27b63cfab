"""One read of X: the kernel on the blocks of the schedule, side by side in threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..._types import Matrix, Vector
from .constant import constant
from .dense_source import DenseSource
from .kernels.ids import HALF_SQUARE
from .mapped_table import MappedTable
from .memberships import Memberships
from .own_loss import AT_A_TIME, OwnLoss
from .pointwise import PointwiseLoss
from .schedule import Schedule, make_schedule
from .sparse_source import SparseSource
from .tables import Source, Table
from .threads import SPARSE, run_all, worthwhile_threads

NARROW = 128
"""Columns up to which a table is copied: sorted by group, and column by column."""

MOST_COPIES = 3
"""Groups per row, on average, up to which a narrow table is copied, each row once for each of its groups."""

LARGEST_COPY = 1 << 27
"""Entries of such a copy: 1 GB in float64. Larger tables are read where they lie, at about half the speed."""


@dataclass(frozen=True, eq=False)
class Reader:
    """A table and its responses, in the order of a schedule."""

    table: Table
    schedule: Schedule
    y: Vector
    memberships: Memberships

    @classmethod
    def of(cls, matrix: Source, memberships: Memberships, y: Vector, n_outputs: int, n_threads: int | None) -> Reader:
        copy = memberships.rows.size * matrix.shape[1]
        narrow = (
            isinstance(matrix, DenseSource)
            and matrix.shape[1] <= NARROW
            and copy <= min(MOST_COPIES * matrix.n_entries, LARGEST_COPY)
        )
        if n_threads is None:
            cost = SPARSE if isinstance(matrix, SparseSource) else 1
            n_threads = worthwhile_threads(cost * n_outputs * matrix.n_entries, memberships.rows.size)
        schedule = make_schedule(memberships, matrix, n_threads, repeat=narrow)
        y = y[schedule.rows]
        if isinstance(matrix, MappedTable):
            return cls(matrix, schedule, y, memberships)
        if isinstance(matrix, DenseSource) and not narrow:
            return cls(matrix.by_rows(), schedule, y, memberships)
        table = matrix.arranged(schedule.rows) if isinstance(matrix, SparseSource) else matrix.by_columns(schedule.rows)
        # The rows now stand in the order of the schedule, and are numbered anew.
        schedule = replace(schedule, order=np.arange(y.size))
        return cls(table, schedule, y, schedule.memberships(memberships))

    def evaluate(self, W: Matrix, intercepts: Vector, l2: float, loss: PointwiseLoss) -> tuple[Vector, Matrix]:
        """The losses without their penalty, and the gradients with it."""
        f = np.zeros(self.schedule.n_targets)
        G = np.empty((self.schedule.n_targets, W.size + intercepts.size))
        self._read(W, intercepts, l2, loss, True, f, G)
        return self.schedule.reduced(f), self.schedule.reduced(G)

    def values(self, W: Matrix, intercepts: Vector, loss: PointwiseLoss) -> Vector:
        """The losses without their penalty."""
        f = np.zeros(self.schedule.n_targets)
        self._read(W, intercepts, 0.0, loss, False, f, np.empty((1, 1)))
        return self.schedule.reduced(f)

    def gram(self, V: Matrix) -> Matrix:
        """Row j is sum_i m_ij x_i (x_i'v_j) / sum_i m_ij, with a 1 appended to x_i where v_j is that much longer."""
        kernel = _kernel()
        schedule, pieces = self._by_group
        d = self.table.shape[1]
        y = constant(np.empty(schedule.rows.size))
        V = constant(V)
        f = np.zeros(schedule.n_targets)
        G = np.empty((schedule.n_targets, V.shape[1]))

        def read(X: Any, pieces: list[tuple[int, int, int]]) -> None:
            for group, begin, end in pieces:
                v = V[group]
                kernel(
                    *(X, v[None, :d], v[d:], 0.0, HALF_SQUARE, (0.0, 0.0), schedule.arrays, y, begin, end, True, f, G)
                )

        for stage, of_threads in zip(schedule.stages, pieces, strict=True):
            X = self.table.open(stage)
            run_all([partial(read, X, of_thread) for of_thread in of_threads])
            self.table.close(stage)
        return schedule.reduced(G)

    def _read(
        self, W: Matrix, intercepts: Vector, l2: float, loss: PointwiseLoss, gradient: bool, f: Vector, G: Matrix
    ) -> None:
        if isinstance(loss, OwnLoss):
            self._read_in_halves(W, intercepts, l2, loss, gradient, f, G)
            return
        kernel, plan, y = _kernel(), self.schedule.arrays, constant(self.y)
        for stage in self.schedule.stages:
            X = self.table.open(stage)
            run_all(
                [
                    partial(kernel, X, W, intercepts, l2, loss.kernel, loss.options, plan, y, *blocks, gradient, f, G)
                    for blocks in pairwise(stage.cuts)
                ]
            )
            self.table.close(stage)

    def _read_in_halves(
        self, W: Matrix, intercepts: Vector, l2: float, loss: OwnLoss, gradient: bool, f: Vector, G: Matrix
    ) -> None:
        """The same with a loss in Python, which is called by this thread only: X is read twice, once per half."""
        margins_of_blocks, add_blocks = _halves()
        plan, n = self.schedule.arrays, self.y.size
        eta, value, slope = np.empty(n), np.empty(n), np.empty(n)
        for stage in self.schedule.stages:
            X = self.table.open(stage)
            shares = list(pairwise(stage.cuts))
            run_all([partial(margins_of_blocks, X, W, intercepts, plan, *blocks, eta) for blocks in shares])
            begin, end = self.schedule.block_starts[[stage.cuts[0], stage.cuts[-1]]]
            for first in range(begin, end, AT_A_TIME):
                part = slice(first, min(first + AT_A_TIME, end))
                value[part], slope[part] = loss.value_and_slope(eta[part], self.y[part])
            run_all(
                [
                    partial(add_blocks, X, W, intercepts, l2, plan, value, slope, *blocks, gradient, f, G)
                    for blocks in shares
                ]
            )
            self.table.close(stage)

    @cached_property
    def _by_group(self) -> tuple[Schedule, list[list[list[tuple[int, int, int]]]]]:
        """A schedule whose blocks have one group each; per stage and thread its pieces (group, first block, last)."""
        schedule = self.schedule
        if schedule.run_target.size > schedule.block_starts.size - 1:
            n_threads = len(schedule.stages[0].cuts) - 1
            schedule = make_schedule(self.memberships, self.table, n_threads, repeat=True)
        group = schedule.visit_group[schedule.visit_starts[:-1]]
        pieces = [
            [
                [
                    (int(group[begin + a]), begin + int(a), begin + int(b))
                    for a, b in pairwise(np.flatnonzero(np.diff(group[begin:end], prepend=-1, append=-1)))
                ]
                for begin, end in pairwise(stage.cuts)
            ]
            for stage in schedule.stages
        ]
        return schedule, pieces


@cache
def _kernel() -> Callable[..., None]:
    """Numba is imported, and compiles, when the kernel is first needed."""
    from .kernels.blocks import evaluate_blocks

    return evaluate_blocks


@cache
def _halves() -> tuple[Callable[..., None], Callable[..., None]]:
    from .kernels.blocks import add_blocks, margins_of_blocks

    return margins_of_blocks, add_blocks
