"""The groups of the rows: their names, and which rows each of them has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._types import Matrix, Vector
from ..._validation import finite_vector
from ...errors import ProblemError


@dataclass(frozen=True, eq=False)
class Groups:
    """J named groups of n rows. Every row is in one group, or in one group of each of k attributes that overlap."""

    names: list[Any]
    """The names of the groups. A group of crossed columns has the tuple of its labels."""
    numbers: NDArray[np.intp]
    """The numbers of the groups of each row, of shape (n, k), k = 1 where groups do not overlap."""
    columns: list[Any] = field(default_factory=list)
    """The names of the columns that the groups were made of; empty for a vector without a name."""
    merged: Mapping[Any, int] = field(default_factory=dict)
    """The groups that were too small and are now in the rest, with their numbers of rows."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.numbers.shape[0]

    @property
    def overlap(self) -> bool:
        """Whether a row is in several groups, one of each attribute."""
        return self.numbers.shape[1] > 1

    @property
    def rows(self) -> NDArray[np.intp]:
        """The rows of all pairs (row, group), in the order of the rows."""
        return np.repeat(np.arange(self.n_rows), self.numbers.shape[1])

    @property
    def groups(self) -> NDArray[np.intp]:
        """The groups of all pairs (row, group)."""
        return self.numbers.ravel()

    @property
    def codes(self) -> NDArray[np.intp]:
        """The number of each row's group; refused where groups overlap."""
        if self.overlap:
            raise ProblemError(
                f"codes need one group per row; got {self.numbers.shape[1]} groups of each row, which overlap. Use "
                "rows and groups, or cross the columns: crossed=True."
            )
        return self.numbers[:, 0]

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """The number of rows of each group."""
        return np.bincount(self.groups, minlength=len(self.names)).astype(np.intp)

    @cached_property
    def matrix(self) -> sp.csr_array:
        """The membership matrix of shape (n, J), whose entry is 1 where the row is in the group, else 0."""
        n, k = self.numbers.shape
        ends = np.arange(0, n * k + 1, k)
        return sp.csr_array((np.ones(n * k), self.groups, ends), shape=(n, len(self.names)))

    @property
    def membership(self) -> NDArray[np.intp] | sp.csr_array:
        """What ``GroupedLinear`` takes as ``groups``: codes, or the membership matrix where groups overlap."""
        return self.matrix if self.overlap else self.codes

    def subset(self, rows: Any) -> Groups:
        """The groups of some rows, given by their numbers or by a mask. Names stay, also of groups without rows."""
        index = np.asarray(rows)
        return replace(self, numbers=self.numbers[index if index.size else index.astype(np.intp)])

    def counts(self, sample_weight: Any = None) -> Vector:
        """The weight of each group's rows; without weights their number."""
        return self.matrix.T @ row_weights(sample_weight, self.n_rows)

    def shares(self, sample_weight: Any = None) -> Vector:
        """The weight of each group's rows relative to that of all rows; these add up to k."""
        weights = row_weights(sample_weight, self.n_rows)
        return (self.matrix.T @ weights) / weights.sum()

    def mean(self, values: Any, sample_weight: Any = None) -> Matrix:
        """The (weighted) mean of each group over its rows; nan for a group without rows or weight.

        ``values`` has shape (n,), or (n, m) for the means of m quantities, of shape (J, m).
        """
        values = np.asarray(values, dtype=np.float64)
        if values.ndim not in (1, 2) or values.shape[0] != self.n_rows:
            raise ProblemError(
                f"values must have one entry or one line per row, {self.n_rows}; got an array of shape {values.shape}."
            )
        weights = row_weights(sample_weight, self.n_rows)
        columns, per_row = values if values.ndim == 2 else values[:, np.newaxis], weights[:, np.newaxis]
        # A row without weight counts for nothing, also where its value is inf or nan.
        sums = self.matrix.T @ (np.where(per_row > 0, columns, 0.0) * per_row)
        counts = (self.matrix.T @ weights)[:, np.newaxis]
        means = np.divide(sums, counts, where=counts > 0, out=np.full_like(sums, np.nan))
        return means if values.ndim == 2 else means[:, 0]


def everyone(n_rows: int) -> Groups:
    """All rows as one group."""
    return Groups(["all rows"], np.zeros((n_rows, 1), dtype=np.intp))


def row_weights(sample_weight: Any, n_rows: int) -> Vector:
    """The weights of the rows, finite and >= 0 and not all 0; ones by default."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = finite_vector(sample_weight, "sample_weight", n_rows)
    if weights.min() < 0:
        row = int(np.argmin(weights))
        raise ProblemError(f"sample weights must be >= 0; got {weights[row]:g} in row {row}.")
    if not weights.any():
        raise ProblemError("sample weights must not all be 0: no row would count.")
    return weights
