"""Finite differences: Jacobians for losses that bring none, and a check for those that do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import approx_fprime

from .._types import EPS, Matrix, Vector
from .._validation import loss_pair
from ..errors import ProblemError
from .base import Losses

STEP = float(np.cbrt(EPS))


def central_differences(values: Callable[[Vector], Vector], w: Vector, relative_step: float = STEP) -> Matrix:
    """The Jacobian of ``values`` to about eps^(2/3): the mean of SciPy's forward and backward differences."""
    step = relative_step * np.maximum(1.0, np.abs(w))
    forward, backward = (np.atleast_2d(approx_fprime(w, values, sign * step)) for sign in (1.0, -1.0))
    return 0.5 * (forward + backward)


def check_jacobian(losses: Losses, w: Vector, rtol: float = 1e-4) -> None:
    """Raise a ProblemError that names the rows of the Jacobian that disagree with central differences.

    Allowed are ``rtol`` of the row, what a doubled step changes (curvature), and what rounding of the losses makes of
    the differences: no absolute number, so that the units of the losses do not matter.
    """
    f, G = loss_pair(losses.evaluate(w))
    precision = float(np.finfo(f.dtype).eps) if f.dtype.kind == "f" else EPS
    reference, doubled = (central_differences(lambda v: losses.evaluate(v)[0], w, s * STEP) for s in (1.0, 2.0))
    error = np.abs(G - reference)
    rounding = 100 * precision / STEP * np.abs(f)
    allowed = rtol * np.abs(reference).max(axis=1) + np.abs(doubled - reference).max(axis=1) + rounding
    wrong = np.flatnonzero(~(error.max(axis=1) <= allowed))
    if wrong.size:
        j = int(wrong[0])
        i = int(np.argmax(error[j]))
        raise ProblemError(
            f"jac: row {j} is not the gradient of loss {j}: coordinate {i} is {G[j, i]:.6g}, finite differences "
            f"give {reference[j, i]:.6g}; rows that disagree: {wrong.tolist()}."
        )
