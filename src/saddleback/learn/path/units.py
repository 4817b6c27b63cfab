"""What held-out numbers are measured in, for axes and captions."""

from __future__ import annotations

from ...losses.grouped.pointwise_loss import PointwiseLoss
from ...losses.grouped.pointwise_losses import Huber, Logistic, Poisson, Quantile, Softmax, Squared, SquaredHinge
from ..selection.scores import LOSS

OF_SCORES = {
    "error_rate": "error rate (share of rows)",
    "false_negative_rate": "false negative rate (share of the positive rows)",
    "false_positive_rate": "false positive rate (share of the negative rows)",
    "brier": "Brier score (squared probability)",
    "squared_error": "squared error (units of y, squared)",
    "absolute_error": "absolute error (units of y)",
}
OF_LOSSES = {
    Logistic: "log loss (nats per row)",
    Softmax: "log loss (nats per row)",
    SquaredHinge: "squared hinge loss (squared margins per row)",
    Squared: "squared error (units of y, squared)",
    Huber: "Huber loss (units of y, squared)",
    Quantile: "quantile loss (units of y)",
    Poisson: "Poisson loss (nats per row)",
}


def unit_of(scoring: str, loss: PointwiseLoss) -> str:
    """A score with its unit, as it stands on an axis."""
    known = OF_LOSSES.get(type(loss)) if scoring == LOSS else OF_SCORES.get(scoring)
    return f"{scoring} (per row)" if known is None else known
