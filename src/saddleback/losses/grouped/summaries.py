"""Numbers that are computed from a table once, when they are first needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..._types import Vector
from .group_reader import GroupReader
from .kernels.arguments import read_only
from .passes import Passes
from .pointwise_loss import PointwiseLoss
from .row_losses import RowLosses
from .sample_passes import passes_of, represents_all_directions
from .sample_sizes import SampleSizes
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
    def sample_sizes(self) -> SampleSizes:
        """The rows of each group in samples."""
        return self.passes.sample_sizes()

    @cached_property
    def sample(self) -> SampledHessian:
        """Some rows in double precision, for directions: these are differences of gradients, whose margins may lose
        half of their digits."""
        sample = self._drawn(self.sample_sizes.directions)
        return replace(sample, X=sample.X.astype(np.float64, copy=False))

    @cached_property
    def sample_passes(self) -> GroupReader | None:
        """Some rows as a table, for whole Hessians; None where too few of them contribute to some direction."""
        if self.sample_sizes.hessians is None:
            return None
        sample = self._drawn(self.sample_sizes.hessians)
        if not represents_all_directions(sample, self.layout, self.n_losses):
            return None
        return passes_of(sample, self.loss, self.layout, self.n_losses, self.n_threads)

    def _drawn(self, per_group: int | None) -> SampledHessian:
        assert per_group is not None
        assert not isinstance(self.passes, RowLosses)
        return self.passes.sample(per_group)

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
