"""The argument ``groups``: labels, columns of labels that are crossed, or a membership matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...._types import Vector
from ...._validation import real_array
from ....errors import ProblemError
from ....linalg.sparse import to_coordinates
from ..memberships import Memberships
from .frames import Columns, columns_of
from .labels import categories_of, listed, read_labels
from .membership_matrix import TO_CROSS, are_memberships, entries_of_frame, entries_of_matrix


@dataclass(frozen=True, eq=False)
class Naming:
    """The names of the groups and the form in which they were given, by which groups of other rows are read."""

    names: list[Any]
    by_labels: bool
    """Whether the groups were labels; otherwise they were the columns of a membership matrix."""
    named: bool = True
    """Whether the names are the user's; the columns of a plain matrix have numbers only."""
    columns: list[Any] | None = None
    """The names of the columns that were crossed."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Pairs (row, group) with memberships, before they are multiplied by sample weights."""

    naming: Naming
    rows: NDArray[np.intp]
    groups: NDArray[np.intp]
    membership: Vector

    def weighted(self, sample_weight: Any, n_rows: int) -> Memberships:
        """Memberships times sample weights."""
        return Memberships.of(n_rows, self.naming.names, self.rows, self.groups, self.weights(sample_weight, n_rows))

    def weights(self, sample_weight: Any, n_rows: int) -> Vector:
        """The weight of each pair: its membership times the sample weight of its row."""
        weight = self.membership
        if sample_weight is not None:
            with np.errstate(over="ignore"):
                weight = weight * _sample_weights(sample_weight, n_rows)[self.rows]
            if not np.isfinite(weight).all():
                raise ProblemError(
                    "memberships times sample weights must be finite; got an overflow. Rescale the weights."
                )
        return weight


def read_groups(groups: Any, sample_weight: Any, n_rows: int) -> tuple[Naming, Memberships]:
    """Labels, a data frame of labels, or a membership matrix; every group must have a row of positive weight."""
    grouping = _find_groups(groups, n_rows)
    names = grouping.naming.names
    refuse_groups_without_rows(np.bincount(grouping.groups, minlength=len(names)), names)
    memberships = grouping.weighted(sample_weight, n_rows)
    refuse_groups_without_weight(memberships.sizes, names)
    return grouping.naming, memberships


def refuse_groups_without_rows(counts: NDArray[Any], names: list[Any]) -> None:
    """Refuse a group that no row is in."""
    if not counts.all():
        j = int(np.flatnonzero(counts == 0)[0])
        raise ProblemError(
            f"every group must have rows; got none for group {names[j]!r}. Remove its column, or the unused category."
        )


def refuse_groups_without_weight(sizes: NDArray[Any], names: list[Any]) -> None:
    """Refuse a group whose rows all have the weight 0."""
    if not sizes.all():
        j = int(np.flatnonzero(sizes == 0)[0])
        raise ProblemError(
            f"every group must have a positive weight; got weight 0 for all rows of group {names[j]!r}. Remove the "
            "group, or give one of its rows a weight."
        )


def read_known_groups(groups: Any, sample_weight: Any, n_rows: int, known: Naming) -> Memberships:
    """Other rows of known groups, in the known order. A group may have no rows; unknown groups are refused."""
    return find_known_groups(groups, n_rows, known).weighted(sample_weight, n_rows)


def find_known_groups(groups: Any, n_rows: int, known: Naming) -> Grouping:
    """The pairs (row, group) of rows of known groups, before weights."""
    grouping = _find_groups(groups, n_rows, known)
    own = grouping.naming
    if own.columns is not None and known.columns is not None and own.columns != known.columns:
        raise ProblemError(
            f"groups must have the columns that the losses were made with, {listed(known.columns)}, in their order; "
            f"got {listed(own.columns)}."
        )
    if own.by_labels or (own.named and known.named):
        number = {name: j for j, name in enumerate(known.names)}
        codes = np.array([number.get(name, -1) for name in own.names], dtype=np.intp)[grouping.groups]
        if codes.size and codes.min() < 0:
            first = int(np.argmin(codes))
            raise ProblemError(
                f"groups must be among those that the losses were made with, {listed(known.names)}; got "
                f"{own.names[grouping.groups[first]]!r} in row {grouping.rows[first]}. Drop the rows of unknown "
                "groups, or give them a known one."
            )
        return replace(grouping, naming=known, groups=codes)
    _check_columns(len(own.names), known)
    return replace(grouping, naming=known)


def _check_columns(n_columns: int, known: Naming) -> None:
    if n_columns != len(known.names):
        raise ProblemError(
            f"groups must have one column for each of the {len(known.names)} groups that the losses were made with; "
            f"got {n_columns} columns."
        )


