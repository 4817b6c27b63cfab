"""The loss of every row for its margin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector
from ...errors import ProblemError
from ...losses.grouped.own_loss import find_loss
from ...losses.grouped.pointwise_loss import PointwiseLoss
from ...losses.grouped.pointwise_losses import LOSSES, Huber, Quantile, Squared

OF_CLASSES, OF_NUMBERS = ("binary", "classes"), ("real", "count")
"""The responses of the losses of classifiers, and of regressors."""


def row_losses(loss: PointwiseLoss, eta: Any, y: NDArray[Any]) -> Vector:
    """ell(eta_i, y_i); y as classes 0, ..., K - 1, which two-class losses take as -1 and 1, or as numbers."""
    response = np.where(y == 1, 1.0, -1.0) if loss.response == "binary" else y
    with np.errstate(over="ignore", invalid="ignore"):
        return loss.value_and_slope(eta, response)[0]


@dataclass(frozen=True)
class Units:
    """The units of a regression: what makes a model the same in every unit of y."""

    loss: float = 1.0
    """The magnitude of the losses, in which tolerances are measured."""
    penalty: float = 1.0
    """What l2 is multiplied by, so that it is a penalty in standard deviations of y and in the unit of the losses."""


def loss_in_units(loss: PointwiseLoss, y: NDArray[Any], weight: Vector | None) -> PointwiseLoss:
    """Huber's loss or that of a quantile, whose parameter is in standard deviations of y; other losses as they are."""
    if isinstance(loss, Huber):
        return replace(loss, delta=loss.delta * _deviation(y, weight))
    if isinstance(loss, Quantile):
        return replace(loss, smoothing=loss.smoothing * _deviation(y, weight))
    return loss


def units_of(loss: PointwiseLoss, y: NDArray[Any], weight: Vector | None, *, standardize: bool) -> Units:
    """1 for classes, the mean for counts, else the mean loss U of the mean as a constant prediction.

    U / s^2, with s the standard deviation of y, is the unit of the penalty: squared losses have U = s^2, but those of
    Huber and of quantiles grow like s where y is large, and their penalty must not grow like s^2.
    """
    if loss.response in OF_CLASSES:
        return Units()
    mean = float(np.average(y, weights=weight))
    if loss.response == "count":
        return Units(mean if mean > 0.0 else 1.0)
    unit = float(np.average(loss.value_and_slope(np.full(y.size, mean), y)[0], weights=weight))
    unit = unit if 0.0 < unit < np.inf else 1.0
    known = isinstance(loss, Huber | Quantile) and standardize
    return Units(unit, unit / _deviation(y, weight) ** 2 if known else 1.0)


def is_centered(loss: PointwiseLoss) -> bool:
    """Whether the loss depends on eta - y alone, so that a constant may be taken out of y."""
    return isinstance(loss, Squared | Huber | Quantile)


def _deviation(y: NDArray[Any], weight: Vector | None) -> float:
    return float(np.sqrt(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)))


def classification_loss(loss: Any, n_classes: int) -> PointwiseLoss:
    """The loss of a classifier: "auto" and "logistic" mean softmax where there are more than two classes."""
    if isinstance(loss, str) and loss in ("auto", "logistic"):
        loss = "logistic" if n_classes == 2 else "softmax"
    pointwise = _find(loss, OF_CLASSES)
    if pointwise.response not in OF_CLASSES:
        raise ProblemError(
            f"loss of a classifier must be one for classes, such as 'logistic'; got {loss!r}. For numbers use "
            "MinimaxRegressor."
        )
    if pointwise.response == "binary" and n_classes > 2:
        raise ProblemError(f"loss {loss!r} is for two classes; got {n_classes}. Take loss='logistic'.")
    return pointwise


def regression_loss(loss: Any) -> PointwiseLoss:
    """The loss of a regressor; "auto" means the squared loss."""
    pointwise = _find("squared" if isinstance(loss, str) and loss == "auto" else loss, OF_NUMBERS)
    if pointwise.response not in OF_NUMBERS:
        raise ProblemError(
            f"loss of a regressor must be one for numbers, such as 'squared'; got {loss!r}. For classes use "
            "MinimaxClassifier."
        )
    return pointwise


def _find(loss: Any, responses: tuple[str, ...]) -> PointwiseLoss:
    """As `find_loss`; an unknown name is told those that the estimator can use."""
    if isinstance(loss, str) and loss not in LOSSES:
        usable = ", ".join(repr(name) for name, known in LOSSES.items() if known.response in responses)
        raise ProblemError(
            f"unknown loss {loss!r}; expected one of {usable}, or an object with value_and_slope(eta, y) and "
            "curvature(eta, y)."
        )
    return find_loss(loss)
