"""Passes over X where every row is a loss of its own: margins, X'v, weighted Gram matrices and lengths of rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice, pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._types import Indices, Matrix, Vector
from ...linalg.blas_threads import one_blas_thread
from ...machine.resources import cores
from .hessian import BLOCK_ENTRIES, MULTIPLICATIONS_ALONE, check_room_for_hessian
from .kernels import load
from .kernels.arguments import NO_OFFSET, read_only
from .memberships import Memberships
from .reader import Reader
from .tables.dense_table import ColumnTable
from .tables.layout import Layout
from .tables.threads import run_all
from .weighted_rows import WeightedRows, rows_in_blocks


def one_group(n: int) -> Memberships:
    """All rows in one group with coefficients of one: sums over rows are then sums over this group, in their order."""
    return Memberships(
        n_rows=n,
        names=["rows"],
        rows=np.arange(n),
        groups=np.zeros(n, dtype=np.intp),
        coefficients=np.ones(n),
        sizes=np.array([n]),
        weights=np.array([float(n)]),
    )


def compact(reader: Reader) -> Reader:
    """The same reader, whose read plan keeps one vector for what one group has in several: rows in their order."""
    plan = reader.plan
    none = np.broadcast_to(np.intp(0), plan.order.shape)
    if np.array_equal(plan.order, plan.rows):
        plan = replace(plan, rows=plan.order, visit_position=plan.order, visit_group=none)
    return replace(reader, plan=plan, memberships=plan.memberships(reader.memberships))


def each_row(n: int) -> Memberships:
    """Every row in a group of its own, named by its number."""
    every, ones = np.arange(n), np.broadcast_to(1.0, (n,))
    return Memberships(n, range(n), every, every, ones, np.broadcast_to(np.intp(1), (n,)), ones)


@dataclass(frozen=True, eq=False)
class RowReader:
    """Products with Z, whose rows z_i are x_i, followed by a 1 where the model has an intercept.

    The rows are in the order of the user, as the reader has a single group.
    """

    reader: Reader
    layout: Layout
    n_threads: int | None
    _lengths: dict[bytes, Vector] = field(default_factory=dict, init=False, repr=False)

    @property
    def n(self) -> int:
        return self.reader.y.size

    def product(self, w: Vector) -> Vector:
        """Z w, without the offset."""
        W, intercepts = self.layout.split(w)
        plan, eta = self.reader.plan, np.empty(self.n)
        kernel = load("blocks", "margins_of_blocks")
        self._run(lambda X, blocks: kernel(X, W, intercepts, plan.arrays, NO_OFFSET, *blocks, eta))
        return eta

    def margins(self, w: Vector) -> Vector:
        """Z w + offset."""
        eta = self.product(w)
        offset = self.reader.offset
        return eta if offset is None else eta + offset[0]

    def sums(self, v: Vector) -> Vector:
        """Z'v."""
        layout, plan = self.layout, self.reader.plan
        W, intercepts = self._no_weights
        f, G = np.zeros(plan.n_targets), np.empty((plan.n_targets, layout.n_params))
        kernel, v = load("blocks", "add_blocks"), read_only(v)
        self._run(lambda X, blocks: kernel(X, W, intercepts, 0.0, plan.arrays, v, v, *blocks, True, f, G))
        return plan.reduced(G)[0]

    @cached_property
    def _no_weights(self) -> tuple[Matrix, Vector]:
        return self.layout.split(np.zeros(self.layout.n_params))

    def gram(self, h: Vector) -> Matrix:
        """Z' diag(h) Z, over the rows with h != 0."""
        size = self.layout.n_params
        n_threads = (self.n_threads or cores()) if self.n * size**2 > MULTIPLICATIONS_ALONE else 1
        check_room_for_hessian(size, n_threads)
        sums = np.zeros((n_threads, size, size))
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(self.reader.table, ColumnTable):
                self._add_columns(sums, h)
            else:
                self._add_blocks(sums, h)
        H = sums[0] if n_threads == 1 else sums.sum(axis=0)
        # Kernels write the lower triangle.
        np.copyto(H, H.T, where=self._above_diagonal)
        return H

    def lengths(self, factors: Vector | None = None) -> Vector:
        """|z_i / factors|, one per row; kept for the last factors."""
        key = b"" if factors is None else factors.tobytes()
        known = self._lengths.get(key)
        if known is None:
            known = np.empty(self.n)
            with np.errstate(over="ignore"):
                for A, rows in self._blocks(np.ones(self.n)):
                    A = A if factors is None else _divided(A, factors[: A.shape[1]])
                    known[rows] = _squares(A)
                if self.layout.intercept:
                    known += 1.0 if factors is None else factors[-1] ** -2.0
                np.sqrt(known, out=known)
            self._lengths.clear()
            self._lengths[key] = known
        return known

    def magnitudes(self, p: Vector) -> Vector:
        """|Z| |p|."""
        p = np.abs(p)
        d, total = self.layout.n_features, np.empty(self.n)
        with np.errstate(over="ignore", invalid="ignore"):
            for A, rows in self._blocks(np.ones(self.n)):
                total[rows] = abs(A) @ p[:d]
        return total + p[d] if self.layout.intercept else total

    def dense(self) -> Matrix:
        """Z in float64."""
        Z = np.ones((self.n, self.layout.n_params))
        for A, rows in self._blocks(np.ones(self.n)):
            Z[rows, : A.shape[1]] = A.toarray() if sp.issparse(A) else A
        return Z

    def some(self, which: Indices) -> Matrix:
        """The given rows of Z, in ascending order, in float64."""
        chosen = np.zeros(self.n)
        chosen[which] = 1.0
        Z = np.ones((which.size, self.layout.n_params))
        for A, rows in self._blocks(chosen):
            Z[np.searchsorted(which, rows), : A.shape[1]] = A.toarray() if sp.issparse(A) else A
        return Z

    @cached_property
    def longest(self) -> float:
        """The largest |z_i|."""
        return float(self.lengths().max())

    def _run(self, task: Any) -> None:
        for stage in self.reader.plan.stages:
            X = self.reader.table.open(stage)
            run_all([partial(task, X, blocks) for blocks in pairwise(stage.cuts)])
            self.reader.table.close(stage)

    def _blocks(self, weight: Vector) -> Iterator[tuple[Any, Indices]]:
        rows = WeightedRows.of_weights(self.reader.plan, weight)
        for block in rows_in_blocks(self.reader, [rows], max(64, BLOCK_ENTRIES // self.layout.n_params)):
            yield block.A, block.positions

    @cached_property
    def _above_diagonal(self) -> NDArray[np.bool_]:
        return np.tri(self.layout.n_params, k=-1, dtype=np.bool_).T

    def _add_blocks(self, sums: Matrix, h: Vector) -> None:
        blocks = self._blocks(h)
        with one_blas_thread():
            while batch := list(islice(blocks, len(sums))):
                run_all([partial(_add_square, H, A, h[rows]) for H, (A, rows) in zip(sums, batch, strict=False)])

    def _add_columns(self, sums: Matrix, h: Vector) -> None:
        (stage,) = self.reader.plan.stages
        X, add_gram = self.reader.table.open(stage), load("gram", "add_gram")
        cuts = np.linspace(0, self.n, len(sums) + 1).astype(np.intp).tolist()
        run_all(
            [partial(add_gram, X, begin, h[begin:end], H) for H, (begin, end) in zip(sums, pairwise(cuts), strict=True)]
        )


def _add_square(H: Matrix, A: Any, h: Vector) -> None:
    """H += Z' diag(h) Z for the rows A of X."""
    d = A.shape[1]
    hA = sp.diags_array(h) @ A if sp.issparse(A) else A * h[:, None]
    square = A.T @ hA
    H[:d, :d] += square.toarray() if sp.issparse(square) else square
    if len(H) > d:
        H[d, :d] += np.asarray(hA.sum(axis=0)).ravel()
        H[d, d] += h.sum()


def _divided(A: Any, factors: Vector) -> Any:
    return A @ sp.diags_array(1.0 / factors) if sp.issparse(A) else A / factors


def _squares(A: Any) -> Vector:
    if sp.issparse(A):
        return np.asarray(A.multiply(A).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", A, A)
