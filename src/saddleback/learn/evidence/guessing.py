"""A scale for losses: what is lost by one prediction for all rows, without any features."""

from __future__ import annotations

import numpy as np
from scipy.special import logit

from ...losses.grouped.pointwise_losses import Huber, Logistic, Poisson, Quantile, Softmax, Squared, SquaredHinge
from ..data.rows import Rows
from .linear_models import mean_of
from .subject import Subject


def guess_loss(subject: Subject, rows: Rows) -> float | None:
    """The mean score of these rows where all are predicted alike, by the shares of their classes or by their mean.

    None for a loss of the user's own, or where a row has a share of 0 or 1.
    """
    loss, n, weight = subject.setting.loss, len(rows), np.ones(len(rows)) if rows.weight is None else rows.weight
    if subject.classes is not None:
        shares = np.bincount(rows.y, weight, minlength=subject.classes.size) / weight.sum()
        if isinstance(loss, Logistic) and 0.0 < shares[1] < 1.0:
            eta = np.full(n, logit(shares[1]))
        elif isinstance(loss, Softmax) and shares.all():
            eta = np.tile(np.log(shares), (n, 1))
        elif isinstance(loss, SquaredHinge) and shares.size == 2:
            # The minimizer of q (1 - m)^2 + (1 - q) (1 + m)^2.
            eta = np.full(n, 2.0 * shares[1] - 1.0)
        else:
            return None
        return mean_of(subject.score(eta, rows.y), rows.weight)
    mean = float(np.average(rows.y, weights=weight))
    if isinstance(loss, Squared | Huber):
        level = mean
    elif isinstance(loss, Quantile) and rows.weight is None:
        level = float(np.quantile(rows.y, loss.q))
    elif isinstance(loss, Poisson) and mean > 0.0:
        level = float(np.log(mean))
    else:
        return None
    return mean_of(subject.score(np.full(n, level), rows.y), rows.weight)
