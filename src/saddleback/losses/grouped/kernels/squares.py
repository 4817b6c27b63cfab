"""Sums of squares of the columns of a table, in one pass."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from numba import types
from numba.extending import overload

from .compiling import REORDERED, kernel, options


def _add_squares(X, rows, columns, factor, total):
    """total[j] += sum over i in rows of (factor x_ik)^2, k = columns[j]; one version per layout of X."""
    raise NotImplementedError


def _by_rows(X, rows, columns, factor, total):
    for i in range(rows.size):
        x = X[rows[i]]
        if columns.size == x.size:
            for k in range(x.size):
                total[k] += (factor * x[k]) * (factor * x[k])
        else:
            for j in range(columns.size):
                v = factor * x[columns[j]]
                total[j] += v * v


def _by_columns(X, rows, columns, factor, total):
    for j in range(columns.size):
        x = X[:, columns[j]]
        square = 0.0
        if rows.size == x.size:
            for i in range(x.size):
                square += (factor * x[i]) * (factor * x[i])
        else:
            for i in range(rows.size):
                v = factor * x[rows[i]]
                square += v * v
        total[j] += square


def _by_entries(X, rows, columns, factor, total):
    values, column = X
    for e in range(values.size):
        v = factor * values[e]
        total[column[e]] += v * v


@overload(_add_squares, jit_options=options(REORDERED))
def _choose(X, rows, columns, factor, total):
    if isinstance(X, types.BaseTuple):
        return _by_entries
    return _by_columns if X.layout == "F" else _by_rows


@kernel(REORDERED)
def add_squares(X, rows, columns, factor, total):
    """X is a matrix in C or Fortran order, with each of ``rows`` at most once and ``columns`` sorted.

    Or X is the pair (values, columns) of a sparse matrix: all its rows and columns are added.
    """
    _add_squares(X, rows, columns, factor, total)
