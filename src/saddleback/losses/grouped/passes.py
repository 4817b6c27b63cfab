"""What `GroupedLinear` asks of a table, wherever its rows are: sums over all rows."""

from __future__ import annotations

from typing import Protocol

from ..._types import Indices, Matrix, Vector
from .sample_sizes import SampleSizes
from .sampled_hessian import SampledHessian


class Passes(Protocol):
    """Sums over the rows of a table, which is in memory, in files or on other machines.

    w is checked by the caller. No answer contains the penalty, but for the gradients of ``evaluate``.
    """

    def evaluate(self, w: Vector, l2: float) -> tuple[Vector, Matrix]:
        """The losses, (J,), and the gradients with the penalty, (J, p)."""

    def values(self, w: Vector) -> Vector:
        """The losses, (J,)."""

    def evaluate_many(self, W: Matrix) -> tuple[Matrix, Matrix]:
        """The losses, (k, J), and their gradients, (k, J, p), at the k rows of W."""

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        """sum_j lam_j Hessian f_j(w)."""

    def loss_hessians(self, w: Vector, which: Indices) -> Matrix:
        """The Hessians of the losses with these numbers."""

    def gram(self, V: Matrix) -> Matrix:
        """Row j is sum_i m_ij x_i (x_i'v_j) / sum_i m_ij; x_i ends with a 1 where v_j has an entry for an intercept."""

    def parameter_scales(self) -> Vector:
        """The change of each parameter that changes the margins by their typical magnitude."""

    def sample_sizes(self) -> SampleSizes:
        """The rows of each group in samples. Costs no pass."""

    def sample(self, per_group: int) -> SampledHessian:
        """So many rows of each group, for estimates of Hessians."""
