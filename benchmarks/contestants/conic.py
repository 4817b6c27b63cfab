"""The group logistic problem as a conic program: CVXPY's exponential cones, solved by Clarabel."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import cvxpy
import numpy as np

from ..natural import NaturalLogistic
from ..recorder import Array

# Type checkers do not see the atoms of CVXPY.
cp: Any = cvxpy


@dataclass(frozen=True)
class ConicSolution:
    """The point, the seconds of the whole call and those that Clarabel reports for itself."""

    w: Array
    seconds: float
    solver_seconds: float


def solve_conic(losses: NaturalLogistic, gamma: float = 0.0, **options: Any) -> ConicSolution:
    """min over w of h(f(w)) for the simplex with R = gamma/2 |lam - 1/J|^2.

    h(z) = min over t and s >= z - t of t + mean(s) + |s|^2/(2 gamma), by duality; for gamma = 0 it is the maximum.
    """
    started = time.perf_counter()
    w = cp.Variable(losses.n_params)
    X, y = losses.X.astype(np.float64), losses.y.astype(np.float64)
    means = [
        cp.sum(cp.logistic(cp.multiply(-y[rows], X[rows] @ w))) / int(size)
        for rows, size in zip(losses.rows, losses.sizes, strict=True)
    ]
    penalty = 0.5 * cp.sum_squares(cp.multiply(np.sqrt(losses.penalty), w))
    t = cp.Variable()
    if gamma == 0:
        problem = cp.Problem(cp.Minimize(t + penalty), [mean <= t for mean in means])
    else:
        s = cp.Variable(losses.n_losses)
        smoothed = t + cp.sum(s) / losses.n_losses + cp.sum_squares(s) / (2 * gamma)
        problem = cp.Problem(cp.Minimize(smoothed + penalty), [mean - t <= s[j] for j, mean in enumerate(means)])
    with warnings.catch_warnings():
        # The accuracy is measured here, so that the warning "may be inaccurate" is not needed.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        problem.solve(solver=cp.CLARABEL, **options)
    seconds = time.perf_counter() - started
    return ConicSolution(np.array(w.value), seconds, float(problem.solver_stats.solve_time))
