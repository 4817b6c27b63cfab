"""A sample of the rows, and estimates of the Hessian along some directions from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._types import Indices, Matrix, Vector
from .pointwise_loss import PointwiseLoss
from .pointwise_losses import Softmax
from .reader import Reader
from .sample_sizes import ROWS_FOR_DIRECTIONS
from .tables.dense_table import DenseTable, taken
from .tables.layout import Layout
from .weighted_rows import WeightedRows, rows_in_blocks

LONGEST_RUN = 64
LEAST_RUNS = 256
"""A sample of a group has runs of up to ``LONGEST_RUN`` neighbors, if it then has this many runs at least: rows that
are sorted by anything are still represented."""


@dataclass(frozen=True, eq=False)
class SampledHessian:
    """Evenly spaced rows of each group: V H V' with H = sum_j lam_j Hessian f_j without penalties.

    Costs a product of the sample with the directions. Whole Hessians are those of a table of these rows (`passes_of`).
    """

    X: Any
    y: Vector
    offset: Matrix | None
    """One row per sampled row, one column per output."""
    positions: Indices
    groups: Indices
    coefficients: Vector

    @classmethod
    def of(cls, reader: Reader, per_group: int) -> SampledHessian:
        """So many rows of each group."""
        plan, n_groups = reader.plan, reader.memberships.n_groups
        by_group = [np.flatnonzero(plan.visit_group == j) for j in range(n_groups)]
        visits = np.concatenate([of_group[evenly_spaced(of_group.size, per_group)] for of_group in by_group])
        return cls.joined([cls.of_visits(reader, visits)], n_groups)

    @classmethod
    def of_visits(cls, reader: Reader, visits: Indices) -> SampledHessian:
        """These visits of the plan, with the coefficients that they have in their groups."""
        plan = reader.plan
        chosen = np.zeros(plan.rows.size)
        chosen[plan.visit_position[visits]] = 1.0
        X, position = _rows(reader, chosen)
        slot = np.full(plan.rows.size, -1)
        slot[position] = np.arange(position.size)
        offset = None if reader.offset is None else reader.offset[:, position].T
        rows = slot[plan.visit_position[visits]]
        return cls(X, reader.y[position], offset, rows, plan.visit_group[visits], plan.coefficient[visits])

    @classmethod
    def joined(cls, parts: Sequence[SampledHessian], n_groups: int) -> SampledHessian:
        """One sample of several. Its coefficients sum to one in each group, as those of all rows do."""
        first = np.cumsum([0, *(part.y.size for part in parts)])
        groups = np.concatenate([part.groups for part in parts])
        coefficients = np.concatenate([part.coefficients for part in parts])
        offsets = [part.offset for part in parts if part.offset is not None]
        return cls(
            _stacked([part.X for part in parts]),
            np.concatenate([part.y for part in parts]),
            np.concatenate(offsets) if offsets else None,
            np.concatenate([part.positions + at for part, at in zip(parts, first, strict=False)]),
            groups,
            coefficients / np.bincount(groups, coefficients, n_groups)[groups],
        )

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


def evenly_spaced(size: int, count: int) -> Indices:
    """``count`` of the numbers 0, ..., size - 1 in evenly spaced runs of neighbors, which are in memory or in a file
    together."""
    if size <= count:
        return np.arange(size)
    longest = min(max(1, count // LEAST_RUNS), LONGEST_RUN)
    run = np.arange(count) // longest
    skipped = np.linspace(0, size - count, run[-1] + 1).astype(np.intp)
    return np.arange(count) + skipped[run]


def _rows(reader: Reader, chosen: Vector) -> tuple[Any, Indices]:
    """The rows whose weights are not zero, and their positions."""
    of_chosen = WeightedRows.of_weights(reader.plan, chosen)
    if isinstance(reader.table, DenseTable):
        return taken(reader.table.X, reader.plan.order[of_chosen.positions]), of_chosen.positions
    blocks, order = [], []
    for _, A, part, _ in rows_in_blocks(reader, [of_chosen], ROWS_FOR_DIRECTIONS):
        blocks.append(A)
        order.append(part)
    return _stacked(blocks), np.concatenate(order)


def _stacked(blocks: Sequence[Any]) -> Any:
    """The rows of all blocks, dense where one of them is."""
    if all(map(sp.issparse, blocks)):
        return sp.vstack(blocks, format="csr")
    return np.vstack([block.toarray() if sp.issparse(block) else block for block in blocks])
