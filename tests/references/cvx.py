"""Independent references: g as a conic program in CVXPY, solved by Clarabel."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import cvxpy as cp
import numpy as np

import saddleback as sb

Expressions = Callable[[cp.Variable], list[cp.Expression]]


def reference(losses: Expressions, d: int, J: int, R: sb.Zero | sb.Quadratic | sb.Entropy) -> tuple[float, np.ndarray]:
    """The optimal value and a minimizer of max over lam in the simplex of <lam, f(w)> - R(lam).

    The adversary is written by its dual, which shares nothing with the library's best responses:
    h(z) = min over t and s >= z - t, s >= -gamma u, of t + sum u_j s_j + s_j^2/(2 gamma), for Quadratic(gamma, u);
    h(z) = gamma log sum p_j exp(z_j/gamma), for Entropy(gamma, p).
    """
    w, t = cp.Variable(d), cp.Variable()
    f = losses(w)
    constraints = []
    if isinstance(R, sb.Quadratic):
        u = np.full(J, 1 / J) if R.center is None else R.center
        s = cp.Variable(J)
        objective = t + u @ s + cp.sum_squares(s) / (2 * R.gamma)
        constraints = [s >= -R.gamma * u, *(f_j - t <= s[j] for j, f_j in enumerate(f))]
    elif isinstance(R, sb.Entropy):
        p = np.full(J, 1 / J) if R.prior is None else R.prior
        objective = R.gamma * cp.log_sum_exp(cp.hstack([f_j / R.gamma + np.log(p[j]) for j, f_j in enumerate(f)]))
    else:
        objective = t
        constraints = [f_j <= t for f_j in f]
    problem = cp.Problem(cp.Minimize(objective), constraints)
    with warnings.catch_warnings():
        # Clarabel may miss 1e-10 and say so; how accurate each reference is has its own test.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    assert problem.status in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE)
    return float(problem.value), np.array(w.value)
