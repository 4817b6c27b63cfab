"""Bounds of the Frank-Wolfe gap by KKT residuals."""

from __future__ import annotations

import numpy as np

from ..._types import Vector
from ...dual_sets import LinearConstraints
from ..dual_subproblem import DualSubproblem, Multipliers


def tolerances(tol: float, n: int) -> tuple[float, float]:
    """(eps_tau, eps_g) = (tol/(2 J), tol/4): with these the KKT lemma bounds the gap by ``tol`` (paper, sec. 4.1)."""
    return tol / (2 * n), tol / 4


def frank_wolfe_bound(
    subproblem: DualSubproblem, constraints: LinearConstraints, lam: Vector, multipliers: Multipliers
) -> float:
    """complementarity + 2 |r|_inf >= Frank-Wolfe gap, for lam in a subset of the simplex.

    With r = grad (S + R)(lam) + E'y - z_lower + z_upper for some y, every mu of the set has
    <grad (S + R)(lam), lam - mu> <= <z_lower, lam - lower> + <z_upper, upper - lam> + <r, lam - mu>, and
    |lam - mu|_1 <= 2. The paper's lemma (KKT condition, quadratic case) is lower = 0, no upper, lam_j z_j = 1/tau.
    y is fitted by least squares: the solver's own y belongs to a scaled problem with another c.
    """
    E = constraints.E
    r = subproblem.gradient(lam) - multipliers.lower + multipliers.upper
    r = r - E.T @ np.linalg.lstsq(E.T, r, rcond=None)[0]
    complementarity = _product(multipliers.lower, lam - constraints.lower)
    complementarity += _product(multipliers.upper, constraints.upper - lam)
    return complementarity + 2.0 * float(np.abs(r).max())


def _product(z: Vector, slack: Vector) -> float:
    bounded = np.isfinite(slack)
    return float(z[bounded] @ slack[bounded])
