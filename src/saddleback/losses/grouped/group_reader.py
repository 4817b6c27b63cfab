"""The mean losses of groups, without penalties, by passes over a table of any kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..._types import Indices, Matrix, Vector
from .hessian import hessians_of_rows
from .many import ManyReader
from .parameter_scales import parameter_scales
from .pointwise_loss import PointwiseLoss
from .reader import Reader
from .resamples import Resamples
from .sample_sizes import SampleSizes
from .sampled_hessian import SampledHessian
from .tables.layout import Layout
from .weighted_rows import WeightedRows


@dataclass(frozen=True, eq=False)
class GroupReader:
    """Values, gradients and Hessians of the mean losses of groups, each in one read of the rows that it needs."""

    reader: Reader
    loss: PointwiseLoss
    layout: Layout
    n_threads: int | None
    """What the user asked for."""

    def evaluate(self, w: Vector, l2: float) -> tuple[Vector, Matrix]:
        """The losses without the penalty, and the gradients with it."""
        return self.reader.evaluate(*self.layout.split(w), l2, self.loss)

    def values(self, w: Vector) -> Vector:
        """The losses without the penalty."""
        return self.reader.values(*self.layout.split(w), self.loss)

    def evaluate_many(self, W: Matrix, resamples: Resamples | None = None) -> tuple[Matrix, Matrix]:
        """The losses and their gradients at the rows of W, without penalties; each on a resample, if given."""
        return self._many.evaluate(W, resamples)

    def counting(self, times: Vector) -> GroupReader:
        """The same where the row at position i counts times[i] times; the table is shared."""
        return replace(self, reader=self.reader.counting(times))

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        """sum_j lam_j Hessian f_j(w) without the penalty; rows of groups with lam_j = 0 are not read."""
        return self._hessians_of(w[None], [WeightedRows.of_losses(self.reader.plan, lam)])[0]

    def loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        """The Hessians of the losses with these numbers, without the penalty."""
        W = np.broadcast_to(w, (which.size, w.size))
        return self._hessians_of(W, [WeightedRows.of_loss(self.reader.plan, j) for j in which.tolist()])

    def combined_hessians(self, W: Matrix, M: Matrix) -> Matrix:
        """sum_j M_ij Hessian f_j(w_i) for every row of M and of W; rows of groups in none of them are not read."""
        return self._hessians_of(W, [WeightedRows.of_losses(self.reader.plan, of_one) for of_one in M])

    def gram(self, V: Matrix) -> Matrix:
        """Row j is sum_i m_ij x_i (x_i'v_j) / sum_i m_ij; x_i ends with a 1 where v_j has an entry for an intercept."""
        return self.reader.gram(V)

    def parameter_scales(self) -> Vector:
        """The change of each parameter that changes the margins by their typical magnitude."""
        return parameter_scales(self.reader, self.loss, self.layout)

    def sample_sizes(self) -> SampleSizes:
        """The rows of each group in samples. Costs no pass."""
        table, n_rows = self.reader.table, self.reader.plan.rows.size
        return SampleSizes.of(self.reader.memberships.sizes, n_rows, table.n_entries, self.layout.n_params)

    def sample(self, per_group: int) -> SampledHessian:
        """So many rows of each group."""
        return SampledHessian.of(self.reader, per_group)

    @cached_property
    def _many(self) -> ManyReader:
        return ManyReader(self.reader, self.loss, self.layout)

    def _hessians_of(self, W: Matrix, sums: list[WeightedRows]) -> Matrix:
        return hessians_of_rows(self.reader, self.loss, self.layout, W, sums, self.n_threads)
