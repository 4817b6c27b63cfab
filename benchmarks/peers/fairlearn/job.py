"""The largest group mean of squared errors by fairlearn's reduction, which needs an upper bound of it."""

from __future__ import annotations

import numpy as np
from fairlearn.reductions import BoundedGroupLoss, ExponentiatedGradient, SquareLoss
from sklearn.linear_model import LinearRegression

from ..assignment import Array, Assignment
from ..tape import Tape, carry_out

NAME = "fairlearn"
ITERATIONS = (5, 10, 20, 50, 100, 200, 500, 1000)
# The L1 bound of the multipliers is 1/eps; its default eps is 0.01.
EPS = (0.1, 0.01, 0.001)
# Its loss clips predictions to a range; a wide one makes it the squared loss.
RANGE = 1e3
# Disables its own convergence test.
NU = 1e-12


def solve(task: Assignment, tape: Tape) -> None:
    """Exponentiated gradient only returns its last answer: each number of iterations is a separate run."""
    left = dict.fromkeys(EPS, task.budget)
    for max_iter in ITERATIONS:
        for eps in EPS:
            if left[eps] > 0:
                with tape.run(NAME, f"eps {eps:g}, {max_iter} iterations"):
                    tape.note(_averaged(task, eps, max_iter))
                left[eps] -= tape.runs[-1].time[-1]


def _averaged(task: Assignment, eps: float, max_iter: int) -> Array:
    """The mean of its linear models, by convexity no worse than its random choice among them."""
    constraint = BoundedGroupLoss(SquareLoss(-RANGE, RANGE), upper_bound=task.bound)
    estimator = LinearRegression(fit_intercept=task.fit_intercept)
    mixture = ExponentiatedGradient(estimator, constraint, eps=eps, max_iter=max_iter, nu=NU)
    mixture.fit(task.X, task.y, sensitive_features=task.groups)
    models = mixture.predictors_
    points = [np.append(model.coef_, model.intercept_) if task.fit_intercept else model.coef_ for model in models]
    weights = mixture.weights_[models.index].to_numpy()
    return np.asarray(weights @ np.array(points) / weights.sum(), dtype=np.float64)


if __name__ == "__main__":
    carry_out(solve)
