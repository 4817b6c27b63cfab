"""The argument X of the estimators: a matrix of numbers, without the columns that only name groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from ...errors import ProblemError
from ...losses.grouped.input.frames import Columns, columns_of, matrix_of
from ...losses.grouped.remedies import ENCODE
from ..groups import take_columns
from .remote import RemoteMatrix

DTYPES = (np.float64, np.float32)


def read_features(estimator: Any, X: Any, dropped: list[Any], *, reset: bool) -> Any:
    """X as a matrix of numbers, dense or in CSR format, without the columns named in ``dropped``.

    With ``reset``, as in ``fit``, the estimator learns the number and the names of the columns; otherwise they are
    compared with those of the fit, where a data frame may leave out the dropped columns.
    """
    if columns_of(X) is None and not dropped and not isinstance(X, RemoteMatrix):
        return _without_duplicates(validate_data(estimator, X, reset=reset, **_options(1 + reset)))
    taken = read_input(estimator, X, dropped, reset=reset)
    return taken if isinstance(taken, RemoteMatrix) else as_numbers(taken, 1 + reset)


def read_input(estimator: Any, X: Any, dropped: list[Any], *, reset: bool) -> Any:
    """X as another model may take it: a frame with all its types, or a matrix, without the columns in ``dropped``.

    The number and the names of the columns are learned or compared as in `read_features`.
    """
    if isinstance(X, RemoteMatrix):
        return _read_remote(estimator, X, dropped, reset=reset)
    columns = columns_of(X)
    if columns is not None:
        names = [name for name, _ in columns]
        _refuse_repeated(names)
        # A tuple of group_by that is itself the name of a column; see `take_columns`.
        dropped = [tuple(dropped)] if tuple(dropped) in names else dropped
    if columns is None and not dropped:
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=None,
            ensure_all_finite=False,
            ensure_min_samples=1 + reset,
        )
    if not reset and columns is not None and dropped and not any(name in dropped for name, _ in columns):
        _check_names(estimator, columns, dropped)
        return X
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return without_columns(X, dropped) if dropped else X


def _read_remote(estimator: Any, X: RemoteMatrix, dropped: list[Any], *, reset: bool) -> RemoteMatrix:
    """Features elsewhere, whose numbers were checked, and columns left out, when they were read."""
    if dropped and X.labels is None:
        raise ProblemError(
            f"group_by must be columns of a frame or a matrix; got {dropped!r} with features elsewhere. Pass the "
            "labels as sensitive_features."
        )
    validate_data(estimator, X if X.given is None else X.given, reset=reset, skip_check_array=True)
    return X


def without_columns(X: Any, names: list[Any]) -> Any:
    """X without the columns of these names, or at these positions of a matrix."""
    columns = columns_of(X)
    take_columns(X, names)  # refuses unknown ones
    kept = [j for j in range(X.shape[1]) if (j if columns is None else columns[j][0]) not in names]
    if not kept:
        raise ProblemError("X must have features besides the columns of group_by; keep_group_columns=True keeps them.")
    return at_positions(X, kept)


def at_positions(X: Any, positions: list[int]) -> Any:
    """Some columns of a frame or a matrix."""
    columns = columns_of(X)
    if columns is None:
        return X.tocsr()[:, positions] if sp.issparse(X) else np.asarray(X)[:, positions]
    if hasattr(X, "iloc"):
        return X.iloc[:, positions]
    return X.select([columns[j][0] for j in positions])


def _refuse_repeated(names: list[Any]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ProblemError(
            f"X must have columns of different names; got {twice!r} {names.count(twice)} times. Rename them, or drop "
            "copies: X.loc[:, ~X.columns.duplicated()]."
        )


def _check_names(estimator: Any, columns: Columns, dropped: list[Any]) -> None:
    """Refuse a data frame that has neither all columns of the fit nor all that were not dropped."""
    names, known = [name for name, _ in columns], getattr(estimator, "feature_names_in_", None)
    if known is None:
        raise ProblemError(
            "X must have all columns of the fit, those of group_by as well, because names of columns are remembered "
            f"only where all of them are texts; got {', '.join(map(repr, names[:10]))}."
        )
    expected = [name for name in known if name not in dropped]
    if names != expected:
        raise ProblemError(
            "X must have the columns of the fit in their order, with or without those of group_by; got "
            f"{', '.join(map(repr, names[:10]))}, expected {', '.join(map(repr, expected[:10]))}."
        )


def as_numbers(X: Any, min_samples: int = 1, remedy: str = ENCODE) -> Any:
    """A frame or a matrix as a matrix of numbers, dense or in CSR format; columns of others are told a remedy."""
    matrix = X if columns_of(X) is None else matrix_of(X, "X", remedy)
    return _without_duplicates(check_array(matrix, input_name="X", **_options(min_samples)))


def _options(min_samples: int) -> dict[str, Any]:
    """In C order, so that the same numbers give the same bits, in a frame or in an array."""
    return {"accept_sparse": "csr", "dtype": DTYPES, "order": "C", "ensure_min_samples": min_samples}


def _without_duplicates(matrix: Any) -> Any:
    if sp.issparse(matrix) and not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix
