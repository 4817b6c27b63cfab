"""The argument y of the estimators: classes, or numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d

from ..._types import Vector
from ..._validation import real_array
from ...errors import ProblemError
from ...losses.grouped.input.labels import read_labels
from ..groups.group_input import CLASSES


def read_classes(y: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The classes in their order, and the number 0, ..., K - 1 of the class of each row."""
    y = column_or_1d(y, warn=True)
    refuse_mixed(y)
    assert_all_finite(y, input_name="y")
    try:
        check_classification_targets(y)
    except ValueError as error:
        raise ProblemError(f"{str(error).rstrip('.')}. Classes are expected; numbers ask for a regression.") from error
    classes, codes = np.unique(y, return_inverse=True)
    if classes.size < 2:
        raise ProblemError(f"y must hold at least two classes; got one class only, {classes.tolist()[0]!r}.")
    return classes, codes


def refuse_mixed(y: NDArray[Any]) -> None:
    """Refuse objects that are missing, or that cannot be sorted."""
    if y.dtype.kind != "O" or y.ndim != 1:
        return
    labels, _ = read_labels(y, "y", y.size)
    try:
        sorted(labels)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in labels})
        raise ProblemError(
            f"y must hold labels of one type, which can be sorted; got {' and '.join(kinds)}. Convert them, as by "
            "list(map(str, y))."
        ) from error


def read_numbers(y: Any, group_by: Any) -> Vector:
    """Finite numbers that vary; they make no groups."""
    if isinstance(group_by, str) and group_by == CLASSES:
        raise ProblemError(
            "group_by='classes' is for classifiers; got a regressor. Pass columns, 'rows' or sensitive_features."
        )
    y = column_or_1d(y, warn=True)
    try:
        numbers = real_array(y).astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"y must hold numbers for a regression; got {y.dtype} ({error}).") from error
    assert_all_finite(numbers, input_name="y")
    if np.ptp(numbers) == 0.0:
        raise ProblemError(f"y must vary; got the number {numbers[0]:g} in every row, and nothing is left to fit.")
    return numbers
