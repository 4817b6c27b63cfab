"""The loss of every row for its margin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector
from ...errors import ProblemError
from ...losses.grouped.own_loss import find_loss
from ...losses.grouped.pointwise_loss import PointwiseLoss


def row_losses(loss: PointwiseLoss, eta: Any, y: NDArray[Any]) -> Vector:
    """ell(eta_i, y_i); y as classes 0, ..., K - 1, which two-class losses take as -1 and 1, or as numbers."""
    response = np.where(y == 1, 1.0, -1.0) if loss.response == "binary" else y
    with np.errstate(over="ignore", invalid="ignore"):
        return loss.value_and_slope(eta, response)[0]


def loss_unit(loss: PointwiseLoss, y: NDArray[Any], weight: Vector | None) -> float:
    """The magnitude of the losses: 1 for classes, the mean for counts, else the mean loss of a constant prediction.

    The constant is the better one of mean and median.
    """
    if loss.response in ("binary", "classes"):
        return 1.0
    mean = float(np.average(y, weights=weight))
    if loss.response == "count":
        return mean if mean > 0 else 1.0
    losses = [loss.value_and_slope(np.full(y.size, c), y)[0] for c in (mean, float(np.median(y)))]
    unit = float(np.nanmin([np.average(values, weights=weight) for values in losses]))
    return unit if 0.0 < unit < np.inf else 1.0


def classification_loss(loss: Any, n_classes: int) -> PointwiseLoss:
    """The loss of a classifier: "auto" and "logistic" mean softmax where there are more than two classes."""
    if isinstance(loss, str) and loss in ("auto", "logistic"):
        loss = "logistic" if n_classes == 2 else "softmax"
    pointwise = find_loss(loss)
    if pointwise.response not in ("binary", "classes"):
        raise ProblemError(
            f"loss of a classifier must be one for classes, such as 'logistic'; got {loss!r}. For numbers use "
            "MinimaxRegressor."
        )
    if pointwise.response == "binary" and n_classes > 2:
        raise ProblemError(f"loss {loss!r} is for two classes; got {n_classes}. Take loss='logistic'.")
    return pointwise


def regression_loss(loss: Any) -> PointwiseLoss:
    """The loss of a regressor; "auto" means the squared loss."""
    pointwise = find_loss("squared" if isinstance(loss, str) and loss == "auto" else loss)
    if pointwise.response not in ("real", "count"):
        raise ProblemError(
            f"loss of a regressor must be one for numbers, such as 'squared'; got {loss!r}. For classes use "
            "MinimaxClassifier."
        )
    return pointwise
