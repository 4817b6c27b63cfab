"""Arguments X of the estimators that are tables in files: features are read in every pass, columns of groups once."""

from __future__ import annotations

import os
from collections.abc import Callable
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ProblemError
from ...losses import FileTable
from ...losses.grouped.files.named_columns import named_columns, refuse_number
from ...losses.grouped.partitions.features import PartitionedFeatures
from ...losses.grouped.partitions.ranges import side_by_side
from ...losses.grouped.partitions.streaming import streamed_features
from ...losses.grouped.tables.streamed_table import StreamedTable
from ...machine.resources import cores


def refuse_path(X: Any) -> None:
    """Refuse the name of a file or of a folder in the place of its table."""
    if isinstance(X, str | os.PathLike):
        raise ProblemError(
            f"X must be a matrix, a data frame or a FileTable; got the text or path {shortened(os.fspath(X))}. Pass "
            "saddleback.FileTable(path) for a table in files."
        )


def with_columns_read(
    X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None
) -> tuple[Any, Any, Any, Any]:
    """The same arguments; where X is a `FileTable`, columns of it that others name are read, and are no features."""
    if not isinstance(X, FileTable):
        return X, y, sensitive_features, sample_weight
    for name, argument in (("y", y), ("sensitive_features", sensitive_features)):
        refuse_number(argument, name)
    targets, labels, weights = (named_columns(X, argument) for argument in (y, sensitive_features, sample_weight))
    for name, columns in (("y", targets), ("sample_weight", weights)):
        if len(columns) > 1:
            raise ProblemError(f"{name} must be one column of X; got the names {columns!r:.100}. Name one of them.")
    if targets:
        y = X[targets[0]]
    if labels:
        sensitive_features = {name: X[name] for name in labels}
    if weights:
        sample_weight = X[weights[0]]
    features = [name for name in X.columns if name not in (*targets, *labels, *weights)]
    return X if features == X.columns else X[features], y, sensitive_features, sample_weight


def features_in_files(table: FileTable) -> PartitionedFeatures:
    """The features of a table, checked."""
    return streamed_features(table.blocks(), memory=table.memory)


def without_rows(table: FileTable) -> Any:
    """A frame or a matrix of no rows with the features of a table."""
    return frame_of(np.empty((0, len(table.columns))), names_of_table(table))


def features_of_model(table: FileTable, model: Any) -> FileTable:
    """The features of a fitted model by their names, where the table has them all, among other columns."""
    dropped, known = model._dropped_columns(), getattr(model, "feature_names_in_", None)
    wanted = [] if known is None else [name for name in known.tolist() if name not in dropped]
    if wanted and set(wanted) <= set(table.columns):
        return table[wanted]
    # Without the columns of groups that are no features, where columns have names and the table has these.
    present = [name for name in dropped if isinstance(name, str) and name in table.columns]
    return table.drop(present) if present else table


def read_by_blocks(table: FileTable, function: Callable[[Any], NDArray[Any]], names: list[str] | None) -> NDArray[Any]:
    """A function of a frame with these names, or of a matrix, with an entry or a line for each row, of all rows."""
    sections = StreamedTable.sections_of(table.blocks())
    answers: list[Any] = [None] * len(sections)

    def answer(k: int) -> None:
        parts = [np.asarray(function(frame_of(piece, names))) for piece in sections[k].pieces()]
        answers[k] = np.concatenate(parts)

    side_by_side(answer, range(len(sections)), cores())
    return np.concatenate(answers) if answers else np.asarray(function(without_rows(table)))


def frame_of(X: NDArray[Any], names: list[str] | None) -> Any:
    """X with the names of its columns, as estimators take them: in a data frame, where pandas is there."""
    if names is None:
        return X
    try:
        import pandas
    except ImportError:
        return X
    return pandas.DataFrame(X, columns=names, copy=False)


def names_of_table(table: FileTable) -> list[str] | None:
    """The names of the features; None where these have positions only."""
    return list(table.columns) if all(isinstance(name, str) for name in table.columns) else None
