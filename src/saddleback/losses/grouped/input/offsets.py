"""The argument ``offset``: a number per row, or per row and class, that is added to the margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...._types import Matrix
from ...._validation import real_array
from ....errors import ProblemError
from .frames import columns_of, matrix_of
from .labels import listed, refuse_masked
from .responses import LARGEST_RESPONSE


def read_offset(offset: Any, n_rows: int, classes: list[Any] | None = None) -> Matrix | None:
    """A copy of shape (n, K), with K = 1 unless there is a margin for each of the ``classes``; None for None."""
    if offset is None:
        return None
    refuse_masked(offset, "offset")
    columns = columns_of(offset)
    if columns is not None:
        if classes is not None:
            _check_order([name for name, _ in columns], classes)
        offset = matrix_of(offset, "offset")
    try:
        # A copy: the user may change the offset later.
        numbers = np.array(real_array(offset), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"offset must hold numbers; got {type(offset).__name__} ({error}).") from error
    numbers = _in_columns(numbers, n_rows, classes)
    bad = np.argwhere(~np.isfinite(numbers))
    if bad.size:
        row, column = bad[0]
        raise ProblemError(
            f"offset must be finite; got {numbers[row, column]} in row {row}. Margins of a model that is certain are "
            "infinite: clip its probabilities, or drop such rows."
        )
    row, column = np.unravel_index(np.abs(numbers).argmax(), numbers.shape)
    if abs(numbers[row, column]) > LARGEST_RESPONSE:
        raise ProblemError(
            f"offset must hold numbers up to {LARGEST_RESPONSE:g} in absolute value, so that squares of margins as "
            f"large are finite; got {numbers[row, column]:g} in row {row}. Clip the offset."
        )
    return numbers


def refuse_missing_offset(offset: Any) -> None:
    """Refuse other rows without an offset, where the losses were made with one: their margins would be others."""
    if offset is None:
        raise ProblemError(
            "offset must be given for these rows as well, because the losses were made with one; got None. Pass the "
            "offset of these rows, zeros where there is none."
        )


def _in_columns(numbers: Matrix, n_rows: int, classes: list[Any] | None) -> Matrix:
    if classes is not None:
        if numbers.shape != (n_rows, len(classes)):
            raise ProblemError(
                f"offset must have one number per row of X and class, in the order of the classes {listed(classes)}: "
                f"shape ({n_rows}, {len(classes)}); got shape {numbers.shape}."
            )
    elif numbers.shape not in ((n_rows,), (n_rows, 1)):
        raise ProblemError(f"offset must have one number per row of X, shape ({n_rows},); got shape {numbers.shape}.")
    return numbers.reshape(n_rows, -1)


def _check_order(names: list[Any], classes: list[Any]) -> None:
    """Refuse columns that are named by the classes and stand in another order; other names do not matter."""
    if names != classes and set(names) == set(classes):
        raise ProblemError(
            f"offset must have its columns in the order of the classes, {listed(classes)}; got {listed(names)}. Pass "
            "offset[losses.classes]."
        )
