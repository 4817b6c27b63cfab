"""The analytic center of a set, where it has no formula."""

from __future__ import annotations

import numpy as np

from .._types import Vector
from ..errors import ProblemError
from ..linalg.hessians import as_hessian
from .base import HasBarrier

MAX_STEPS = 500
# A decrement this small leaves the center exact to rounding: convergence is quadratic below 1/4.
DECREMENT = 1e-9


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
        if decrement <= DECREMENT or (decrement < 1e-5 and decrement >= smallest):
            return x
        smallest = min(smallest, decrement)
        x = x + direction / (1.0 + decrement if decrement > 0.25 else 1.0)
        if not np.isfinite(dual_set.barrier(x)):
            break
    raise ProblemError(
        f"the analytic center of {dual_set!r} was not found: its barrier is not self-concordant, or its derivatives "
        "are wrong (saddleback.testing.check_dual_set tells which)."
    )
