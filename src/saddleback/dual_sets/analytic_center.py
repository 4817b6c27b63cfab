"""The analytic center of a set without a formula for it."""

from __future__ import annotations

import numpy as np

from .._types import Vector
from ..errors import ProblemError
from ..linalg.hessians import as_hessian
from .base import HasBarrier

# Damped steps decrease the barrier by at least 1/4 - log(5/4) = 0.027 each: enough for barriers that fall by 13.
MAX_STEPS = 500
# Full Newton steps are taken from this decrement on, where they converge quadratically (Nesterov and Nemirovskii 1994).
QUADRATIC_FROM = 0.25
# At this decrement the next step would be below rounding errors.
CONVERGED_DECREMENT = 1e-9
# From this decrement on, a step that does not reduce it consists of rounding errors.
STAGNANT_DECREMENT = 1e-5


def analytic_center(dual_set: HasBarrier, start: Vector) -> Vector:
    """argmin B on the affine hull, by damped Newton steps from a point of the relative interior."""
    x = start
    E, _ = dual_set.affine_hull(x.size)
    smallest = np.inf
    for _ in range(MAX_STEPS):
        gradient = dual_set.barrier_gradient(x)
        solved = as_hessian(dual_set.barrier_hessian(x)).solve(np.vstack((gradient, E)))
        direction = -solved[0]
        if len(E):
            direction += np.linalg.solve(E @ solved[1:].T, E @ solved[0]) @ solved[1:]
        decrement = float(np.sqrt(max(0.0, -gradient @ direction)))
        if decrement <= CONVERGED_DECREMENT or smallest <= decrement < STAGNANT_DECREMENT:
            return x
        smallest = min(smallest, decrement)
        x = x + direction / (1.0 + decrement if decrement > QUADRATIC_FROM else 1.0)
        if not np.isfinite(dual_set.barrier(x)):
            break
    raise ProblemError(
        f"the analytic center of {dual_set!r} was not found: its barrier is not self-concordant, or its derivatives "
        "are wrong (saddleback.testing.check_dual_set shows which)."
    )
