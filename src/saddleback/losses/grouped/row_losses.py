"""The losses of single rows, without penalties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Matrix, Vector
from .parameter_scales import parameter_scales
from .pointwise_loss import PointwiseLoss
from .row_jacobian import RowJacobian
from .row_reader import RowReader
from .sample_sizes import SampleSizes


@dataclass(frozen=True, eq=False)
class RowLosses:
    """Values, gradients and Hessians where every row is a loss of its own."""

    rows: RowReader
    loss: PointwiseLoss

    def linearize(self, w: Vector, l2: float) -> tuple[Vector, RowJacobian]:
        """The losses without the penalty, and the Jacobian with it, as slopes per row and a shared table."""
        layout = self.rows.layout
        with np.errstate(all="ignore"):
            eta = self.rows.margins(w)
            f, s = self.loss.value_and_slope(eta, self.rows.reader.y)
            r = np.concatenate([l2 * w[: layout.n_weights], np.zeros(layout.n_params - layout.n_weights)])
            return f, RowJacobian(self.rows, self.loss, eta, s, l2, r)

    def evaluate(self, w: Vector, l2: float) -> tuple[Vector, Matrix]:
        """The losses without the penalty, and the gradients with it."""
        f, jacobian = self.linearize(w, l2)
        return f, jacobian.dense()

    def evaluate_many(self, W: Matrix) -> tuple[Matrix, Matrix]:
        """The losses and their gradients at the rows of W, without penalties."""
        f, G = zip(*(self.evaluate(w, 0.0) for w in W), strict=True)
        return np.stack(f), np.stack(G)

    def values(self, w: Vector) -> Vector:
        """The losses without the penalty."""
        return self.linearize(w, 0.0)[0]

    def hessian(self, w: Vector, lam: Vector) -> Matrix:
        """sum_j lam_j Hessian f_j(w) without the penalty."""
        return self.linearize(w, 0.0)[1].hessian(lam, np.zeros(lam.size))

    def parameter_scales(self) -> Vector:
        """The change of each parameter that changes the margins by their typical magnitude."""
        return parameter_scales(self.rows.reader, self.loss, self.rows.layout)

    def sample_sizes(self) -> SampleSizes:
        """There are no groups to sample."""
        return SampleSizes(None, None)
