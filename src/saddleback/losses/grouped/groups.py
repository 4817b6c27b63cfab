"""Groups as users give them: labels, or a membership matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._sparse import to_coordinates
from ..._types import Vector
from ..._validation import real_array
from ...errors import ProblemError
from .labels import encode, label_vector
from .memberships import Memberships


def read_groups(groups: Any, sample_weight: Any, n_rows: int) -> Memberships:
    """Labels, or a membership matrix (n, J), with optional weights of the rows."""
    names, row, group, membership = _pairs(groups, n_rows)
    present = np.bincount(group, minlength=len(names))
    if not present.all():
        j = int(np.flatnonzero(present == 0)[0])
        raise ProblemError(
            f"every group must have rows; got none for group {names[j]!r}. Remove its column, or the unused category."
        )
    weight = membership
    if sample_weight is not None:
        with np.errstate(over="ignore"):
            weight = membership * _sample_weights(sample_weight, n_rows)[row]
        if not np.isfinite(weight).all():
            raise ProblemError("memberships times sample weights must be finite; got an overflow. Rescale the weights.")
    kept = weight > 0
    row, group, weight = row[kept], group[kept], weight[kept]
    sizes = np.bincount(group, minlength=len(names))
    if not sizes.all():
        j = int(np.flatnonzero(sizes == 0)[0])
        raise ProblemError(
            f"every group must have a positive weight; got weight 0 for all rows of group {names[j]!r}. Remove the "
            "group, or give one of its rows a weight."
        )
    # Relative to the largest first, so that no sum of weights overflows.
    largest = np.zeros(len(names))
    np.maximum.at(largest, group, weight)
    relative = weight / largest[group]
    totals = np.bincount(group, relative, minlength=len(names))
    with np.errstate(over="ignore"):
        weights = totals * largest
    return Memberships(n_rows, names, row, group, relative / totals[group], sizes, weights)


def _pairs(groups: Any, n_rows: int) -> tuple[list[Any], NDArray[np.intp], NDArray[np.intp], Vector]:
    if sp.issparse(groups):
        return _from_matrix(to_coordinates(groups, "groups"), list(range(groups.shape[1])), n_rows)
    try:
        array = np.asarray(groups) if hasattr(groups, "__array__") or _holds_lists(groups) else None
    except ValueError as error:
        raise ProblemError(f"groups must be labels or a membership matrix; got rows that differ ({error}).") from error
    if array is not None and array.ndim == 2:
        return _from_matrix(array, list(getattr(groups, "columns", range(array.shape[1]))), n_rows)
    labels = label_vector(groups, "groups", n_rows)
    names, codes = encode(labels, "groups")
    categories = getattr(getattr(groups, "dtype", None), "categories", None)
    if categories is not None:
        # A categorical column of pandas: its own order, and a level without rows is an empty group.
        number = {name: i for i, name in enumerate(categories)}
        codes = np.array([number[name] for name in names], dtype=np.intp)[codes]
        names = list(categories)
    return names, np.arange(n_rows), codes, np.ones(n_rows)


def _holds_lists(groups: Any) -> bool:
    """Whether ``groups`` is a matrix written as a list of lists; a list of tuples is a list of labels."""
    return isinstance(groups, list | tuple) and len(groups) > 0 and isinstance(groups[0], list | np.ndarray)


def _from_matrix(matrix: Any, names: list[Any], n_rows: int) -> tuple[list[Any], Any, Any, Vector]:
    if matrix.shape[0] != n_rows or matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ProblemError(
            f"groups must be labels, one per row of X, or a membership matrix of shape ({n_rows}, J); got shape "
            f"{matrix.shape}."
        )
    if matrix.dtype.kind not in "biuf":
        raise ProblemError(
            f"a membership matrix must hold booleans or weights >= 0; got entries of type {matrix.dtype}. Labels are "
            "a vector, not a matrix."
        )
    entries = sp.coo_array(matrix)
    entries.sum_duplicates()
    row, group = entries.coords
    membership = entries.data.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(membership) | (membership < 0))
    if bad.size:
        i = bad[0]
        raise ProblemError(
            f"memberships must be finite and >= 0; got {membership[i]:g} in row {row[i]}, column {group[i]}."
        )
    if matrix.shape[1] == 1 and (membership.size != n_rows or np.ptp(membership) > 0):
        raise ProblemError(
            f"a membership matrix of one column is one group of all rows; got a column of different numbers, of shape "
            f"({n_rows}, 1). If these are labels, pass a vector."
        )
    kept = membership > 0
    return names, row[kept].astype(np.intp), group[kept].astype(np.intp), membership[kept]


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