def _find_groups(groups: Any, n_rows: int, known: Naming | None = None) -> Grouping:
    """The pairs (row, group). Whether ``groups`` holds labels or memberships follows from ``known`` groups, else from
    its entries."""
    by_labels = None if known is None else known.by_labels
    columns = columns_of(groups)
    if columns is not None:
        return _from_frame(groups, columns, n_rows, by_labels)
    matrix = matrix_of_groups(groups)
    if matrix is None:
        if by_labels is False:
            raise ProblemError("groups must be a membership matrix, as the losses were made with; got labels.")
        return _from_labels(groups, n_rows)
    if by_labels:
        raise ProblemError(
            f"groups must be labels, as the losses were made with; got a matrix of shape {matrix.shape}. {TO_CROSS}"
        )
    entries = entries_of_matrix(matrix, n_rows)
    # The number of columns is checked before names are made: a sparse matrix may have any number of them.
    if known is not None:
        _check_columns(matrix.shape[1], known)
    elif matrix.shape[1] > entries[1].size:
        raise ProblemError(
            f"every group must have rows; got a membership matrix of {matrix.shape[1]} groups with {entries[1].size} "
            "entries. Remove the columns without entries."
        )
    return Grouping(Naming(list(range(matrix.shape[1])), by_labels=False, named=False), *entries)


def matrix_of_groups(groups: Any) -> Any:
    """A membership matrix, dense or as sparse coordinates; None for labels."""
    return to_coordinates(groups, "groups") if sp.issparse(groups) else _matrix(groups)


def _matrix(groups: Any) -> NDArray[Any] | None:
    """A matrix or a list of lists as an array; None for other objects, such as a list of tuples, which are labels."""
    holds_lists = isinstance(groups, list | tuple) and len(groups) > 0 and isinstance(groups[0], list | np.ndarray)
    # A vector is not converted here: for pandas that would make an object for every row.
    if not (hasattr(groups, "__array__") or holds_lists) or getattr(groups, "ndim", 2) == 1:
        return None
    try:
        array = np.asarray(groups)
    except (TypeError, ValueError) as error:
        raise ProblemError(
            f"groups must be labels or a membership matrix; got {type(groups).__name__} ({error})."
        ) from error
    return array if array.ndim == 2 else None


def _from_labels(groups: Any, n_rows: int) -> Grouping:
    names, codes = read_labels(groups, "groups", n_rows)
    categories = categories_of(groups)
    if categories is not None and len(categories) > len(names):
        # A category without rows is a group without rows, which the caller refuses.
        number = {name: j for j, name in enumerate(categories)}
        names, codes = categories, np.array([number[name] for name in names], dtype=np.intp)[codes]
    return Grouping(Naming(names, by_labels=True), np.arange(n_rows), codes, np.ones(n_rows))


def _from_frame(frame: Any, columns: Columns, n_rows: int, by_labels: bool | None) -> Grouping:
    """One column of labels, several columns to be crossed, or memberships, as `are_memberships` decides."""
    if not columns:
        raise ProblemError("groups must have at least one column; got a data frame without any.")
    if len(columns) == 1 and by_labels is not False:
        return _from_labels(columns[0][1], n_rows)
    if by_labels is None:
        by_labels = not are_memberships(columns)
    if by_labels:
        return _crossed(columns, n_rows)
    names = [name for name, _ in columns]
    if len(set(names)) < len(names):
        raise ProblemError(f"groups must have columns of different names; got {listed(names)}.")
    return Grouping(Naming(names, by_labels=False), *entries_of_frame(frame, n_rows))


def _crossed(columns: Columns, n_rows: int) -> Grouping:
    """A group for every combination of labels that occurs."""
    levels, codes = zip(*(read_labels(x, f"groups[{name!r}]", n_rows) for name, x in columns), strict=True)
    # In lexicographic order of the columns.
    combinations, of_row = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    names = [tuple(level[code] for level, code in zip(levels, row, strict=True)) for row in combinations]
    naming = Naming(names, by_labels=True, columns=[name for name, _ in columns])
    return Grouping(naming, np.arange(n_rows), of_row.ravel().astype(np.intp), np.ones(n_rows))


def _sample_weights(sample_weight: Any, n_rows: int) -> Vector:
    try:
        weights = np.array(real_array(sample_weight), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(
            f"sample_weight must be a vector of numbers; got {type(sample_weight).__name__} ({error})."
        ) from error
    if weights.shape != (n_rows,):
        raise ProblemError(
            f"sample_weight must have one weight per row of X, shape ({n_rows},); got shape {weights.shape}."
        )
    bad = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if bad.size:
        raise ProblemError(f"sample weights must be finite and >= 0; got {weights[bad[0]]:g} in row {bad[0]}.")
    return weights
