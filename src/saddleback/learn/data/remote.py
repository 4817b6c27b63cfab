"""Features whose rows are not in this process's memory: in files, or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._types import Indices, Matrix, Vector
from ...losses import GroupedLinear
from ...machine.resources import check_room


class Blocks(Protocol):
    """Blocks of consecutive rows of a matrix, wherever they are. Labels, groups and weights stay in memory."""

    @property
    def lengths(self) -> Indices:
        """The number of rows of each block."""

    @property
    def n_columns(self) -> int:
        """The number of columns."""

    def map(self, function: Callable[..., Any], own: Sequence[Any], *shared: Any) -> list[Any]:
        """``function(X, own, *shared)`` of every block, where the block is; answers are small, in the blocks' order."""

    def taken(self, rows: Sequence[Indices]) -> Blocks | None:
        """Some rows of every block, copied once to where the block is; None where they are better read there."""

    def grouped_linear(self, y: Any, groups: Any, **options: Any) -> GroupedLinear:
        """The losses of all rows, with arguments for all rows as `GroupedLinear` takes them."""


@dataclass(frozen=True, eq=False)
class RemoteMatrix:
    """A matrix of features in blocks, or some of its rows: an index is kept, and no row is moved."""

    blocks: Blocks
    rows: Indices | None = None
    """The numbers of the rows, in any order; None for all of them."""
    given: Any = None
    """A frame or a matrix of no rows with the columns that the user gave; None where they are those of the blocks."""
    labels: Any = None
    """Columns that name groups, in memory, which may be no features."""

    @property
    def shape(self) -> tuple[int, int]:
        n = int(self.blocks.lengths.sum()) if self.rows is None else self.rows.size
        return n, self.blocks.n_columns

    def __getitem__(self, index: NDArray[Any]) -> RemoteMatrix:
        """Some of the rows, by their numbers or by a mask."""
        rows = np.arange(self.shape[0]) if self.rows is None else self.rows
        return RemoteMatrix(self.blocks, rows[index])

    def compact(self) -> RemoteMatrix:
        """The same rows, copied, so that no other row is read with them."""
        if self.rows is None:
            return self
        order = np.argsort(self.rows, kind="stable")
        blocks = self.blocks.taken(self._of_blocks(self.rows[order]))
        if blocks is None:
            return self
        if (np.diff(order) == 1).all():
            return RemoteMatrix(blocks)
        place = np.empty(order.size, dtype=np.intp)
        place[order] = np.arange(order.size)
        return RemoteMatrix(blocks, place)

    def product(self, coef: Matrix) -> Matrix:
        """coef X', of shape (k, n)."""
        return np.ascontiguousarray(self.by_rows(_product, coef).T)

    def by_rows(self, function: Callable[..., NDArray[Any]], *arguments: Any) -> NDArray[Any]:
        """``function(X, *arguments)`` of all rows: a function of some rows X, with an entry or a line for each row."""
        if self.rows is None:
            every = [np.arange(length) for length in self.blocks.lengths]
            return _joined(self.blocks.map(_of_rows, every, function, arguments))
        order = np.argsort(self.rows, kind="stable")
        joined = _joined(self.blocks.map(_of_rows, self._of_blocks(self.rows[order]), function, arguments))
        answers = np.empty_like(joined)
        answers[order] = joined
        return answers

    def in_memory(self, what: str, remedy: str) -> NDArray[Any]:
        """A copy of the rows in this process's memory, where there is room for ``what``; else a remedy is told."""
        n, d = self.shape
        check_room(8.0 * n * d, what, remedy)
        return self.by_rows(np.asarray)

    def moments(self, weight: Vector | None) -> tuple[Vector, Vector, Vector]:
        """The weighted mean of each column, the largest deviation from it, and the variance in units of its square.

        Two reads of the rows. Blocks are added in their order, so that the same blocks give the same bits.
        """
        of_blocks = self._weights(weight)
        sums, highest, lowest = zip(*self.blocks.map(_sums, of_blocks), strict=True)
        mean = np.sum(sums, axis=0)
        largest = np.maximum(np.max(highest, axis=0) - mean, mean - np.min(lowest, axis=0))
        unit = np.where(largest > 0.0, largest, 1.0)
        squares = self.blocks.map(_squares, of_blocks, mean, unit)
        return mean, unit, np.sum(squares, axis=0)

    def grouped_linear(
        self, y: NDArray[Any], groups: Any, weight: Vector | None, offset: Any, **options: Any
    ) -> GroupedLinear:
        """The losses of these rows: the other rows of the blocks have weight 0."""
        if self.rows is None:
            return self.blocks.grouped_linear(y, groups, sample_weight=weight, offset=offset, **options)
        n = int(self.blocks.lengths.sum())
        weights = np.bincount(self.rows, weight, minlength=n).astype(np.float64, copy=False)
        spread = _spread_memberships if sp.issparse(groups) else _spread
        offset = None if offset is None else _spread(offset, self.rows, n)
        return self.blocks.grouped_linear(
            _spread(y, self.rows, n), spread(groups, self.rows, n), sample_weight=weights, offset=offset, **options
        )

    def _weights(self, weight: Vector | None) -> list[Vector]:
        """The weights of the rows of each block, of sum 1; 0 for rows that are not these."""
        n = int(self.blocks.lengths.sum())
        if self.rows is None:
            of_all = np.full(n, 1.0 / n) if weight is None else weight / weight.sum()
        else:
            of_all = np.bincount(self.rows, weight, minlength=n) / (self.rows.size if weight is None else weight.sum())
        return np.split(of_all, np.cumsum(self.blocks.lengths)[:-1])

    def _of_blocks(self, rows: Indices) -> list[Indices]:
        """Increasing numbers of rows as numbers within each block."""
        ends = np.cumsum(self.blocks.lengths)
        parts = np.split(rows, np.searchsorted(rows, ends[:-1]))
        return [part - start for part, start in zip(parts, ends - self.blocks.lengths, strict=True)]


