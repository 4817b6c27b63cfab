"""The Hessian on a few directions, estimated from a sample of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._types import Matrix, Vector
from .hessian import rows_in_blocks
from .passes import Reader
from .pointwise import PointwiseLoss, Softmax
from .schedule import Indices

PER_PARAMETER = 25
"""Rows for each parameter, of the groups that carry lam: the Hessian is then known to a fifth, in its own metric."""

CARRYING = 5
"""How many groups are taken to carry lam."""

FEW_PARAMETERS = 150
ROWS = 1000
"""Rows beyond that many parameters: enough for a few tens of directions."""

SHARE = 8
"""At most one row in this many is read, so that an estimate costs little beside the whole."""

LEAST_PER_GROUP = 5
CHEAP = 5_000_000
"""Multiplications of an exact Hessian that are not worth saving."""


@dataclass(frozen=True, eq=False)
class SampledHessian:
    """V H V' with H = sum_j lam_j Hessian f_j, from evenly spaced rows of each group.

    Costs a product of the sample with the directions. Penalties are not part of it.
    """

    X: Any
    y: Vector
    positions: Indices
    groups: Indices
    coefficients: Vector

    @classmethod
    def of(cls, reader: Reader, n_params: int) -> SampledHessian | None:
        """A sample, kept for the life of the losses; None where the table is too small to be worth one."""
        schedule = reader.schedule
        n, n_groups = schedule.rows.size, int(schedule.visit_group.max()) + 1
        if n_params > FEW_PARAMETERS:
            per_group = ROWS // n_groups
        elif reader.table.n_entries * n_params >= CHEAP:
            per_group = PER_PARAMETER * n_params // min(n_groups, CARRYING)
        else:
            return None
        per_group = max(per_group, LEAST_PER_GROUP)
        by_group = [np.flatnonzero(schedule.visit_group == j) for j in range(n_groups)]
        visits = np.concatenate([_spread(of_group, per_group) for of_group in by_group])
        if visits.size > n // SHARE:
            return None
        groups, coefficients = schedule.visit_group[visits], schedule.coefficient[visits]
        # The sampled rows of a group stand for all of them: its coefficients add up to one.
        coefficients = coefficients / np.bincount(groups, coefficients, n_groups)[groups]
        chosen = np.zeros(n)
        chosen[schedule.visit_position[visits]] = 1.0
        blocks, order = [], []
        for A, part in rows_in_blocks(reader.table, schedule, chosen, ROWS):
            # An estimate needs no more than single precision, at twice the speed.
            with np.errstate(over="ignore"):
                blocks.append(A.astype(np.float32))
            order.append(part)
        X: Any = sp.vstack(blocks, format="csr") if sp.issparse(blocks[0]) else np.vstack(blocks)
        position = np.concatenate(order)
        slot = np.full(n, -1)
        slot[position] = np.arange(position.size)
        return cls(X, reader.y[position], slot[schedule.visit_position[visits]], groups, coefficients)

    def on(self, loss: PointwiseLoss, W: Matrix, intercepts: Vector, lam: Vector, V: Matrix | None) -> Matrix:
        """The (k, k) matrix of the rows of V, which are laid out as the parameters are; without V, of all of them.

        Not finite where the numbers leave single precision.
        """
        weight = np.bincount(self.positions, lam[self.groups] * self.coefficients, self.y.size)
        eta = (self.X @ W.T.astype(np.float32)).astype(np.float64)
        if intercepts.size:
            eta += intercepts
        if isinstance(loss, Softmax):
            V = np.eye(W.size + intercepts.size) if V is None else V
            T = np.stack([self._margins(V, c, *W.shape) for c in range(len(W))], axis=2)
            p = loss.probabilities(eta)
            mean = np.einsum("ikc,ic->ik", T, p)
            C: Matrix = np.einsum("ikc,ilc,ic->kl", T, T, weight[:, None] * p, optimize=True)
            return C - (weight[:, None] * mean).T @ mean
        A = self._all(bool(intercepts.size)) if V is None else self._margins(V, 0, *W.shape)
        h = weight * loss.curvature(eta[:, 0], self.y)
        if h.min() < 0:
            return A.T @ (h[:, None] * A)
        # NumPy sees a matrix times its transpose, and takes half the time.
        A = np.sqrt(h)[:, None] * A
        return A.T @ A

    def _margins(self, V: Matrix, c: int, K: int, d: int) -> Matrix:
        """What the rows of V add to the margins of class c."""
        T = (self.X @ V[:, c * d : (c + 1) * d].T.astype(np.float32)).astype(np.float64)
        return T + V[:, K * d + c] if V.shape[1] > K * d else T

    def _all(self, intercept: bool) -> Matrix:
        """The rows themselves, with a 1 for the intercept."""
        X = (self.X.toarray() if sp.issparse(self.X) else self.X).astype(np.float64)
        return np.column_stack((X, np.ones(len(X)))) if intercept else X


def _spread(items: Any, count: int) -> Any:
    """``count`` of the items, evenly spaced."""
    return items if items.size <= count else items[np.linspace(0, items.size - 1, count).astype(np.intp)]
