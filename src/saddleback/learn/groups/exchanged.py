"""Names of columns in the place of labels, and labels in the place of names."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ProblemError
from ...losses.grouped.input.frames import columns_of
from ...losses.grouped.input.labels import listed
from .group_input import refuse_ambiguous


def refuse_exchanged(X: Any, sensitive_features: Any, group_by: Any) -> None:
    """Refuse ``sensitive_features`` that are names of columns of X, and a ``group_by`` of one label per row.

    A ``group_by`` that may be a column or one of the words for other groups is refused as well.
    """
    refuse_ambiguous(X, group_by)
    columns = columns_of(X)
    names = [] if columns is None else [name for name, _ in columns]
    positions = range(getattr(X, "shape", (0, 0))[-1]) if columns is None else ()
    _refuse_names(sensitive_features, names, _length(X))
    _refuse_labels(group_by, [*names, *positions], _length(X))


def _refuse_names(sensitive_features: Any, known: list[Any], n_rows: int) -> None:
    names = [sensitive_features] if isinstance(sensitive_features, str) else sensitive_features
    if not isinstance(names, list | tuple) or not names or len(names) == n_rows:
        return
    if all(isinstance(name, str) and name in known for name in names):
        raise ProblemError(
            f"sensitive_features must be the labels of the rows; got {listed(list(names))}: these are names of columns "
            f"of X. Pass group_by={list(names)!r} to the estimator, or the columns themselves: "
            f"sensitive_features=X[{list(names)!r}]."
        )


def _refuse_labels(group_by: Any, known: list[Any], n_rows: int) -> None:
    of_columns = columns_of(group_by) is not None
    if group_by is None or isinstance(group_by, str) or not (of_columns or _length(group_by) == n_rows):
        return
    entries = [] if of_columns else np.asarray(group_by).ravel().tolist()
    if of_columns or any(entry not in known for entry in entries):
        raise ProblemError(
            f"group_by must name columns of X; got {type(group_by).__name__} of {len(group_by)} rows. Pass labels as "
            "sensitive_features: fit(X, y, sensitive_features=...)."
        )


def _length(x: Any) -> int:
    """The number of rows or entries; -1 for what has none."""
    shape = getattr(x, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else -1
    return len(x) if isinstance(x, list | tuple) else -1
