"""Estimates of the Hessian from a sample of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._types import Indices, Matrix, Vector
from .pointwise_loss import PointwiseLoss
from .pointwise_losses import Softmax
from .reader import Reader
from .tables.layout import Layout
from .weighted_rows import WeightedRows, rows_in_blocks

ROWS_PER_PARAMETER = 25
"""Rows per parameter, of the groups with large lam_j: relative errors of the Hessian are about 1/sqrt(25) = 1/5."""

LOADED_GROUPS = 5
"""The number of groups that are assumed to have large lam_j."""

FEW_PARAMETERS = 150
ROWS_FOR_DIRECTIONS = 1000
"""Rows of a sample for more than ``FEW_PARAMETERS``: enough for some tens of directions, not for all parameters."""

SAMPLE_DIVISOR = 8
"""At most one row in this many is sampled, so that an estimate is cheap compared with the exact Hessian."""

LEAST_PER_GROUP = 5
"""Rows of each group that are sampled at least, so that every group contributes."""

CHEAP_HESSIAN = 5_000_000
"""Multiplications up to which an exact Hessian is cheap enough."""


def rows_per_group(reader: Reader, n_params: int) -> int | None:
    """The rows to sample of each group; None where the table is too small for a sample. Costs no pass over rows."""
    members = reader.memberships
    n_groups = members.n_groups
    if n_params > FEW_PARAMETERS:
        per_group = ROWS_FOR_DIRECTIONS // n_groups
    elif reader.table.n_entries * n_params >= CHEAP_HESSIAN:
        per_group = ROWS_PER_PARAMETER * n_params // min(n_groups, LOADED_GROUPS)
    else:
        return None
    per_group = max(per_group, LEAST_PER_GROUP)
    sampled = np.minimum(members.sizes, per_group).sum()
    return None if sampled > reader.plan.rows.size // SAMPLE_DIVISOR else per_group


@dataclass(frozen=True, eq=False)
class SampledHessian:
    """V H V' with H = sum_j lam_j Hessian f_j without penalties, from evenly spaced rows of each group.

    Costs a product of the sample with the directions.
    """

    X: Any
    y: Vector
    offset: Matrix | None
    """One row per sampled row, one column per output."""
    positions: Indices
    groups: Indices
    coefficients: Vector

    @classmethod
    def of(cls, reader: Reader, per_group: int, n_params: int) -> SampledHessian:
        """A sample of the rows: in single precision for few parameters, where whole Hessians are estimated.

        Directions of many parameters are differences of gradients, whose margins may lose half of their digits.
        """
        dtype = np.float32 if n_params <= FEW_PARAMETERS else np.float64
        plan, n_groups = reader.plan, reader.memberships.n_groups
        n = plan.rows.size
        by_group = [np.flatnonzero(plan.visit_group == j) for j in range(n_groups)]
        visits = np.concatenate([_evenly_spaced(of_group, per_group) for of_group in by_group])
        groups, coefficients = plan.visit_group[visits], plan.coefficient[visits]
        # The coefficients of the sampled rows of each group sum to one, as those of all its rows do.
        coefficients = coefficients / np.bincount(groups, coefficients, n_groups)[groups]
        chosen = np.zeros(n)
        chosen[plan.visit_position[visits]] = 1.0
        blocks, order = [], []
        for _, A, part, _ in rows_in_blocks(reader, [WeightedRows.of_weights(plan, chosen)], ROWS_FOR_DIRECTIONS):
            # Single precision is enough for an estimate, and twice as fast.
            with np.errstate(over="ignore"):
                blocks.append(A.astype(dtype))
            order.append(part)
        X: Any = sp.vstack(blocks, format="csr") if sp.issparse(blocks[0]) else np.vstack(blocks)
        position = np.concatenate(order)
        slot = np.full(n, -1)
        slot[position] = np.arange(position.size)
        offset = None if reader.offset is None else reader.offset[:, position].T
        return cls(X, reader.y[position], offset, slot[plan.visit_position[visits]], groups, coefficients)

    def on(self, loss: PointwiseLoss, W: Matrix, intercepts: Vector, lam: Vector, T: Matrix) -> Matrix:
        """V H V', (k, k), for directions V with the margins T."""
        eta = self._eta(W, intercepts)
        weight = self._weight(lam)
        if isinstance(loss, Softmax):
            of_classes = T.reshape(len(T), len(W), -1)
            p = loss.probabilities(eta)
            mean = np.einsum("kci,ic->ki", of_classes, p)
            C: Matrix = np.einsum("kci,lci,ic->kl", of_classes, of_classes, weight[:, None] * p, optimize=True)
            return C - (weight * mean) @ mean.T
        h = weight * loss.curvature(eta[:, 0], self.y)
        if h.min() < 0:
            return (h * T) @ T.T
        # NumPy computes a matrix times its own transpose in half the time (BLAS syrk).
        T = np.sqrt(h) * T
        return T @ T.T

    def whole(self, loss: PointwiseLoss, W: Matrix, intercepts: Vector, lam: Vector) -> Matrix:
        """H, for few parameters. Not finite where the numbers overflow in single precision."""
        if isinstance(loss, Softmax):
            layout = Layout(len(W), W.shape[1], bool(intercepts.size))
            return self.on(loss, W, intercepts, lam, self.margins(np.eye(layout.n_params), layout))
        h = self._weight(lam) * loss.curvature(self._eta(W, intercepts)[:, 0], self.y)
        A = self._all(bool(intercepts.size))
        if h.min() < 0:
            return A.T @ (h[:, None] * A)
        A = np.sqrt(h)[:, None] * A
        return A.T @ A

    def margins(self, V: Matrix, layout: Layout) -> Matrix:
        """The margins of the sampled rows for each row of V, those of one class after the other: (k, K rows)."""
        d, K, n = layout.n_features, layout.n_outputs, self.y.size
        T = np.empty((len(V), K * n))
        for c in range(K):
            of_class, of_output = T[:, c * n : (c + 1) * n], V[:, c * d : (c + 1) * d].astype(self.X.dtype, copy=False)
            if type(self.X) is np.ndarray:
                # BLAS multiplies few rows by many faster than many by few.
                np.matmul(of_output, self.X.T, out=of_class)
            else:
                of_class[:] = (self.X @ of_output.T).T
            if layout.intercept:
                of_class += V[:, K * d + c, None]
        return T

    def _eta(self, W: Matrix, intercepts: Vector) -> Matrix:
        """The margins at w, one row per sampled row, one column per output."""
        eta = (self.X @ W.T.astype(self.X.dtype)).astype(np.float64)
        if intercepts.size:
            eta += intercepts
        if self.offset is not None:
            eta += self.offset
        return eta

    def _weight(self, lam: Vector) -> Vector:
        """The weight of each sampled row in sum_j lam_j f_j."""
        return np.bincount(self.positions, lam[self.groups] * self.coefficients, self.y.size).astype(np.float64)

    def _all(self, intercept: bool) -> Matrix:
        """The rows of the sample, with a 1 for the intercept."""
        X = (self.X.toarray() if sp.issparse(self.X) else self.X).astype(np.float64)
        return np.column_stack((X, np.ones(len(X)))) if intercept else X


def _evenly_spaced(items: Indices, count: int) -> Indices:
    """``count`` of the items, evenly spaced."""
    return items if items.size <= count else items[np.linspace(0, items.size - 1, count).astype(np.intp)]
