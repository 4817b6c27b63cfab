"""Groups that cannot be compared are refused before the fit, in the words of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ProblemError
from ..learn.groups.group_input import MOST_GROUPS
from ..learn.groups.groups import Groups
from ..learn.groups.reading import read_sensitive_features
from ..learn.groups.titles import titles_of
from ..tabular.names import columns_listed
from .blocks.coded_labels import CodedLabels

IDENTIFIER_SHARE = 0.5
"""A column with more different labels than this share of its rows is called an identifier."""


def check_groups(
    labels: Mapping[str, NDArray[Any] | CodedLabels], *, crossed: bool, min_group_size: int | None, missing_groups: str
) -> None:
    """Refuse one group, more than can be compared, and groups of a single row that nobody has decided on."""
    n = len(next(iter(labels.values())))
    for name, column in labels.items():
        _check_missing(name, column, missing_groups)
    distinct = {name: _distinct(column) for name, column in labels.items()}
    if all(count == 1 for count in distinct.values()):
        name, column = next(iter(labels.items()))
        only = column[:1].labels() if isinstance(column, CodedLabels) else column
        raise ProblemError(
            f"the group column {name!r} holds one label in all {n:,} rows, {only[0]!r}: there is nothing to "
            "compare. Name another column as group."
        )
    name, most = max(distinct.items(), key=lambda item: item[1])
    if most > MOST_GROUPS and min_group_size is None:
        kind = " It looks like an identifier: name another column." if most > IDENTIFIER_SHARE * n else ""
        raise ProblemError(
            f"the group column {name!r} holds {most:,} different labels in {n:,} rows, more than {MOST_GROUPS:,}.{kind}"
            " Small groups are merged by min_group_size=50."
        )
    groups = read_sensitive_features(
        dict(labels),
        n,
        crossed=crossed,
        missing_groups=missing_groups,
        min_group_size=min_group_size or 1,
        argument="groups",
    )
    _check_sizes(groups, n, list(labels), told=min_group_size is not None)


def _distinct(column: NDArray[Any] | CodedLabels) -> int:
    """How many different labels there are; none at all is one of them."""
    if isinstance(column, CodedLabels):
        return len(column.categories) + bool((column.codes < 0).any())
    return len(set(column.tolist()))


def _check_missing(name: str, column: NDArray[Any] | CodedLabels, missing_groups: str) -> None:
    if isinstance(column, CodedLabels):
        missing = column.codes < 0
    else:
        missing = np.array([label is None for label in column.tolist()])
    if missing.any() and missing_groups == "error":
        raise ProblemError(
            f"{int(missing.sum())} of {missing.size} rows have no label in the group column {name!r}, the first of "
            f"them row {int(missing.argmax()) + 1}. Make a group '(missing)' of them by missing_groups='group', or "
            "leave them out of the file."
        )


def _check_sizes(groups: Groups, n: int, columns: list[str], *, told: bool) -> None:
    sizes = groups.sizes
    if np.count_nonzero(sizes) == 1:
        raise ProblemError(
            f"the {n:,} rows are all in one group after small ones were merged: there is nothing to compare. Lower "
            "min_group_size."
        )
    crossed = len(columns) > 1 and not groups.overlap
    fewer = " Name fewer columns, or do not cross them: crossed=False." if crossed else ""
    if len(groups.names) > MOST_GROUPS:
        make = "makes" if len(columns) == 1 else "make"
        raise ProblemError(
            f"{columns_listed(columns)} {make} {len(groups.names):,} groups of {n:,} rows, more than "
            f"{MOST_GROUPS:,}. Merge small ones by min_group_size=50.{fewer}"
        )
    if not told and (sizes == 1).any():
        j = int(np.argmax(sizes == 1))
        count = int((sizes == 1).sum())
        more = "one more group has" if count == 2 else f"{count - 1} more groups have"
        others = f", and {more} one" if count > 1 else ""
        raise ProblemError(
            f"the group {titles_of(groups)[j] or groups.names[j]} has one row{others}: nothing can be learned or "
            f"judged by it. Merge small groups by min_group_size=20, or keep it by min_group_size=1.{fewer}"
        )
