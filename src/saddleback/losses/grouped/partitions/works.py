"""What is summed over the partitions: each work is asked of every resident, and its arrays are added in the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...._types import Indices, Matrix, Vector
from ..kernels.arguments import read_only
from .resident import Resident
from .tree import Sums

Shape = tuple[int, ...]


class Work(Protocol):
    """A sum over all rows, one partition at a time."""

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Of the arrays of every answer."""

    @property
    def n_bytes(self) -> int:
        """Of what every worker must know."""

    def __call__(self, resident: Resident) -> Sums:
        """The part of one partition, in arrays that the caller may write to."""


@dataclass(frozen=True, eq=False)
class Evaluate:
    """The losses and their gradients."""

    w: Vector
    n_groups: int

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return (self.n_groups,), (self.n_groups, self.w.size)

    @property
    def n_bytes(self) -> int:
        return self.w.nbytes

    def __call__(self, resident: Resident) -> Sums:
        f, G = resident.reader.evaluate(read_only(self.w), 0.0)
        return resident.spread(f), resident.spread(G)


@dataclass(frozen=True, eq=False)
class Values:
    """The losses."""

    w: Vector
    n_groups: int

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return ((self.n_groups,),)

    @property
    def n_bytes(self) -> int:
        return self.w.nbytes

    def __call__(self, resident: Resident) -> Sums:
        return (resident.spread(resident.reader.values(read_only(self.w))),)


@dataclass(frozen=True, eq=False)
class EvaluateMany:
    """The losses and their gradients at the rows of W; of vector i only their combinations maps[i], where given."""

    W: Matrix
    n_groups: int
    maps: Sequence[Matrix] | None

    @property
    def shapes(self) -> tuple[Shape, ...]:
        k, p = self.W.shape
        n_combinations = self.n_groups if self.maps is None else len(self.maps[0])
        return (k, n_combinations), (k, n_combinations, p)

    @property
    def n_bytes(self) -> int:
        return self.W.nbytes + sum(of_one.nbytes for of_one in self.maps or ())

    def __call__(self, resident: Resident) -> Sums:
        f, G = resident.reader.evaluate_many(read_only(self.W))
        if self.maps is None:
            return resident.spread(f, axis=1), resident.spread(G, axis=1)
        own = [of_one[:, resident.groups] for of_one in self.maps]
        # Combined partition by partition, so that the sums have the same bits wherever the partitions are.
        return (
            np.stack([combined(A, x) for A, x in zip(own, f, strict=True)]),
            np.stack([combined(A, x) for A, x in zip(own, G, strict=True)]),
        )


@dataclass(frozen=True, eq=False)
class Hessian:
    """sum_j lam_j Hessian f_j(w)."""

    w: Vector
    lam: Vector

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return ((self.w.size, self.w.size),)

    @property
    def n_bytes(self) -> int:
        return self.w.nbytes + self.lam.nbytes

    def __call__(self, resident: Resident) -> Sums:
        return (resident.reader.hessian(read_only(self.w), self.lam[resident.groups]),)


@dataclass(frozen=True, eq=False)
class LossHessians:
    """The Hessians of some losses."""

    w: Vector
    which: Indices

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return ((self.which.size, self.w.size, self.w.size),)

    @property
    def n_bytes(self) -> int:
        return self.w.nbytes + self.which.nbytes

    def __call__(self, resident: Resident) -> Sums:
        H = np.zeros(self.shapes[0])
        here = np.isin(self.which, resident.groups)
        if here.any():
            own = np.searchsorted(resident.groups, self.which[here])
            H[here] = resident.reader.loss_hessians(read_only(self.w), own)
        return (H,)


@dataclass(frozen=True, eq=False)
class CombinedHessians:
    """sum_j M_ij Hessian f_j(w_i) for every row of M and of W.

    The bits of one of them do not depend on the others: a resident has one thread.
    """

    W: Matrix
    M: Matrix

    @property
    def shapes(self) -> tuple[Shape, ...]:
        n, p = self.W.shape
        return ((n, p, p),)

    @property
    def n_bytes(self) -> int:
        return self.W.nbytes + self.M.nbytes

    def __call__(self, resident: Resident) -> Sums:
        return (resident.reader.combined_hessians(read_only(self.W), self.M[:, resident.groups]),)


@dataclass(frozen=True, eq=False)
class Gram:
    """Row j is sum_i m_ij x_i (x_i'v_j) / sum_i m_ij."""

    V: Matrix

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return (self.V.shape,)

    @property
    def n_bytes(self) -> int:
        return self.V.nbytes

    def __call__(self, resident: Resident) -> Sums:
        return (resident.spread(resident.reader.gram(np.ascontiguousarray(self.V[resident.groups]))),)


def combined(A: Matrix, x: Matrix) -> Matrix:
    """A x, of copies: the places of rows in memory are part of the bits that some builds of BLAS give."""
    product: Matrix = A.copy() @ x.copy()
    return product
