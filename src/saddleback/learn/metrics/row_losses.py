"""The loss of every row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._types import EPS, Vector
from ..._validation import finite_vector, lookup
from .outcome import Outcome


def _log(at: Outcome) -> Vector:
    # As in scikit-learn, so that one wrong certainty does not make the mean infinite.
    return -np.log(np.maximum(at.prediction[np.arange(at.y.size), at.y], EPS))


def _brier(at: Outcome) -> Vector:
    if at.binary:
        return (at.prediction[:, 1] - (at.y == 1)) ** 2
    return ((at.prediction - np.eye(len(at.classes))[at.y]) ** 2).sum(axis=1)


def _zero_one(at: Outcome) -> Vector:
    return (at.decided != at.y).astype(np.float64)


def _squared(at: Outcome) -> Vector:
    return (at.prediction - at.y) ** 2


def _absolute(at: Outcome) -> Vector:
    return np.abs(at.prediction - at.y)


LOSSES: dict[str, dict[str, Callable[[Outcome], Vector]]] = {
    "probability": {"log": _log, "brier": _brier, "zero_one": _zero_one},
    "label": {"zero_one": _zero_one},
    "value": {"squared": _squared, "absolute": _absolute},
}
"""The losses of each kind of prediction; the first one is the default."""


def row_losses(at: Outcome, loss: Any, y: Any, prediction: Any) -> tuple[str, Vector]:
    """The name of the loss, and its value at every row. A user's own is called with y and prediction as arrays."""
    if callable(loss):
        name = getattr(loss, "__name__", type(loss).__name__)
        return name, finite_vector(
            loss(np.asarray(y), np.asarray(prediction)), f"what the loss {name} returns", at.y.size
        )
    known = LOSSES[at.kind]
    name = next(iter(known)) if loss is None else loss
    return name, lookup(known, name, f"loss of a {at.kind}")(at)
