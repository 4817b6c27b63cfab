"""Building the result of a run, in the user's coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._types import Vector
from ..problem import Problem
from ..result import Result, Status
from .coordinates import Coordinates
from .history import HistoryBuilder
from .oracle import Oracle
from .run_state import RunState

REASONS = {Status.INTERRUPTED: "interrupted", Status.TIME_LIMIT: "the time limit passed"}


def shown_best(run_state: RunState, coordinates: Coordinates, oracle: Oracle) -> dict[str, Any]:
    """The best point and its bound, as `Result` and `Progress` show them."""
    to_user = oracle.adversary.dual_set.to_user
    best = run_state.best
    return {
        "w": best.w / coordinates.factors,
        "dual": to_user(run_state.dual).copy(),
        "value": best.value,
        "losses": to_user(oracle.losses_of(best.f)).copy(),
        "lower_bound": run_state.lower,
        "gap": run_state.gap,
    }


def build_result(
    run_state: RunState,
    coordinates: Coordinates,
    oracle: Oracle,
    *,
    method: str,
    radius: float,
    certified: bool,
    status: Status,
    message: str,
) -> Result:
    """The result of a run that has evaluated its start."""
    notes = [message]
    if oracle.watch.violation is not None:
        notes.append(f"no certificate: {oracle.watch.violation}")
    elif not oracle.exact_jacobian:
        notes.append("finite differences for a Jacobian: the gap is certified up to their errors")
    failures = oracle.n_inner_failures + run_state.inner_failures
    if failures:
        notes.append(f"{failures} dual subproblems ended above the requested gap")
    history = run_state.history
    reach = coordinates.semi_axes(radius, oracle.strong_convexity)
    return Result(
        **shown_best(run_state, coordinates, oracle),
        radius=radius if coordinates.in_metric else float(reach.min()),
        reach=reach,
        gap_estimate=float(np.fmin(history.estimate[-1], run_state.gap)),
        certified=certified,
        status=status,
        message="; ".join(notes),
        method=method,
        n_iter=history.n_iter,
        n_evals=oracle.n_evals,
        n_values=oracle.n_values,
        n_inner=oracle.n_inner,
        history=history.freeze(),
    )


def result_without_value(problem: Problem, w: Vector, method: str, status: Status, seconds: float) -> Result:
    """The result of a run that ended before g was known anywhere: w as given, value and losses nan, no bound.

    It ended within the first evaluation of the losses, or while a checkpoint was read; that file is not changed.
    """
    to_user, J = problem.dual_set.to_user, problem.n_losses
    history = HistoryBuilder()
    history.append(time=seconds, value=np.nan, gap=np.inf, n_evals=0, inner_gap=0.0, inner_iter=0)
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
        message=f"{REASONS[status]} before the losses at the start were known; w is that start",
        method=method,
        n_iter=0,
        n_evals=0,
        n_values=0,
        n_inner=0,
        history=history.freeze(),
    )
