"""Rows that are no news: there more than once, in the training table and in a test file, or known to a saved model."""

from __future__ import annotations

from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ProblemError
from ..learn.evidence.copied_rows import MANY_ERRORS, copied_rows, seen_rows
from ..tabular import Finding
from .table_rows import TableRows

MOST_SEEN = 0.5
"""A test file with a larger share of training rows is refused: it would say more about memory than about new rows."""


def copies(rows: TableRows) -> list[Finding]:
    """A warning where rows are there more than once."""
    copied = int(copied_rows(rows.X, _coded(_labels(rows))).sum())
    if not copied:
        return []
    message = (
        f"{copied:,} of {len(rows):,} rows are exact copies of others, in all features, the target and the groups: "
        "held-out figures are too good where a copy was in training. Keep one of each, unless they are separate cases."
    )
    return [Finding("", "copies", "warning", message)]


def seen_in_training(rows: TableRows, test: TableRows) -> list[Finding]:
    """A warning where test rows are copies of training rows; where most of them are, they are refused."""
    n, labels = len(rows), _coded(_labels(rows), _labels(test))
    equal, seen = seen_rows((rows.X, [column[:n] for column in labels]), (test.X, [column[n:] for column in labels]))
    if not seen:
        return []
    which = f"{equal:,} of {len(test):,}"
    if seen > MOST_SEEN:
        raise ProblemError(
            f"the test rows must be rows that the model has not seen; {which} are equal to rows of the fit. Pass other "
            "rows, or none: then folds of the training rows are held out."
        )
    message = (
        f"{which} test rows are equal to training rows in all features, the target and the groups, more than chance "
        "explains: the figures of the test rows are too good. Leave them out of one of the files."
    )
    return [Finding("", "copies", "warning", message)]


def known_to(saved: Any, correction: Any) -> list[Finding]:
    """A warning where a saved model does better on the rows of its correction than it does on held-out rows.

    Both have selections: the first candidate of a correction is the saved model as it is, and the chosen candidate of
    the saved model's own selection was judged by rows that it had not seen.
    """
    own, new = getattr(saved, "selection_", None), getattr(correction, "selection_", None)
    if own is None or new is None or own.scoring != new.scoring:
        return []
    expected, error = (own.candidates[name][own.choice.chosen] for name in ("average_loss", "average_loss_error"))
    here, error_here = (new.candidates[name][0] for name in ("average_loss", "average_loss_error"))
    if not expected - here > MANY_ERRORS * hypot(error, error_here):
        return []
    message = (
        f"The saved model has a loss of {here:.3g} on these rows, and of {expected:.3g} on rows that were held out "
        "when it was fitted: it seems to have seen these rows, so that all figures here are too good. Correct it by "
        "rows that are new to it."
    )
    return [Finding("", "copies", "warning", message)]


def _labels(rows: TableRows) -> list[NDArray[Any]]:
    return [rows.y, *rows.groups.values()]


def _coded(labels: list[NDArray[Any]], more: list[NDArray[Any]] | None = None) -> list[NDArray[Any]]:
    """Numbers as they are, other labels by their numbers, which are the same in both lists."""
    if more is not None:
        labels = [np.concatenate(pair) for pair in zip(labels, more, strict=True)]
    return [column if column.dtype.kind in "biuf" else _numbered(column.tolist()) for column in labels]


def _numbered(labels: list[Any]) -> NDArray[Any]:
    number = {label: k for k, label in enumerate(dict.fromkeys(labels))}
    return np.array([number[label] for label in labels])
