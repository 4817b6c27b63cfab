"""Numbers that are computed from a table once, when they are first needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..._types import Vector
from .kernels.arguments import read_only
from .parameter_scales import parameter_scales
from .pointwise_loss import PointwiseLoss
from .reader import Reader
from .sampled_hessian import SampledHessian, rows_per_group
from .smoothness import SLACK, largest_eigenvalue_bound
from .tables.layout import Layout


@dataclass(frozen=True, eq=False)
class Summaries:
    """What does not depend on the penalty: losses that differ in l2 alone share it."""

    reader: Reader
    loss: PointwiseLoss
    layout: Layout

    @cached_property
    def rows_per_group(self) -> int | None:
        """The rows of each group in a sample; None where the table is too small for one."""
        return rows_per_group(self.reader, self.layout.n_params)

    @cached_property
    def sample(self) -> SampledHessian:
        """At most an eighth of the rows."""
        assert self.rows_per_group is not None
        return SampledHessian.of(self.reader, self.rows_per_group, self.layout.n_params)

    @cached_property
    def parameter_scales(self) -> Vector:
        """(n_params,)."""
        real = self.loss.response == "real"
        layout = self.layout
        return read_only(parameter_scales(self.reader, layout.n_outputs, intercept=layout.intercept, real=real))

    @cached_property
    def smoothness(self) -> float:
        """The smoothness constant of the losses without the penalty, at most 10 % too large."""
        return self.smoothness_bound(SLACK)

    def smoothness_bound(self, slack: float) -> float:
        """sup ell'' max_j lambda_max(sum_i m_ij x_i x_i' / sum_i m_ij), at most ``slack`` times too large."""
        assert self.loss.curvature_bound is not None
        n_columns = self.layout.n_features + self.layout.intercept
        n_groups = self.reader.memberships.n_groups
        return self.loss.curvature_bound * largest_eigenvalue_bound(self.reader.gram, n_groups, n_columns, slack)
