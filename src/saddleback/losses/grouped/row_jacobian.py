"""The Jacobian of losses that are one row each: slopes per row, and the table that they share."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..._types import Indices, Matrix, Vector
from ...linalg.jacobians import StructuredJacobian
from ...machine.resources import check_room
from .pointwise_loss import PointwiseLoss
from .row_reader import RowReader


@dataclass(frozen=True, eq=False)
class RowJacobian(StructuredJacobian):
    """G = diag(s) Z + 1 r' in the parameters w, or G / factors in v = factors w; nothing of the size of Z is made.

    s_i = ell'(eta_i) is the slope of row i, and r = l2 w the gradient of the penalty, common to all rows. A product
    reads the table once, and a Hessian is one weighted Gram matrix: n d^2 multiplications.
    """

    rows: RowReader
    loss: PointwiseLoss
    eta: Vector
    """The margins."""
    s: Vector
    l2: float
    r: Vector
    """In w."""
    factors: Vector | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.s.size, self.r.size

    def slope(self, lam: Vector) -> Vector:
        return self._divided(self.rows.sums(lam * self.s) + float(lam.sum()) * self.r)

    def change(self, p: Vector) -> Vector:
        p = self._divided(p)
        return self.s * self.rows.product(p) + float(self.r.dot(p))

    def magnitudes(self, p: Vector) -> Vector:
        p = np.abs(self._divided(p))
        return np.abs(self.s) * self.rows.magnitudes(p) + float(np.abs(self.r).dot(p))

    def row_norms(self) -> Vector:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.abs(self.s) * self.rows.lengths(self.factors) + float(np.linalg.norm(self._divided(self.r)))

    def column_norms(self) -> Vector:
        squares = self.rows.gram(self.s * self.s).diagonal()
        return np.abs(self._divided(np.sqrt(squares))) + np.sqrt(self.s.size) * np.abs(self._divided(self.r))

    def hessian(self, lam: Vector, theta: Vector) -> Matrix:
        """Z' diag(lam ell'' + theta s^2) Z + l2 sum(lam) I, and the terms of r in the squares of the gradients."""
        with np.errstate(over="ignore", invalid="ignore"):
            # In few arrays, as they are as long as the table.
            h = lam * self.loss.curvature(self.eta, self.rows.reader.y)
            squares = self.s * self.s
            squares *= theta
            h += squares
            del squares
            H = self.rows.gram(h)
        if self.l2 != 0.0:
            penalized = np.arange(self.rows.layout.n_weights)
            H[penalized, penalized] += self.l2 * lam.sum()
            if self.r.any() and theta.any():
                cross = np.outer(self.rows.sums(theta * self.s) + 0.5 * theta.sum() * self.r, self.r)
                H += cross + cross.T
        return H if self.factors is None else H / np.outer(self.factors, self.factors)

    def rescaled(self, factors: Vector) -> RowJacobian:
        return replace(self, factors=factors if self.factors is None else self.factors * factors)

    def some_rows(self, which: Indices) -> Matrix:
        return self._divided(self.s[which, None] * self.rows.some(which) + self.r)

    def dense(self) -> Matrix:
        J, d = self.shape
        check_room(
            16.0 * J * d,
            f"the Jacobian of {J} rows and {d} parameters",
            "Use method='interior-point' with a set that it supports, which forms none, or group the rows.",
        )
        return self._divided(self.s[:, None] * self.rows.dense() + self.r)

    def _divided(self, x: Vector) -> Vector:
        return x if self.factors is None else x / self.factors
