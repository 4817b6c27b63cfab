"""The largest group loss as a conic program, by CVXPY and Clarabel."""

from __future__ import annotations

import warnings
from typing import Any

import cvxpy
import numpy as np

from ..assignment import WORST_SQUARED, Assignment
from ..tape import Tape, carry_out

# Type checkers do not see the atoms of CVXPY.
cp: Any = cvxpy
NAME = "CVXPY with Clarabel"


def solve(task: Assignment, tape: Tape) -> None:
    """min t + l2/2 |w|^2 subject to f_j(w) <= t. Building the cones is set-up; Clarabel returns its last point only."""
    w, t = cp.Variable(task.n_params), cp.Variable()
    penalty = 0.5 * cp.sum_squares(cp.multiply(np.sqrt(task.penalty), w))
    problem = cp.Problem(cp.Minimize(t + penalty), [mean <= t for mean in _means(task, w)])
    options = {"time_limit": task.budget}
    data, chain, inverse = problem.get_problem_data(cp.CLARABEL, solver_opts=options)
    with tape.run(NAME), warnings.catch_warnings():
        # The accuracy is measured here, so that the warning "may be inaccurate" is not needed.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        answer = chain.solve_via_data(problem, data, solver_opts=options)
        problem.unpack_results(answer, chain, inverse)
        if w.value is not None:
            tape.note(w.value)


def _means(task: Assignment, w: Any) -> list[Any]:
    X, y = task.design.astype(np.float64), task.y
    means = []
    for j, size in enumerate(task.sizes):
        rows = task.groups == j
        if task.kind == WORST_SQUARED:
            total = cp.sum_squares(y[rows] - X[rows] @ w)
        else:
            total = cp.sum(cp.logistic(cp.multiply(-y[rows], X[rows] @ w)))
        means.append(total / int(size))
    return means


if __name__ == "__main__":
    carry_out(solve)
