"""Passes over a narrow table in memory, for a loss with one margin per row: values, gradients and Hessians."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..._types import Indices, Matrix, Vector
from ...linalg.blas_threads import one_blas_thread
from .group_reader import GroupReader
from .hessian import check_room_for_hessian, threads_for
from .kernels import load
from .kernels.arguments import GIVEN, HESSIAN_ROWS, USER, read_only
from .own_loss import OwnLoss
from .pointwise_loss import PointwiseLoss
from .reader import ROWS_PER_CALL, Reader
from .tables.dense_table import ColumnTable
from .tables.threads import run_all

NO_GRADIENT = np.empty((0, 0))
"""The kernel's argument where only values are wanted."""

NO_OFFSET = read_only(np.empty(0))
"""The kernel's argument where nothing is added to the margins."""

BLOCK_ARRAYS = 3
"""Numbers of a row in an evaluation: its margin, value and slope."""


@dataclass(frozen=True, eq=False)
class ColumnReader(GroupReader):
    """The same of a table in columns, by kernels that are compiled for this loss and layout alone.

    Rows are sorted by group, and each is in one group: a row of several groups is stored for each of them.
    """

    @staticmethod
    def suits(reader: Reader, loss: PointwiseLoss) -> bool:
        """Whether the table is narrow and in memory, and a row has one margin."""
        return isinstance(reader.table, ColumnTable) and loss.response != "classes"

    def __getstate__(self) -> dict[str, object]:
        # Without cached values: they are views of the table, of which a copy would be stored.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def evaluate(self, w: Vector, l2: float) -> tuple[Vector, Matrix]:
        if self.loss.kernel is None:
            return super().evaluate(w, l2)
        plan = self.reader.plan
        f, G = np.zeros(plan.n_targets), np.empty((plan.n_targets, w.size))
        self._read(w, l2, f, G)
        return plan.reduced(f), plan.reduced(G)

    def values(self, w: Vector) -> Vector:
        if self.loss.kernel is None:
            return super().values(w)
        f = np.zeros(self.reader.plan.n_targets)
        self._read(w, 0.0, f, NO_GRADIENT)
        return self.reader.plan.reduced(f)

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        groups = np.flatnonzero(lam)
        return self._hessians(w, 1, 0, groups, lam[groups])[0]

    def loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        return self._hessians(w, which.size, np.arange(which.size), which, np.ones(which.size))

    def combined_hessians(self, W: Matrix, M: Matrix) -> Matrix:
        # The kernel reads its rows at one w at a time.
        firsts = np.flatnonzero((W[1:] != W[:-1]).any(axis=1)) + 1
        H = np.empty((len(M), W.shape[1], W.shape[1]))
        for part in np.split(np.arange(len(M)), firsts):
            if part.size:
                H[part] = self._combined(W[part[0]], M[part])
        return H

    def _combined(self, w: Vector, M: Matrix) -> Matrix:
        sums, groups = np.nonzero(M)
        return self._hessians(w, len(M), sums, groups, M[sums, groups])

    def _read(self, w: Vector, l2: float, f: Vector, G: Matrix) -> None:
        kernel, table, cuts, room, options = self._evaluation
        if len(cuts) == 2:
            kernel(*table, cuts[0], cuts[1], w, l2, *options, np.empty(room), f, G)
            return
        run_all([partial(kernel, *table, *share, w, l2, *options, np.empty(room), f, G) for share in pairwise(cuts)])

    def _hessians(self, w: Vector, n_sums: int, sums: Indices | int, groups: Indices, scales: Vector) -> Matrix:
        """The Hessians of ``n_sums`` sums; group groups[k] is part of sum sums[k], with the factor scales[k]."""
        starts, ends = self._segments
        segments = np.empty((groups.size, 3), dtype=np.intp)
        segments[:, 0], segments[:, 1], segments[:, 2] = sums, starts[groups], ends[groups]
        n_threads = threads_for(int(np.add.reduce(segments[:, 2] - segments[:, 1])), w.size, self.n_threads)
        check_room_for_hessian(w.size, n_sums + n_threads)
        H = np.zeros((n_sums, w.size, w.size))
        kernel, table, room = self._curvature_kernel
        if self._curvature_is_given:
            table = (*table[:3], self._curvature(w, segments), *table[4:])
        if n_threads == 1 or not groups.size:
            kernel(*table, read_only(segments), read_only(scales), w, self.loss.options, np.empty(room), H)
            return H
        add = partial(kernel, *table)
        tasks, parts = [], []
        for share, of_share in _shares(segments, n_threads):
            first = int(of_share[0, 0])
            of_share[:, 0] -= first
            part = np.zeros((int(of_share[-1, 0]) + 1, w.size, w.size))
            parts.append((first, part))
            arguments = read_only(of_share), read_only(scales[share]), w, self.loss.options, np.empty(room), part
            tasks.append(partial(add, *arguments))
        run_all(tasks)
        for first, part in parts:
            H[first : first + len(part)] += part
        return H

    def _curvature(self, w: Vector, segments: Indices) -> Vector:
        """The second derivatives at all rows of the segments, of a loss in Python, called from this thread only."""
        table, y, offset = self.reader.table, self.reader.y, self.reader.offset
        assert isinstance(table, ColumnTable)
        X, d, h = table.X, table.shape[1], np.empty(y.size)
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            for _, begin, end in segments.tolist():
                for first in range(begin, end, ROWS_PER_CALL):
                    part = slice(first, min(first + ROWS_PER_CALL, end))
                    eta = X[part] @ w[:d] + (w[d] if w.size > d else 0.0)
                    h[part] = self.loss.curvature(eta if offset is None else eta + offset[0, part], y[part])
        return read_only(h)

    @cached_property
    def _evaluation(self) -> tuple[Callable[..., Any], tuple[Any, ...], list[int], int, tuple[Any, ...]]:
        """The kernel of evaluations, its first arguments, the threads' blocks, its room and the loss's options."""
        plan, loss = self.reader.plan, self.loss
        blocks = np.zeros((plan.block_starts.size, 3), dtype=np.intp)
        blocks[:, 0], blocks[:-1, 1], blocks[:-1, 2] = plan.block_starts, plan.run_target, plan.run_is_first
        (stage,) = plan.stages
        options = loss.options, loss.address if isinstance(loss, OwnLoss) else 0
        room = BLOCK_ARRAYS * int(np.diff(plan.block_starts).max())
        kernel = load("columns", "evaluation")(loss.kernel)
        return kernel, (*self._arrays, read_only(blocks)), list(stage.cuts), room, options

    @cached_property
    def _arrays(self) -> tuple[Any, ...]:
        """The table and its rows as the kernels' arguments."""
        table, plan, offset = self.reader.table, self.reader.plan, self.reader.offset
        assert isinstance(table, ColumnTable)
        flat = NO_OFFSET if offset is None else read_only(offset[0])
        X = read_only(table.X.reshape(-1, order="F"))
        return X, *map(np.uintp, table.shape), read_only(self.reader.y), read_only(plan.coefficient), flat

    @property
    def _curvature_is_given(self) -> bool:
        """Whether second derivatives are computed in Python before the kernel of Hessians is called."""
        return self.loss.kernel is None or self.loss.kernel == USER

    @cached_property
    def _curvature_kernel(self) -> tuple[Callable[..., Any], tuple[Any, ...], int]:
        """The kernel of Hessians, its first arguments and its room."""
        kernel = load("columns", "curvature")(GIVEN if self._curvature_is_given else self.loss.kernel)
        stride = int(self._arrays[2]) + 4
        return kernel, self._arrays, stride * (stride + 1) + 6 * HESSIAN_ROWS

    @cached_property
    def _segments(self) -> tuple[Indices, Indices]:
        """Where the rows of each group start and end."""
        plan = self.reader.plan
        starts = np.searchsorted(plan.visit_group, np.arange(plan.n_targets - plan.extra_groups.size + 1))
        return starts[:-1], starts[1:]


def _shares(segments: Indices, n_threads: int) -> Iterator[tuple[slice, Indices]]:
    """The segments, some of them cut, of each thread, with equal numbers of rows; and the whole ones they are from."""
    done = np.concatenate(([0], np.cumsum(segments[:, 2] - segments[:, 1])))
    for a, b in pairwise(np.linspace(0, done[-1], n_threads + 1).astype(np.intp)):
        if a == b:
            continue
        share = slice(int(np.searchsorted(done, a, side="right")) - 1, int(np.searchsorted(done, b)))
        part = segments[share].copy()
        part[-1, 2] = part[-1, 1] + b - done[share.stop - 1]
        part[0, 1] += a - done[share.start]
        yield share, part
