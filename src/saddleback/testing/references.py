"""Reference maxima: linear programs, and a central path that uses only the barrier."""

from __future__ import annotations

import warnings
from importlib.util import find_spec

import numpy as np
import scipy

from .._types import Vector
from ..dual_sets import LinearConstraints
from ..linalg.hessians import as_hessian
from ..regularizers import Regularizer
from .sampling import BarrierSample
from .self_concordance import whitening

# The accuracy of a maximum from the central path, relative to how much the losses can change the value.
PATH_ACCURACY = 1e-5
# The most Newton steps of one path.
MAX_NEWTON = 2000


def linprog_maximum(constraints: LinearConstraints, z: Vector) -> float | None:
    """max <lam, z> by HiGHS; None where it finds none."""
    box = np.column_stack((constraints.lower, constraints.upper))
    E, e = (constraints.E, constraints.e) if len(constraints.E) else (None, None)
    answer = scipy.optimize.linprog(-z, constraints.A, constraints.b, E, e, bounds=box, method="highs")
    return -float(answer.fun) if answer.success else None


def has_cvxpy() -> bool:
    return find_spec("cvxpy") is not None and find_spec("clarabel") is not None


def cvxpy_maximum(constraints: LinearConstraints, z: Vector) -> float | None:
    """max <lam, z> by CVXPY with Clarabel; None where it finds none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import cvxpy as cp

        lam = cp.Variable(z.size)
        lower, upper = np.isfinite(constraints.lower), np.isfinite(constraints.upper)
        rows = []
        if len(constraints.E):
            rows.append(constraints.E @ lam == constraints.e)
        if lower.any():
            rows.append(lam[lower] >= constraints.lower[lower])
        if upper.any():
            rows.append(lam[upper] <= constraints.upper[upper])
        if constraints.A is not None and constraints.b is not None:
            rows.append(constraints.A @ lam <= constraints.b)
        problem = cp.Problem(cp.Maximize(z @ lam), rows)
        problem.solve(solver=cp.CLARABEL)  # type: ignore[no-untyped-call]
    return float(problem.value) if problem.status == "optimal" else None


def path_maximum(s: BarrierSample, z: Vector, regularizer: Regularizer | None = None) -> tuple[float, float] | None:
    """max over Lambda of <lam, z> - R(lam) up to a bound, from Newton steps on B - tau (<lam, z> - R).

    At a point of the central path the value is less than the maximum by at most nu/tau (Nesterov, Lectures on Convex
    Optimization, 5.3.4), near it by little more. None where Newton's method does not converge.
    """
    nu = s.barrier.barrier_parameter(s.n)
    accuracy = PATH_ACCURACY * max(float(np.linalg.norm(s.hull.along(z))) * s.extent, 1e-300)
    x, tau = s.center.copy(), 1e-3 * nu / accuracy * PATH_ACCURACY
    for _ in range(MAX_NEWTON):
        g = s.barrier.barrier_gradient(x) - tau * z
        H = s.local_norm_matrix(x)
        if regularizer is not None:
            g = g + tau * regularizer.gradient(x)
            H = H + tau * as_hessian(regularizer.hessian(x)).dense()
        M = whitening(H, s.hull.Z)
        if M is None or not np.isfinite(g).all():
            return None
        y = M.T @ g
        decrement = float(np.linalg.norm(y))
        if decrement < 0.25:
            if nu / tau <= accuracy:
                value = float(x @ z) - (0.0 if regularizer is None else regularizer.value(x))
                return value, 2.0 * (nu + np.sqrt(nu)) / tau
            tau *= 2.0 if regularizer is not None else 1.0 + 1.0 / (1.0 + np.sqrt(nu) / 4.0)
        x = x - M @ y / (1.0 + decrement if decrement >= 0.25 else 1.0)
        if not np.isfinite(s.barrier.barrier(x)):
            return None
    return None
