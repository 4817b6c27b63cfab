"""fairlearn's exponentiated gradient with a bound of the groups' losses, as a model of the worst group."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

UPPER_BOUND = 0.0
"""No model keeps it, so that the multipliers go to the groups of the largest loss: the worst-group model."""


class Probabilities(LogisticRegression):  # type: ignore[misc]
    """Predicts probabilities, whose squared errors the reduction bounds."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(self.predict_proba(X)[:, 1], dtype=np.float64)


def fit_reduction(
    X: NDArray[np.float64], y: NDArray[np.float64], groups: NDArray[np.str_]
) -> tuple[Callable[[NDArray[np.float64]], NDArray[np.float64]], str]:
    """The mean prediction of its models, which is no worse than its random choice among them, by convexity."""
    from fairlearn.reductions import BoundedGroupLoss, ExponentiatedGradient, SquareLoss

    scaler = StandardScaler().fit(X)
    mixture = ExponentiatedGradient(
        Probabilities(max_iter=1000), BoundedGroupLoss(SquareLoss(0.0, 1.0), upper_bound=UPPER_BOUND)
    )
    with warnings.catch_warnings():
        # Its use of pandas is about to be outdated.
        warnings.simplefilter("ignore")
        mixture.fit(scaler.transform(X), y, sensitive_features=groups)
    weights = {k: weight for k, weight in mixture.weights_.items() if weight > 0.0}

    def predict(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        Z = scaler.transform(rows)
        return np.asarray(sum(weight * mixture.predictors_[k].predict(Z) for k, weight in weights.items()))

    return predict, f"{len(weights)} models"
