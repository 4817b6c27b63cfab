"""scikit-learn's LogisticRegression on the objective of one group."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LogisticRegression

from ..recorder import Array
from ..synthetic import Grouped

SOLVERS = ("newton-cholesky", "lbfgs")


def fit(data: Grouped, solver: str, tol: float) -> Array:
    """w of mean loss + l2/2 |w|^2: C = 1/(n l2) gives the same minimizer, because C weighs the sum of the losses."""
    model = LogisticRegression(
        C=1.0 / (len(data.y) * data.l2), solver=solver, tol=tol, max_iter=10_000, fit_intercept=data.fit_intercept
    )
    with warnings.catch_warnings():
        # The search for the loosest tolerance includes some below rounding.
        warnings.simplefilter("ignore")
        model.fit(data.X, data.y)
    w = model.coef_[0]
    return np.append(w, model.intercept_) if data.fit_intercept else w


def loosest(solve: Callable[[float], Array], value: Callable[[Array], float], target: float) -> float | None:
    """The first tolerance 10^-k whose answer has a value of at most ``target``; None if there is none."""
    for k in range(2, 16):
        if value(solve(10.0**-k)) <= target:
            return float(10.0**-k)
    return None
