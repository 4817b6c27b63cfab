"""(D) with Q given as F F'."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpstrf

from .._types import Matrix, Vector
from ..adversary import Adversary
from ..linalg.sparse_jacobian import SparseJacobian
from .dual_subproblem import DualSubproblem

# Up to this many rows one product with Q costs less than two products with F.
MOST_ROWS_OF_DENSE = 32


def is_tall(J: int, r: int) -> bool:
    """Whether F of J rows and r columns replaces Q: fewer columns than rows, and enough rows for that to pay."""
    return r < J and J > MOST_ROWS_OF_DENSE


class FactoredSubproblem(DualSubproblem):
    """(D) with Q = F F' for a J x r factor F: a step in the metric P = L L' has F = G L^-T.

    It is the dual of  min over u in R^r of h(c + F u) + 1/2 |u|^2,  with u = -F' lam. Where F is tall a product with Q
    costs O(J r), and Q is formed only if a solver reads it.
    """

    factor: Matrix
    tall: bool

    def __init__(self, factor: Matrix, c: Vector, adversary: Adversary) -> None:
        tall = is_tall(*factor.shape)
        self.__dict__.update(factor=factor, c=c, adversary=adversary, tall=tall)
        if tall:
            diagonal = (factor * factor).dot(np.ones(factor.shape[1]))
        else:
            self.__dict__["Q"] = Q = factor.dot(factor.T)
            diagonal = Q.diagonal()
        self._measure(diagonal)

    @property
    def n_columns(self) -> int:
        """r."""
        return int(self.factor.shape[1])

    @cached_property
    def Q(self) -> Matrix:
        return self.factor.dot(self.factor.T)

    def product(self, lam: Vector) -> Vector:
        return self.factor.dot(lam.dot(self.factor)) if self.tall else self.Q.dot(lam)

    def pair_gap(self, lam: Vector, u: Vector) -> float:
        """h(c + F u) + 1/2 |u|^2 minus the value of (D) at lam, >= 0; at u = -F' lam the cross-evaluation gap.

        It is h(ell) - <lam, ell> + R(lam) + 1/2 |u + F' lam|^2 with ell = c + F u, a sum of terms >= 0.
        """
        residual = u + lam.dot(self.factor)
        gap = self.adversary.gap(lam, self.c_tangent + self.factor.dot(u))
        return gap + 0.5 * float(residual.dot(residual))


class SparseSubproblem(FactoredSubproblem):
    """(D) with a sparse F; an array of it is made where a solver reads ``factor``."""

    jacobian: SparseJacobian

    def __init__(self, jacobian: SparseJacobian, c: Vector, adversary: Adversary) -> None:
        self.__dict__.update(jacobian=jacobian, c=c, adversary=adversary, tall=is_tall(*jacobian.shape))
        self._measure(jacobian.row_norms() ** 2)

    @cached_property
    def factor(self) -> Matrix:  # type: ignore[override]
        return self.jacobian.dense()

    @property
    def n_columns(self) -> int:
        return self.jacobian.shape[1]

    def product(self, lam: Vector) -> Vector:
        return self.jacobian.change(self.jacobian.slope(lam))

    def pair_gap(self, lam: Vector, u: Vector) -> float:
        residual = u + self.jacobian.slope(lam)
        gap = self.adversary.gap(lam, self.c_tangent + self.jacobian.change(u))
        return gap + 0.5 * float(residual.dot(residual))


def low_rank_factor(subproblem: DualSubproblem) -> Matrix:
    """F with F F' = Q/scale and no more columns than rows: the given factor, or a pivoted Cholesky factor."""
    scale = subproblem.scale or 1.0
    if isinstance(subproblem, FactoredSubproblem) and subproblem.factor.shape[1] <= subproblem.c.size:
        return subproblem.factor / np.sqrt(scale)
    L, pivots, rank, _ = dpstrf(subproblem.Q / scale, lower=1)
    F = np.zeros((len(L), rank))
    F[pivots - 1] = np.tril(L)[:, :rank]
    return F
