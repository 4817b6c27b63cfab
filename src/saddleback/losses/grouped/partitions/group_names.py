"""The names of the groups of all partitions, as of the same table in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import ProblemError
from ..input.frames import columns_of
from ..input.groups import Naming, matrix_of_groups
from ..input.labels import listed, read_labels
from ..input.membership_matrix import ColumnFacts, entries_of_matrix
from .labels import LabelsSeen, merged, shared_categories


@dataclass(frozen=True, eq=False)
class GroupsForm:
    """Whether one partition's groups look like labels, like a matrix of memberships, or like either."""

    n_columns: int | None
    """Of a matrix; None for labels and data frames."""
    names: list[Any] | None
    """The columns of a data frame."""
    facts: ColumnFacts | None
    """Of a data frame of several columns."""
    only: float | None = None
    """The entry of all rows of a matrix of one column, which is one group."""

    @classmethod
    def of(cls, groups: Any, n_rows: int) -> GroupsForm:
        columns = columns_of(groups)
        if columns is not None:
            if not columns:
                raise ProblemError("groups must have at least one column; got a data frame without any.")
            return cls(None, [name for name, _ in columns], ColumnFacts.of(columns) if len(columns) > 1 else None)
        matrix = matrix_of_groups(groups)
        if matrix is None:
            return cls(None, None, None)
        weights = entries_of_matrix(matrix, n_rows)[2]
        return cls(matrix.shape[1], None, None, float(weights[0]) if matrix.shape[1] == 1 else None)


@dataclass(frozen=True)
class GroupsFound:
    """What all partitions together are: labels, labels to be crossed, or memberships."""

    by_labels: bool
    crossed: bool
    naming: Naming | None
    """Of memberships, which are named by their columns; labels must be read first."""

    @classmethod
    def of(cls, forms: Sequence[GroupsForm]) -> GroupsFound:
        first = forms[0]
        if any((form.n_columns, form.names) != (first.n_columns, first.names) for form in forms):
            raise ProblemError(
                "groups must have the same columns in all partitions; got "
                f"{[form.names or form.n_columns for form in forms][:5]}."
            )
        different = next((form.only for form in forms if form.only != first.only), None)
        if different is not None:
            raise ProblemError(
                "a membership matrix of one column is one group of all rows; got a column of different numbers, such "
                f"as {first.only:g} and {different:g}. If these are labels, pass a vector."
            )
        if first.n_columns is not None:
            return cls(False, False, Naming(list(range(first.n_columns)), by_labels=False, named=False))
        facts = [form.facts for form in forms if form.facts is not None]
        if not facts:
            return cls(True, False, None)
        together = ColumnFacts(
            labels=any(one.labels for one in facts),
            zero_or_one=all(one.zero_or_one for one in facts),
            whole=all(one.whole for one in facts),
            row_of_zeros=next((one.row_of_zeros for one in facts if one.row_of_zeros is not None), None),
        )
        if not together.memberships:
            return cls(True, True, None)
        assert first.names is not None
        if len(set(first.names)) < len(first.names):
            raise ProblemError(f"groups must have columns of different names; got {listed(first.names)}.")
        return cls(False, False, Naming(first.names, by_labels=False))


@dataclass(frozen=True)
class NamesSeen:
    """The labels of one partition, column by column, and the combinations of them that occur."""

    columns: list[Any] | None
    labels: list[LabelsSeen]
    combinations: list[tuple[Any, ...]]

    @classmethod
    def of(cls, groups: Any, crossed: bool, n_rows: int) -> NamesSeen:
        columns = columns_of(groups)
        if not crossed:
            labels = LabelsSeen.of(groups if columns is None else columns[0][1], "groups", n_rows)
            return cls(None, [labels], [])
        assert columns is not None
        seen = [LabelsSeen.of(x, f"groups[{name!r}]", n_rows) for name, x in columns]
        levels, codes = zip(*(read_labels(x, f"groups[{name!r}]", n_rows) for name, x in columns), strict=True)
        rows = np.unique(np.column_stack(codes), axis=0)
        found = [tuple(level[code] for level, code in zip(levels, row, strict=True)) for row in rows]
        return cls([name for name, _ in columns], seen, found)


def naming_of(seen: Sequence[NamesSeen]) -> Naming:
    """The groups of all partitions: their labels, or the combinations in lexicographic order of the columns."""
    columns = seen[0].columns
    if columns is None:
        labels = [of_one.labels[0] for of_one in seen]
        names, categories = merged(labels, "groups"), shared_categories(labels)
        # A category without rows is a group without rows, which is refused.
        return Naming(names if categories is None else categories, by_labels=True)
    levels = [merged([of_one.labels[k] for of_one in seen], f"groups[{name!r}]") for k, name in enumerate(columns)]
    numbers = [{label: code for code, label in enumerate(level)} for level in levels]
    found = dict.fromkeys(combination for of_one in seen for combination in of_one.combinations)
    names = sorted(found, key=lambda name: [number[label] for number, label in zip(numbers, name, strict=True)])
    return Naming(names, by_labels=True, columns=columns)
