"""Columns of labels: those of ``sensitive_features``, and those that are named among the features."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from difflib import get_close_matches
from reprlib import repr as shortened
from typing import Any

import numpy as np
from scipy.sparse import csc_array, issparse

from ...errors import ProblemError
from ...losses.grouped.input.frames import Columns, columns_of
from ...losses.grouped.input.labels import NO_ROWS, listed, refuse_masked


def columns_of_features(features: Any, argument: str) -> Columns | None:
    """The names and columns of a frame, a dict, a matrix, or a list of rows; None for one vector of labels."""
    if issparse(features):
        raise ProblemError(
            f"{argument} must be labels; got a sparse matrix. Pass one vector of labels, or a data frame of columns."
        )
    refuse_masked(features, argument)
    columns = _named_columns(features, argument)
    if columns is None:
        return None
    names = [name for name, _ in columns]
    if not names:
        raise ProblemError(f"{argument} must have at least one column; got {type(features).__name__} without any.")
    if len(set(names)) < len(names):
        raise ProblemError(f"{argument} must have columns of different names; got {listed(names)}.")
    return columns


def _named_columns(features: Any, argument: str) -> Columns | None:
    columns = columns_of(features)
    if columns is not None:
        return columns
    if isinstance(features, Mapping):
        return list(features.items())
    if isinstance(features, NO_ROWS):
        raise ProblemError(
            f"{argument} must be a vector of labels or columns of them; got {type(features).__name__}. Pass a list, an "
            "array, a data frame, or a dict of columns."
        )
    if isinstance(features, np.ndarray) and features.ndim > 2:
        raise ProblemError(
            f"{argument} must be a vector or a matrix of labels; got an array of shape {features.shape}. Pass one "
            "column per attribute."
        )
    if isinstance(features, np.ndarray) and features.ndim == 2:
        return [(j, features[:, j]) for j in range(features.shape[1])]
    lines = _lines(features)
    return None if lines is None else [(j, list(column)) for j, column in enumerate(zip(*lines, strict=True))]


def _lines(features: Any) -> Any:
    """The lists or tuples of labels, one per row and all of the same length; None where ``features`` are labels."""
    of_objects = getattr(features, "dtype", None) == np.dtype(object)
    if not isinstance(features, list | tuple) and not of_objects:
        return None
    lines = list(features)
    if not lines or not isinstance(lines[0], list | tuple) or len(lines[0]) < 2:
        return None
    alike = all(isinstance(line, list | tuple) and len(line) == len(lines[0]) for line in lines)
    return lines if alike else None


def take_columns(X: Any, names: Any, *, argument: str = "group_by") -> dict[Any, Any]:
    """The named columns of X, as `saddleback.learn.read_sensitive_features` takes them.

    Parameters
    ----------
    X : data frame, array or sparse matrix
        A frame of pandas, Polars, Arrow or another library with named columns. The columns of a matrix have no names;
        they are asked for by position.
    names : name or list of names
        The columns, or the positions of those of a matrix. A tuple that is itself the name of a column, as in frames
        with several lines of names, is this column.
    argument : str
        What messages call ``names``.

    Returns
    -------
    dict
        Name or position -> column.

    Examples
    --------
    >>> import numpy as np
    >>> take_columns(np.array([[1, 5], [2, 6]]), [1])
    {1: array([5, 6])}
    """
    columns = columns_of(X)
    if columns is None:
        return {name: _at_position(X, name, argument) for name in listed_names(names, argument)}
    known = [name for name, _ in columns]
    wanted = [names] if isinstance(names, tuple) and names in known else listed_names(names, argument)
    for name in wanted:
        if name not in known:
            raise ProblemError(
                f"{argument} must name columns of X; got {name!r}, which is none of them. {_hint(name, known)}"
            )
        if known.count(name) > 1:
            raise ProblemError(
                f"{argument} must name one column each; got {name!r}, the name of {known.count(name)} columns of X. "
                "Rename them."
            )
    position = {name: j for j, name in enumerate(known)}
    return {name: columns[position[name]][1] for name in wanted}


def _hint(name: Any, known: list[Any]) -> str:
    """Which column may be meant."""
    prefixed = [column for column in known if str(column).endswith(f"__{name}")]
    if prefixed:
        return (
            f"Did you mean {prefixed[0]!r}? A ColumnTransformer puts the names of its steps before those of columns; "
            "with verbose_feature_names_out=False it does not."
        )
    near = get_close_matches(str(name), list(map(str, known)), n=3, cutoff=0.5)
    return f"Did you mean {' or '.join(map(repr, near))}?" if near else f"X has {listed(known)}."


def listed_names(names: Any, argument: str) -> list[Any]:
    """One or more names as a list."""
    wanted = [names] if isinstance(names, str | int | np.integer) else names
    if hasattr(wanted, "__array__"):
        wanted = np.asarray(wanted).ravel().tolist()
    if not isinstance(wanted, list | tuple) or not wanted or not all(isinstance(name, Hashable) for name in wanted):
        raise ProblemError(f"{argument} must be a column's name or a list of them; got {shortened(names)}.")
    if len(set(wanted)) < len(wanted):
        raise ProblemError(f"{argument} must name each column once; got {listed(list(wanted))}.")
    return list(wanted)


def _at_position(X: Any, name: Any, argument: str) -> Any:
    try:
        matrix = X if issparse(X) else np.asarray(X)
    except ValueError as error:
        raise ProblemError(f"X must be a data frame or a matrix; got {type(X).__name__} ({error}).") from error
    if matrix.ndim != 2:
        raise ProblemError(f"X must have columns to choose from; got an array of shape {matrix.shape}.")
    if isinstance(name, bool) or not isinstance(name, int | np.integer):
        raise ProblemError(
            f"{argument} must be positions of columns, because X ({type(X).__name__}) has no column names; got "
            f"{name!r}. Pass X as a data frame, or a number from 0 to {matrix.shape[1] - 1}."
        )
    if not 0 <= name < matrix.shape[1]:
        raise ProblemError(
            f"{argument} must be positions of columns of X, from 0 to {matrix.shape[1] - 1}; got {name}."
        )
    return csc_array(X)[:, [name]].toarray().ravel() if issparse(X) else matrix[:, name]
