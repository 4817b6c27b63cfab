"""A user's script; mypy --strict must find the types of the installed package in it (installs.py)."""

from __future__ import annotations

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import saddleback as sb


def losses(w: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.array([w @ w, ((w - 1) ** 2).sum()]), np.array([2 * w, 2 * (w - 1)])


result = sb.minimax(losses, np.zeros(3), jac=True)
assert_type(result, sb.Result)
assert_type(result.success, bool)
assert_type(result.value, float)
assert_type(result.status, sb.Status)

problem = sb.Problem(sb.from_functions(losses, np.zeros(3), jac=True), dual_set=sb.CappedSimplex(0.5))
assert_type(sb.solve(problem), sb.Result)
assert_type(sb.certify(problem, result.w).gap, float)
