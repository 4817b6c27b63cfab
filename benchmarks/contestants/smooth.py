"""SciPy's L-BFGS-B on g, whose gradient is G' lam*(w); for a strongly convex R."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy.optimize import minimize

import saddleback as sb

from ..recorder import Array

MAX_EVALUATIONS = 100_000


class Reached(Exception):
    """The target is reached: raised in an objective to end a solver that cannot be told a value to stop at."""


def lbfgsb(problem: sb.Problem, target: float = -np.inf) -> None:
    """With SciPy's default memory, and its own tolerances at the level of rounding, or to a value of g."""

    def objective(w: Array) -> tuple[float, Array]:
        f, G = problem.losses.evaluate(w)
        value, lam = problem.adversary.best_response(f)
        if value <= target:
            raise Reached
        return value, lam @ G

    options = {"ftol": 0.0, "gtol": 0.0, "maxiter": MAX_EVALUATIONS, "maxfun": MAX_EVALUATIONS}
    with suppress(Reached):
        minimize(objective, np.zeros(problem.n_params), jac=True, method="L-BFGS-B", options=options)
        assert target == -np.inf, "L-BFGS-B did not reach the target"
