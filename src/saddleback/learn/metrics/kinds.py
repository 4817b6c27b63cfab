"""Which kind of prediction it is: probabilities, labels or values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._validation import real_array
from ...errors import ProblemError
from ...losses.grouped.input.labels import label_vector, listed, read_labels

KINDS = {
    "probability": "probabilities of the positive class, or of every class in columns",
    "label": "predicted classes",
    "value": "predicted numbers",
}
"""The kinds of predictions."""

ROUNDING = 1e-6
"""How far a probability may be outside of 0 to 1: sums and products of rounded ones are."""


def recognise(y: NDArray[Any], prediction: Any) -> str:
    """The kind of a prediction.

    - A matrix holds probabilities.
    - Booleans, texts and other objects are labels.
    - Numbers are labels if y has at most two classes and they are among these (0 and 1 for booleans), and
      probabilities if y has at most two classes and they are from 0 to 1, up to rounding. Other numbers for a y of two
      values are refused: they may be margins.
    - Numbers for more than two classes are labels if y is text, or if both are whole numbers by their type and the
      predicted ones occur in y; else they are values, where y holds numbers. So they are where y holds fractions.
    """
    numbers = _numbers(prediction)
    _refuse_exchanged(y, prediction)
    if numbers is None:
        return _label_or_refused(y, prediction)
    if numbers.ndim > 1:
        return "probability"
    classes, _ = read_labels(y, "y", y.size)
    in_numbers = [label for label in classes if isinstance(label, int | float)]
    among = bool(np.isin(numbers, [0, 1] if set(classes) <= {0, 1} else in_numbers).all())
    of_numbers = y.dtype.kind in "iuf" or (y.dtype.kind == "O" and _numbers(y) is not None)
    fractions = of_numbers and any(label != round(label) for label in classes[:3])
    if fractions or len(classes) > 2 or (len(classes) == 1 and of_numbers and classes[0] not in (0, 1)):
        if of_numbers:
            return "label" if among and len(classes) > 2 and _whole(y) and _whole(numbers) else "value"
        return _label_or_refused(y, prediction)
    if among:
        return "label"
    inside = are_probabilities(numbers)
    if inside.all():
        return "probability"
    row = int(np.argmin(inside))
    raise ProblemError(
        f"prediction must be probabilities or labels, because y has the values {listed(classes)}; got "
        f"{numbers[row]:.10g} in row {row}. Turn margins into probabilities; for numbers that predict the number y, "
        "pass kind='value'."
    )


def are_probabilities(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Which numbers are from 0 to 1, up to rounding; NaN is not."""
    inside: NDArray[np.bool_] = (numbers >= -ROUNDING) & (numbers <= 1 + ROUNDING)
    return inside


def _refuse_exchanged(y: NDArray[Any], prediction: Any) -> None:
    """Refuse a y of probabilities beside a prediction of two labels."""
    targets = _numbers(y)
    if targets is None or targets.dtype.kind != "f" or getattr(prediction, "ndim", 1) > 1:
        return
    probabilities = are_probabilities(targets).all() and not np.isin(targets, [0, 1]).all()
    if probabilities and _two_labels(prediction):
        raise ProblemError(
            "y must be the targets, and prediction what a model says of them; got probabilities as y and two labels as "
            "prediction. Are they exchanged? The order is (y, prediction). If y are numbers all the same, pass "
            "kind='value'."
        )


def _two_labels(prediction: Any) -> bool:
    """Whether both of 0 and 1 occur and nothing else does, or two values that are no numbers."""
    numbers = _numbers(prediction)
    if numbers is None:
        return len(set(label_vector(prediction, "prediction", None).tolist())) == 2
    return bool(np.isin(numbers, [0, 1]).all() and numbers.min() < numbers.max())


def _numbers(prediction: Any) -> NDArray[Any] | None:
    """The prediction as an array of numbers; None where it holds booleans, text or other objects."""
    try:
        array = real_array(prediction)
    except (TypeError, ValueError):
        return None
    if isinstance(prediction, list | tuple) and all(isinstance(entry, bool | np.bool_) for entry in prediction):
        return None
    return None if array.dtype.kind == "b" else array


def _whole(x: NDArray[Any]) -> bool:
    return x.dtype.kind in "iu" or (x.dtype.kind == "O" and all(isinstance(entry, int | np.integer) for entry in x))


def _label_or_refused(y: NDArray[Any], prediction: Any) -> str:
    """Labels, if any of them occurs in y."""
    classes, _ = read_labels(y, "y", y.size)
    predicted, _ = read_labels(label_vector(prediction, "prediction", None), "prediction", y.size)
    if not set(classes) & set(predicted):
        raise ProblemError(
            f"prediction must hold labels of y, {listed(classes)}, or probabilities; got {listed(predicted)}. If these "
            "are labels all the same, pass kind='label'."
        )
    return "label"
