"""Which groups an estimator trains for: from ``sensitive_features``, or from ``group_by``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..._types import Vector
from ..._validation import flag, whole
from ...errors import ProblemError, warn_user
from ...losses.grouped.input.frames import columns_of
from ..data.remote import RemoteMatrix
from .columns import listed_names, take_columns
from .groups import Groups
from .reading import read_sensitive_features

CLASSES, ROWS = "classes", "rows"
"""The values of ``group_by`` that are not columns."""

EVERYBODY = "(all rows)"
"""The name of the only group of a model without groups."""

NO_GROUPS = "no groups"
"""How the warning of a model without groups begins."""

MOST_GROUPS = 1000
"""More groups than this are taken for a mistake, such as a column of identifiers: each has a row or two, and the dual
subproblem grows with their number."""


def group_columns(group_by: Any) -> list[Any]:
    """The columns of X that ``group_by`` names; none where it is None, "classes" or "rows"."""
    if group_by is None or (isinstance(group_by, str) and group_by in (CLASSES, ROWS)):
        return []
    return listed_names(group_by, "group_by")


def refuse_ambiguous(X: Any, group_by: Any) -> None:
    """Refuse "classes" or "rows" where X is a frame with a column of that name; in a list it is the column."""
    if not isinstance(group_by, str) or group_by not in (CLASSES, ROWS):
        return
    if group_by in [name for name, _ in columns_of(X) or ()]:
        meaning = "the classes of y" if group_by == CLASSES else "one group for every row"
        raise ProblemError(
            f"group_by={group_by!r} must have one meaning; got an X with a column of that name, and it may as well be "
            f"{meaning}. Pass [{group_by!r}] for the column, or rename the column."
        )


def refuse_rows(group_by: Any, who: str) -> None:
    """Refuse groups of one row each where groups are judged by held-out rows."""
    if isinstance(group_by, str) and group_by == ROWS:
        raise ProblemError(
            f"{who} needs groups with rows to hold out; got group_by='rows', of one row each. For a "
            "column of this name, pass group_by=['rows']."
        )


def refuse_rows_elsewhere(X: Any, group_by: Any) -> None:
    """Refuse groups of one row each where rows are in files or on a cluster."""
    if isinstance(group_by, str) and group_by == ROWS:
        raise ProblemError(
            "group_by='rows' makes every row a loss, whose Jacobian is a table in memory; got X of type "
            f"{type(X).__name__}, whose rows are elsewhere. Load X, or pass groups of rows."
        )


def read_group_input(
    X: Any,
    y: Any,
    sensitive_features: Any,
    weight: Vector | None,
    n: int,
    *,
    group_by: Any,
    crossed: bool,
    min_group_size: int | None,
    missing_groups: str,
) -> Groups:
    """The groups of the training rows, those of weight 0 included.

    A group counts as small by its rows of positive weight.
    """
    crossed = flag(crossed, "crossed")
    if group_by is not None and sensitive_features is not None:
        raise ProblemError(
            f"groups must come from one place; got sensitive_features and group_by={group_by!r}. Leave one of them out."
        )
    if sensitive_features is None and group_by is None:
        warn_user(
            f"{NO_GROUPS}: this is the ordinary model, which minimizes the average loss of all rows. Pass "
            "sensitive_features, or group_by=[columns], 'classes' or 'rows'."
        )
        return Groups([EVERYBODY], np.zeros((n, 1), dtype=np.intp))
    if isinstance(group_by, str) and group_by == ROWS:
        return Groups(list(range(n)), np.arange(n)[:, np.newaxis])
    if isinstance(group_by, str) and group_by == CLASSES:
        features, argument = y, "y"
    elif group_by is not None:
        features, argument = X.labels if isinstance(X, RemoteMatrix) else take_columns(X, group_by), "group_by"
    else:
        features, argument = sensitive_features, "sensitive_features"
    least = 1 if min_group_size is None else whole(min_group_size, "min_group_size", minimum=1)
    groups = read_sensitive_features(
        features, n, crossed=crossed, missing_groups=missing_groups, min_group_size=least, argument=argument
    )
    _check(groups if weight is None else groups.subset(weight > 0), argument, told=min_group_size is not None)
    return groups


def _check(groups: Groups, argument: str, *, told: bool) -> None:
    """Refuse one group, too many groups and, unless ``told`` what to do with small groups, groups of one row."""
    sizes, names = groups.sizes, groups.names
    if np.count_nonzero(sizes) == 1:
        only = names[int(sizes.argmax())]
        raise ProblemError(
            f"{argument} must hold at least two {'classes' if argument == 'y' else 'groups'}; got only {only!r}. "
            "Without groups, leave it out: the model is then the ordinary one."
        )
    if len(names) > MOST_GROUPS:
        raise ProblemError(
            f"{argument} must hold at most {MOST_GROUPS} groups; got {len(names)} for {groups.n_rows} rows. If it is a "
            "column of identifiers, choose another; min_group_size merges small groups, and group_by='rows' makes "
            "every row a group."
        )
    if not told and (sizes == 1).any():
        j = int(np.argmax(sizes == 1))
        raise ProblemError(
            f"{argument} must hold groups of at least two rows; got one row of group {names[j]!r}. Merge small groups "
            "by min_group_size=20, or keep them as they are by min_group_size=1."
        )


def without_empty(groups: Groups) -> Groups:
    """The groups that have rows, numbered anew."""
    present = groups.sizes > 0
    if present.all():
        return groups
    number = np.cumsum(present) - 1
    names = [name for name, there in zip(groups.names, present, strict=True) if there]
    return replace(groups, names=names, numbers=number[groups.numbers])
