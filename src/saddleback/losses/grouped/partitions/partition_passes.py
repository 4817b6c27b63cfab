"""Sums over the rows of all partitions, for `GroupedLinear`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np

from ...._types import Indices, Matrix, Vector
from ....errors import IncompatibleError
from ..hessian import check_room_for_hessian
from ..parameter_scales import scales_of
from ..pointwise_loss import PointwiseLoss
from ..sample_sizes import SampleSizes
from ..sampled_hessian import SampledHessian
from ..tables.layout import Layout
from .executor import Executor
from .in_process import InProcess
from .streamed import Streamed
from .summaries import Draw, Moments, Stored, merged_rms, merged_scale, spread_sample, stored_by
from .works import CombinedHessians, Evaluate, EvaluateMany, Gram, Hessian, LossHessians, Values


@dataclass(frozen=True, eq=False)
class PartitionPasses:
    """`Passes` of partitions that stay where they are: w goes to them, and their sums come back."""

    residents: Executor
    loss: PointwiseLoss
    layout: Layout
    n_groups: int

    def __getstate__(self) -> dict[str, object]:
        if not isinstance(self.residents, InProcess | Streamed):
            _refuse_copies()
        return {name: getattr(self, name) for name in ("residents", "loss", "layout", "n_groups")}

    def evaluate(self, w: Vector, l2: float) -> tuple[Vector, Matrix]:
        f, G = self.residents.sums(Evaluate(w, self.n_groups))
        if l2 != 0.0:
            weights = slice(self.layout.n_weights)
            G[:, weights] += l2 * w[weights]
        return f, G

    def values(self, w: Vector) -> Vector:
        (f,) = self.residents.sums(Values(w, self.n_groups))
        return f

    def evaluate_many(self, W: Matrix, maps: Sequence[Matrix] | None = None) -> tuple[Matrix, Matrix]:
        """The losses, (k, J), and their gradients, (k, J, p), at the k rows of W.

        With ``maps``, k matrices of shape (J', J), only maps[i] f(w_i) and maps[i] G(w_i), (k, J') and (k, J', p): no
        more leaves a worker.
        """
        f, G = self.residents.sums(EvaluateMany(W, self.n_groups, maps))
        return f, G

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        check_room_for_hessian(w.size, 2)
        (H,) = self.residents.sums(Hessian(w, lam))
        return H

    def loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        check_room_for_hessian(w.size, 2 * which.size)
        (H,) = self.residents.sums(LossHessians(w, which))
        return H

    def combined_hessians(self, W: Matrix, M: Matrix) -> Matrix:
        """sum_j M_ij Hessian f_j(w_i) for every row of M and of W; no more leaves a worker."""
        check_room_for_hessian(W.shape[1], 2 * len(M))
        (H,) = self.residents.sums(CombinedHessians(W, M))
        return H

    def gram(self, V: Matrix) -> Matrix:
        (products,) = self.residents.sums(Gram(V))
        return products

    def parameter_scales(self) -> Vector:
        """As of a table in memory; where that is sampled, of samples of all partitions."""
        moments = [part for part in self.residents.each(Moments.of) if part is not None]
        m = merged_scale(moments) if self.loss.response == "real" else 1.0
        return scales_of(merged_rms(moments), m, self.layout)

    def sample_sizes(self) -> SampleSizes:
        known = [of_one for of_one in self._stored if of_one is not None]
        n_rows, n_entries = sum(one.n_rows for one in known), sum(one.n_entries for one in known)
        sizes = np.zeros(self.n_groups, dtype=np.intp)
        for one in known:
            sizes[one.groups] += one.visits
        return SampleSizes.of(sizes, n_rows, n_entries, self.layout.n_params)

    def sample(self, per_group: int) -> SampledHessian:
        """Drawn where the rows are; the small sample is kept here."""
        chosen = spread_sample(self._stored, self.n_groups, per_group)
        parts = self.residents.each_numbered(Draw(chosen).of_partition)
        return SampledHessian.joined([part for part in parts if part is not None], self.n_groups)

    @cached_property
    def _stored(self) -> list[Stored | None]:
        return self.residents.each(stored_by)


def _refuse_copies() -> NoReturn:
    raise IncompatibleError(
        "losses whose rows are on a cluster cannot be pickled or copied deeply: their partitions belong to this "
        "client. Make them anew where they are needed, or save a checkpoint of the run; with_l2 and copy.copy share "
        "them."
    )