def _spread(values: NDArray[Any], rows: Indices, n: int) -> NDArray[Any]:
    """The values at the places of the rows, and the first value elsewhere."""
    spread = np.full((n, *values.shape[1:]), values[0])
    spread[rows] = values
    return spread


def _spread_memberships(groups: Any, rows: Indices, n: int) -> sp.csr_array:
    """The memberships at the places of the rows; other rows are in no group."""
    entries = sp.coo_array(groups)
    place, column = entries.coords
    return sp.csr_array((entries.data, (rows[place], column)), shape=(n, groups.shape[1]))


def _of_rows(
    X: Any, rows: Indices, function: Callable[..., NDArray[Any]], arguments: tuple[Any, ...]
) -> NDArray[Any] | None:
    """The function of some rows of a block; None where there are none."""
    if not rows.size:
        return None
    return function(X if rows.size == len(X) else X[rows], *arguments)


def _joined(parts: list[NDArray[Any] | None]) -> NDArray[Any]:
    return np.concatenate([part for part in parts if part is not None])


def _product(X: Any, coef: Matrix) -> Matrix:
    """X coef'."""
    return np.asarray(X @ coef.T, dtype=np.float64)


def _sums(X: Any, p: Vector) -> tuple[Vector, Vector, Vector]:
    """sum_i p_i x_i, and the largest and the least entries of the rows that count."""
    X = X if p.all() else X[p > 0.0]
    if not len(X):
        nothing = np.full(X.shape[1], np.inf)
        return np.zeros(X.shape[1]), -nothing, nothing
    return p[p > 0.0] @ X, X.max(axis=0).astype(np.float64), X.min(axis=0).astype(np.float64)


def _squares(X: Any, p: Vector, mean: Vector, unit: Vector) -> Vector:
    """sum_i p_i ((x_i - mean) / unit)^2."""
    total = np.zeros(mean.size)
    step = max(1, PIECE_ENTRIES // mean.size)
    for first in range(0, len(X), step):
        deviations = (X[first : first + step] - mean) / unit
        total += p[first : first + step] @ (deviations * deviations)
    return total


PIECE_ENTRIES = 1 << 16
"""Entries whose deviations are computed at a time: they stay in cache."""
