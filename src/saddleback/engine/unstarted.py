"""The result of a run that ended before g was known anywhere."""

from __future__ import annotations

import numpy as np

from .._types import Vector
from ..problem import Problem
from ..result import Result, Status
from .history import Trace

WHY = {Status.INTERRUPTED: "interrupted", Status.TIME_LIMIT: "the time limit passed"}


def without_a_value(problem: Problem, w: Vector, method: str, status: Status, seconds: float) -> Result:
    """w as it was given, a value and losses of nan, and no bound.

    The losses were still being evaluated for the first time, or a checkpoint was being read: it stays as it is.
    """
    to_user, J = problem.dual_set.to_user, problem.n_losses
    trace = Trace()
    trace.append(time=seconds, value=np.nan, gap=np.inf, n_evals=0, inner_gap=0.0, inner_iter=0)
    return Result(
        w=w.copy(),
        dual=to_user(problem.dual_set.center(J)).copy(),
        value=np.nan,
        losses=to_user(np.full(J, np.nan)).copy(),
        lower_bound=-np.inf,
        gap=np.inf,
        radius=np.inf,
        reach=np.full(w.size, np.inf),
        gap_estimate=np.inf,
        certified=False,
        status=status,
        message=f"{WHY[status]} before the losses at the start were known; w is that start",
        method=method,
        n_iter=0,
        n_evals=0,
        n_values=0,
        n_inner=0,
        history=trace.freeze(),
    )
