"""Numbers that are computed from a table once, when they are first needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..._types import Vector
from .group_reader import GroupReader
from .kernels.arguments import read_only
from .passes import Passes
from .pointwise_loss import PointwiseLoss
from .row_losses import RowLosses
from .sample_passes import passes_of, represents_all_directions
from .sampled_hessian import SampledHessian
from .smoothness import SLACK, largest_eigenvalue_bound
from .tables.layout import Layout


@dataclass(frozen=True, eq=False)
class Summaries:
    """What does not depend on the penalty: losses that differ in l2 alone share it."""

    passes: Passes | RowLosses
    loss: PointwiseLoss
    layout: Layout
    n_losses: int
    n_threads: int | None
    """For the sample, which is in this process."""

    @cached_property
    def rows_per_group(self) -> int | None:
        """The rows of each group in a sample; None where the table is too small for one."""
        return self.passes.rows_per_group()

    @cached_property
    def sample(self) -> SampledHessian:
        """At most an eighth of the rows, for directions."""
        return self._drawn()

    @cached_property
    def sample_passes(self) -> GroupReader | None:
        """The same rows as a table, for whole Hessians; None where too few rows contribute to some direction."""
        sample = self._drawn()
        if not represents_all_directions(sample, self.layout, self.n_losses):
            return None
        return passes_of(sample, self.loss, self.layout, self.n_losses, self.n_threads)

    def _drawn(self) -> SampledHessian:
        assert self.rows_per_group is not None
        assert not isinstance(self.passes, RowLosses)
        return self.passes.sample(self.rows_per_group)

    @cached_property
    def parameter_scales(self) -> Vector:
        """(n_params,)."""
        return read_only(self.passes.parameter_scales())

    @cached_property
    def smoothness(self) -> float:
        """The smoothness constant of the losses without the penalty, at most 10 % too large."""
        return self.smoothness_bound(SLACK)

    def smoothness_bound(self, slack: float) -> float:
        """sup ell'' max_j lambda_max(sum_i m_ij x_i x_i' / sum_i m_ij), at most ``slack`` times too large."""
        assert self.loss.curvature_bound is not None
        assert not isinstance(self.passes, RowLosses)
        n_columns = self.layout.n_features + self.layout.intercept
        return self.loss.curvature_bound * largest_eigenvalue_bound(self.passes.gram, self.n_losses, n_columns, slack)
