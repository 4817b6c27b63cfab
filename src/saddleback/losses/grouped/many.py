"""Evaluations at several parameter vectors in one pass over X."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Matrix, Vector
from ...machine.resources import check_room
from .kernels import load
from .kernels.arguments import NO_OFFSET, read_only
from .own_loss import OwnLoss
from .pointwise_loss import PointwiseLoss
from .reader import ROWS_PER_CALL, Reader
from .resamples import NONE, Resamples
from .tables.dense_table import DenseMatrix
from .tables.layout import Layout
from .tables.panels import WIDEST, Panels, panel_rows
from .tables.streamed_table import StreamedTable
from .tables.threads import run_all

CACHE_LINE = 8
"""Numbers of a line of the cache: vectors that begin in the middle of one are read at half the speed."""

FEWEST = 8
"""Lanes where there are no more parameter vectors: they take one register of AVX-512."""


@dataclass(frozen=True, eq=False)
class ManyReader:
    """Losses and gradients at the rows of W, without penalties, in lanes of the kernel `kernels.many`.

    The answer at a row of W does not depend on the others, to the last bit.
    """

    reader: Reader
    loss: PointwiseLoss
    layout: Layout

    def __getstate__(self) -> dict[str, object]:
        # Without cached values: they are views of the table, of which a copy would be stored.
        return {"reader": self.reader, "loss": self.loss, "layout": self.layout}

    def evaluate(self, W: Matrix, resamples: Resamples | None = None) -> tuple[Matrix, Matrix]:
        """The values, (k, J), and the Jacobians, (k, J, p); those of row i of W on a resample of its own, if given."""
        (k, p), plan = W.shape, self.reader.plan
        J = plan.n_targets - plan.extra_groups.size
        lanes = FEWEST if k <= FEWEST else WIDEST
        chunks = -(-k // lanes)
        numbers = (chunks * lanes * plan.n_targets + k * J) * p
        check_room(8.0 * numbers, f"{k} Jacobians of {J} x {p} numbers", "Evaluate fewer parameter vectors at a time.")
        parameters = aligned(chunks, (p + 2) * lanes)
        of_entry = parameters.reshape(chunks, p + 2, lanes)
        of_entry[:, :p] = filled_up(W, chunks * lanes).reshape(chunks, lanes, p).swapaxes(1, 2)
        # After a row of zeros: both are where the kernel adds an intercept or an offset.
        of_entry[:, p + 1] = 1.0
        sums = np.zeros((chunks, plan.n_targets * lanes)), aligned(chunks, plan.n_targets * p * lanes)
        read = self._read_in_halves if self.loss.kernel is None else self._read
        read(read_only(parameters), k, lanes, sums, resamples)
        f, G = (x.reshape(chunks, plan.n_targets, -1, lanes) for x in sums)
        values, slopes = np.empty((k, J, 1)), np.empty((k, J, p))
        for x, answer in ((f, values), (G, slopes)):
            for of_chunk in x:
                plan.reduced(of_chunk)
            for i in range(k):
                answer[i] = x[i // lanes, :J, :, i % lanes]
        if resamples is not None:
            values, slopes = resamples.means(values), resamples.means(slopes)
        return values[:, :, 0], slopes

    def _read(self, W: Matrix, k: int, lanes: int, sums: tuple[Matrix, Matrix], resamples: Resamples | None) -> None:
        kernel, loss = load("many", "evaluation")(self.loss.kernel, resamples is not None), self.loss
        options = loss.options, loss.address if isinstance(loss, OwnLoss) else 0
        rows, K, shape = self._panels.largest, self.layout.n_outputs, self._shape(lanes)
        rest = read_only(self.reader.y), self._offset, NONE if resamples is None else resamples.arguments

        def read(X: Any, first: int, last: int) -> None:
            room = aligned((2 * K + 3) * rows * lanes + lanes)
            kernel(X, W, np.uintp(k), *options, self._arguments, shape, *rest, first, last, self._copy(), room, *sums)

        for stage, shares in zip(self.reader.plan.stages, self._panels.shares, strict=True):
            X = self.reader.table.open(stage)
            run_all([partial(read, X, *share) for share in shares if share[0] < share[1]])
            self.reader.table.close(stage)

    def _read_in_halves(
        self, W: Matrix, k: int, lanes: int, sums: tuple[Matrix, Matrix], resamples: Resamples | None
    ) -> None:
        """The same for a loss in Python, called from this thread only; X is read twice, some rows at a time."""
        set_margins, add = load("many", "margins_of_panels"), load("many", "add_panels")
        panels, shape = self._panels, self._shape(lanes)
        first_half = W, self._arguments, shape, self._offset

        def margins(X: Any, first: int, last: int, eta: Matrix) -> None:
            set_margins(X, *first_half, first, last, self._copy(), eta)

        def sum_up(X: Any, first: int, last: int, value: Matrix, slope: Matrix) -> None:
            room = aligned((panels.largest + 1) * lanes)
            add(X, value, slope, self._arguments, shape, first, last, self._copy(), room, *sums)

        for stage, shares in zip(self.reader.plan.stages, panels.shares, strict=True):
            X = self.reader.table.open(stage)
            shares = [share for share in shares if share[0] < share[1]]
            n_batches = -(-sum(last - first for first, last in shares) * panels.largest // ROWS_PER_CALL)
            cuts = [np.linspace(first, last, n_batches + 1).astype(int).tolist() for first, last in shares]
            for batch in range(n_batches):
                some = [(of[batch], of[batch + 1]) for of in cuts if of[batch] < of[batch + 1]]
                eta = [aligned(len(W), (last - first) * panels.largest * lanes) for first, last in some]
                run_all([partial(margins, X, *share, of) for share, of in zip(some, eta, strict=True)])
                pairs = [self._pointwise(share, of, k, lanes, resamples) for share, of in zip(some, eta, strict=True)]
                run_all([partial(sum_up, X, *share, *pair) for share, pair in zip(some, pairs, strict=True)])
            self.reader.table.close(stage)

    def _pointwise(
        self, share: tuple[int, int], margins: Matrix, k: int, lanes: int, resamples: Resamples | None
    ) -> tuple[Matrix, Matrix]:
        """The values and slopes at the margins of some panels, in their lanes, from one call of the loss per w."""
        places = list(self._panels.rows_of(*share))
        y = np.concatenate([self.reader.y[positions] for positions, _ in places])
        rows = np.concatenate([np.arange(place.start, place.stop) for _, place in places])
        value, slope = np.zeros_like(margins), np.zeros_like(margins)
        for i in range(k):
            of_lane = [x.reshape(len(x), -1, lanes)[i // lanes, :, i % lanes] for x in (margins, value, slope)]
            of_lane[1][rows], of_lane[2][rows] = self.loss.value_and_slope(of_lane[0][rows], y)
            if resamples is not None:
                times = np.concatenate([resamples.of_positions(i, positions) for positions, _ in places])
                for x in of_lane[1:]:
                    x[rows] = np.multiply(times, x[rows], out=np.zeros(times.size), where=times > 0.0)
        return value, slope

    @cached_property
    def _panels(self) -> Panels:
        reader = self.reader
        if not isinstance(reader.table, DenseMatrix | StreamedTable):
            return Panels.of_blocks(reader.plan)
        return Panels.of_rows(
            reader.plan, panel_rows(8.0 * (self.layout.n_features + 4 * WIDEST * self.layout.n_outputs))
        )

    @cached_property
    def _arguments(self) -> tuple[Any, ...]:
        return self._panels.arguments(self.layout.n_features)

    @property
    def _offset(self) -> Matrix:
        return NO_OFFSET if self.reader.offset is None else read_only(self.reader.offset)

    @property
    def _across(self) -> int:
        """Columns of a panel's copy, filled up to a multiple of eight, and eight more against one set of the cache."""
        return -(-self.layout.n_features // 8) * 8 + 8

    def _shape(self, lanes: int) -> tuple[np.uintp, ...]:
        layout = self.layout
        sizes = layout.n_features, self._across, self._panels.largest + 8, lanes, layout.n_outputs, layout.intercept
        return tuple(map(np.uintp, sizes))

    def _copy(self) -> Vector:
        """Room for a panel of a dense table, in either order."""
        if not isinstance(self.reader.table, DenseMatrix | StreamedTable):
            return aligned(0)
        return aligned((self._panels.largest + 8) * self._across)


def aligned(*shape: int) -> NDArray[np.float64]:
    """Zeros that begin where a line of the cache begins."""
    size = int(np.prod(shape))
    room = np.zeros(size + CACHE_LINE)
    skip = -(room.ctypes.data // room.itemsize) % CACHE_LINE
    return room[skip : skip + size].reshape(shape)


def filled_up(W: Matrix, count: int) -> Matrix:
    """W and rows of zeros, ``count`` in all."""
    whole = np.zeros((count, W.shape[1]))
    whole[: len(W)] = W
    return whole
