"""As many fits of other libraries as a selection needs: every candidate on every fold."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from ..synthetic import Grouped

SOLVERS = ("lbfgs", "newton-cholesky", "newton-cg", "liblinear")
Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def fit_all(
    data: Grouped, splits: Sequence[Split], l2s: Sequence[float], times: int, solver: str, n_jobs: int | None
) -> None:
    """LogisticRegression with each penalty, ``times`` times, on each fold, at its default tolerance."""
    Parallel(n_jobs=n_jobs)(delayed(_fit_fold)(data, train, l2s, times, solver) for train, _ in splits)


def _fit_fold(data: Grouped, train: NDArray[np.intp], l2s: Sequence[float], times: int, solver: str) -> None:
    X, y = data.X[train], data.y[train]
    with warnings.catch_warnings():
        # A solver that stops at its limit of iterations is measured as it is.
        warnings.simplefilter("ignore")
        for l2 in l2s:
            for _ in range(times):
                LogisticRegression(C=1.0 / (len(y) * l2), solver=solver).fit(X, y)


def fairlearn_fit(data: Grouped, train: NDArray[np.intp], l2: float, upper_bound: float) -> Any:
    """fairlearn's reduction of a bound on every group's error rate to weighted logistic regressions."""
    from fairlearn.reductions import BoundedGroupLoss, ExponentiatedGradient, ZeroOneLoss

    base = LogisticRegression(C=1.0 / (len(train) * l2), solver="newton-cholesky")
    mixture = ExponentiatedGradient(base, BoundedGroupLoss(ZeroOneLoss(), upper_bound=upper_bound))
    y = (data.y[train] > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mixture.fit(data.X[train], y, sensitive_features=data.groups[train])
