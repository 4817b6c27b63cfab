"""The column of weights of a table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .._types import Vector
from ..errors import ProblemError

LARGEST_RATIO = 1e12
"""Of weights: beside a row of so much more weight the others are rounding errors of a mean."""


def weights_of(table: pa.Table, name: str) -> Vector:
    """The numbers of a column, finite and >= 0, one for every row."""
    if name not in table.column_names:
        raise ProblemError(f"the rows lack the column {name!r} of weights.")
    column = table.column(name)
    try:
        numbers = pc.cast(column, pa.float64())
    except pa.ArrowException as error:
        raise ProblemError(f"the weights in {name!r} must be numbers; got values of the type {column.type}.") from error
    if numbers.null_count:
        raise ProblemError(f"the weights in {name!r} must be there in every row; {numbers.null_count} are missing.")
    weights = numbers.to_numpy()
    wrong = weights[~(np.isfinite(weights) & (weights >= 0.0))]
    if wrong.size:
        raise ProblemError(f"the weights in {name!r} must be finite and at least 0; got {wrong[0]:g}.")
    return np.asarray(weights)


def check_weights(weights: Vector, name: str) -> None:
    """Refuse weights of all rows that are all 0, or too far apart."""
    if not weights.any():
        raise ProblemError(f"the weights in {name!r} are 0 in all rows; one at least must be positive.")
    positive = weights[weights > 0.0]
    if positive.max() > LARGEST_RATIO * positive.min():
        raise ProblemError(
            f"the weights in {name!r} differ too much: from {positive.min():g} to {positive.max():g}, expected a ratio "
            f"of at most {LARGEST_RATIO:g} (or 0, for rows that do not count)."
        )
