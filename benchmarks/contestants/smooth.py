"""SciPy's L-BFGS-B on g, whose gradient is G' lam*(w); for a strongly convex R."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

import saddleback as sb

from ..recorder import Array

MAX_EVALUATIONS = 100_000


def lbfgsb(problem: sb.Problem) -> None:
    """With SciPy's default memory, and its own tolerances at the level of rounding."""

    def objective(w: Array) -> tuple[float, Array]:
        f, G = problem.losses.evaluate(w)
        value, lam = problem.adversary.best_response(f)
        return value, lam @ G

    options = {"ftol": 0.0, "gtol": 0.0, "maxiter": MAX_EVALUATIONS, "maxfun": MAX_EVALUATIONS}
    minimize(objective, np.zeros(problem.n_params), jac=True, method="L-BFGS-B", options=options)
