"""What held-out rows are judged by: one number per row, smaller is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from ..._types import Matrix, Vector
from ...errors import ProblemError
from ...losses.grouped.pointwise_loss import PointwiseLoss
from ...losses.grouped.pointwise_losses import Logistic, Softmax
from ..fitting.pointwise import row_losses

LOSS = "loss"


@dataclass(frozen=True, eq=False)
class RowScore:
    """The score of every row for its margin; NaN for a row that does not count."""

    name: str
    of_margins: Callable[[Any, NDArray[Any]], Vector]

    def __call__(self, eta: Any, y: NDArray[Any]) -> Vector:
        """``eta`` of shape (n,) or (n, K); y as classes 0, ..., K - 1 or as numbers."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self.of_margins(eta, y)


def find_score(scoring: Any, loss: PointwiseLoss, classes: NDArray[Any] | None) -> RowScore:
    """By name, or a function of (y, prediction) that returns one number per row.

    The prediction is the (n, K) matrix of probabilities of a classifier with the logistic loss, the margins of another
    classifier, or the predicted numbers.
    """
    if callable(scoring):
        _refuse_scorer(scoring)
        name = getattr(scoring, "__name__", type(scoring).__name__)
        return RowScore(name, lambda eta, y: _checked(scoring(_labels(y, classes), prediction_of(eta, loss)), y, name))
    known = {LOSS: lambda eta, y: row_losses(loss, eta, y)}
    known |= OF_NUMBERS if classes is None else _of_classes(loss, classes.size)
    if scoring is None:
        scoring = LOSS
    if not isinstance(scoring, str) or scoring not in known:
        names = ", ".join(map(repr, known))
        raise ProblemError(f"scoring must be one of {names}, or a function (y, prediction); got {scoring!r}.")
    if classes is None and loss.response == "count" and scoring != LOSS:
        return RowScore(scoring, lambda eta, y: known[scoring](np.exp(eta), y))
    return RowScore(scoring, known[scoring])


def _refuse_scorer(scoring: Any) -> None:
    """Refuse scorers of scikit-learn, functions of (estimator, X, y)."""
    try:
        first = next(iter(signature(scoring).parameters), None)
    except (TypeError, ValueError):
        return
    if first == "estimator":
        raise ProblemError(
            f"scoring must be a function of (y, prediction) that returns one number per row, the smaller the better; "
            f"got the scorer {shortened(scoring)} of (estimator, X, y). The worst group is taken anyway: pass the name "
            "of a score, such as 'error_rate', or the loss of every row."
        )


def prediction_of(eta: Any, loss: PointwiseLoss) -> Any:
    """Probabilities, margins, means of counts, or numbers."""
    if loss.response == "count":
        return np.exp(eta)
    if not isinstance(loss, Logistic | Softmax):
        return eta
    return np.column_stack([expit(-eta), expit(eta)]) if eta.ndim == 1 else np.asarray(softmax(eta, axis=1))


def _error(eta: Any, y: NDArray[Any]) -> Vector:
    predicted = (eta > 0).astype(np.intp) if eta.ndim == 1 else eta.argmax(axis=1)
    return (predicted != y).astype(np.float64)


def _error_among(of_class: int) -> Callable[[Any, NDArray[Any]], Vector]:
    """The errors of the rows of one class; the others do not count."""
    return lambda eta, y: np.where(y == of_class, _error(eta, y), np.nan)


def _brier(eta: Any, y: NDArray[Any]) -> Vector:
    if eta.ndim == 1:
        return (expit(eta) - y) ** 2
    p: Matrix = np.asarray(softmax(eta, axis=1))
    p[np.arange(y.size), y] -= 1.0
    return (p * p).sum(axis=1)


OF_CLASSES = {
    "error_rate": _error,
    "false_negative_rate": _error_among(1),
    "false_positive_rate": _error_among(0),
    "brier": _brier,
}
OF_NUMBERS = {
    "squared_error": lambda prediction, y: (prediction - y) ** 2,
    "absolute_error": lambda prediction, y: np.abs(prediction - y),
}


def _of_classes(loss: PointwiseLoss, n_classes: int) -> dict[str, Callable[[Any, NDArray[Any]], Vector]]:
    """The scores that make sense: rates of two classes, probabilities of the logistic loss."""
    left_out = set() if n_classes == 2 else {"false_negative_rate", "false_positive_rate"}
    left_out |= set() if isinstance(loss, Logistic | Softmax) else {"brier"}
    return {name: score for name, score in OF_CLASSES.items() if name not in left_out}


def _labels(y: NDArray[Any], classes: NDArray[Any] | None) -> NDArray[Any]:
    return y if classes is None else classes[y]


def _checked(scores: Any, y: NDArray[Any], name: str) -> Vector:
    array = np.asarray(scores, dtype=np.float64)
    if array.shape != y.shape:
        raise ProblemError(f"scoring {name} must return one number per row, {y.size}; got shape {array.shape}.")
    if np.isinf(array).any():
        raise ProblemError(
            f"scoring {name} must return finite numbers, or NaN for rows that do not count; got "
            f"{array[np.isinf(array)][0]:g}. Keep probabilities above 0 before their logarithms are taken."
        )
    return array
