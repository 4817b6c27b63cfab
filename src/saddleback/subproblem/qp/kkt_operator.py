"""The optimality conditions of (D) as a quadratic program, for the active-set method."""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..._types import Matrix, Vector
from ..dual_subproblem import DualSubproblem
from ..factored_subproblem import FactoredSubproblem

Index: TypeAlias = NDArray[np.intp]


class KKTOperator(Protocol):
    """K X - b = (P x + q + E'y, E x - e) for X = (x, y).

    P and q are those of (D) for x = lam/largest_weight, divided by its scale: of magnitude one in any units.
    """

    @property
    def shape(self) -> tuple[int, int]:
        """The lengths of x and y."""

    @property
    def diagonal(self) -> Vector:
        """The diagonal of K."""

    def residual(self, X: Vector) -> Vector:
        """K X - b: the multipliers z of the bounds on x, then the residual of E x = e."""

    def block(self, index: Index) -> Matrix:
        """A new matrix of K's rows and columns at ``index``, which ends with all coordinates of y."""


class DenseKKT:
    """K = [[P, E'], [E, 0]], b = (-q, e)."""

    def __init__(self, subproblem: DualSubproblem) -> None:
        constraints = subproblem.adversary.linear_constraints
        assert constraints is not None, "resolve_inner refuses sets that are not polyhedral"
        k, n = constraints.E.shape
        H, b = _quadratic_part(subproblem)
        scale, largest_weight = subproblem.scale or 1.0, subproblem.adversary.largest_weight
        self.shape, self.largest_weight = (n, k), largest_weight
        K, b0 = constraints.equations
        self._K, self._b = K.copy(), b0.copy()
        self.P, self.minus_q = self._K[:n, :n], self._b[:n]
        np.divide(subproblem.Q, scale / largest_weight**2, out=self.P)
        np.divide(b, scale / largest_weight, out=self.minus_q)
        if H is not None:
            self._K.ravel()[: n * (n + k) : n + k + 1] += H / (scale / largest_weight**2)

    @property
    def diagonal(self) -> Vector:
        return self._K.diagonal()

    def residual(self, X: Vector) -> Vector:
        return self._K.dot(X) - self._b

    def block(self, index: Index) -> Matrix:
        return self._K.take(index, 0).take(index, 1)


class FactoredKKT:
    """`DenseKKT` on the simplex with R = 0 and P = F F', which is never formed."""

    def __init__(self, subproblem: FactoredSubproblem) -> None:
        scale = subproblem.scale or 1.0
        self.F: Matrix = subproblem.factor / np.sqrt(scale)
        self.minus_q = subproblem.c_tangent / scale
        self.shape = (len(self.F), 1)

    @property
    def diagonal(self) -> Vector:
        return np.append(np.einsum("ij,ij->i", self.F, self.F), 0.0)

    def residual(self, X: Vector) -> Vector:
        x = X[:-1]
        residual = np.empty_like(X)
        np.subtract(self.F.dot(x.dot(self.F)), self.minus_q - X[-1], out=residual[:-1])
        residual[-1] = x.sum() - 1.0
        return residual

    def block(self, index: Index) -> Matrix:
        rows = self.F.take(index[:-1], 0)
        m = len(rows)
        K = np.ones((m + 1, m + 1))
        K[:m, :m] = rows.dot(rows.T)
        K[m, m] = 0.0
        return K


class BoundedKKT:
    """`DenseKKT` with P = F F' + diag H, which is never formed."""

    def __init__(self, subproblem: FactoredSubproblem) -> None:
        constraints = subproblem.adversary.linear_constraints
        assert constraints is not None, "the caller asks only for polyhedral sets"
        scale, largest_weight = subproblem.scale or 1.0, subproblem.adversary.largest_weight
        H, b = _quadratic_part(subproblem)
        self.F: Matrix = subproblem.factor * (largest_weight / np.sqrt(scale))
        self.minus_q = b / (scale / largest_weight)
        self._H = np.zeros_like(b) if H is None else H / (scale / largest_weight**2)
        self._E, self._e = constraints.E, constraints.e
        self.shape = (len(b), len(self._e))

    @property
    def diagonal(self) -> Vector:
        return np.append(np.einsum("ij,ij->i", self.F, self.F) + self._H, np.zeros(len(self._e)))

    def residual(self, X: Vector) -> Vector:
        x, y = X[: self.shape[0]], X[self.shape[0] :]
        z = self.F.dot(x.dot(self.F)) + self._H * x - self.minus_q + y.dot(self._E)
        return np.append(z, self._E.dot(x) - self._e)

    def block(self, index: Index) -> Matrix:
        k = self.shape[1]
        free = index[: index.size - k]
        m = free.size
        rows, E = self.F.take(free, 0), self._E.take(free, 1)
        K = np.zeros((m + k, m + k))
        K[:m, :m] = rows.dot(rows.T)
        K.ravel()[: m * (m + k) : m + k + 1] += self._H.take(free)
        K[m:, :m], K[:m, m:] = E, E.T
        return K


def scaled_quadratic(subproblem: DualSubproblem) -> tuple[Matrix, Vector]:
    """(P, b) with S + R = scale (1/2 lam'P lam - b'lam) + constant on a set whose largest weight is one."""
    H, b = _quadratic_part(subproblem)
    scale = subproblem.scale or 1.0
    P = subproblem.Q / scale
    if H is not None:
        P.ravel()[:: H.size + 1] += H / scale
    return P, b / scale


def _quadratic_part(subproblem: DualSubproblem) -> tuple[Vector | None, Vector]:
    """(H, b) with S + R = 1/2 lam' (Q + diag H) lam - b' lam + constant on Lambda; None for H = 0."""
    H, q = subproblem.adversary.quadratic_form
    return H, subproblem.c_tangent if q is None else subproblem.adversary.dual_set.tangent_part(subproblem.c - q)
