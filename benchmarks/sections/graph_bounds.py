"""Max-Cut and Lovasz' theta of random graphs of the sizes of SDPLIB, against Clarabel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..contestants.eigenvalue import Failed
from ..contestants.graph_bounds import Bound, GraphBound, by_clarabel, by_cvxpy, by_saddleback, max_cut, theta
from ..report import Demand, Options, Report, Table
from ..threads import ONE, limited
from ..writing import NOT_REACHED, ratio, small

# The graphs: mcp100, mcp250-1 to -3 and theta1 to theta4 have as many vertices and edges.
GRAPHS: dict[str, tuple[Callable[[], GraphBound], ...]] = {
    "tiny": (partial(max_cut, 8, 12), partial(theta, 8, 9)),
    "small": (partial(max_cut, 100, 269), partial(theta, 50, 104), partial(theta, 100, 100)),
    "full": (
        partial(max_cut, 100, 269),
        partial(max_cut, 150, 400),
        partial(max_cut, 250, 331),
        partial(max_cut, 250, 612),
        partial(max_cut, 250, 1283),
        partial(theta, 50, 104),
        partial(theta, 100, 100),
        partial(theta, 100, 498),
        partial(theta, 150, 1106),
        partial(theta, 200, 1949),
        partial(theta, 250, 250),
    ),
}
TOL = 1e-6
# Clarabel's time grows with the sixth power of k where it cannot decompose the cone, and its memory with the fourth.
LARGEST_CONE = {"Max-Cut": 250, "theta": 100}
LARGEST_MODEL = 100
TIME_LIMIT = 300.0
# One round is enough for a contestant that took this many seconds.
LONG = 10.0
OURS, CLARABEL, CVXPY = "saddleback", "Clarabel", "CVXPY"


def measure(options: Options) -> Report:
    rows, demands, data = [], [], {}
    for make in GRAPHS[options.scale]:
        bound = make()
        runs = _race(bound, options.repeats)
        ours = runs[OURS]
        assert isinstance(ours, list), "saddleback is never missing"
        result = ours[-1].result
        assert result is not None
        rows.append(
            (
                bound.name,
                f"{1e3 * _seconds(ours):.0f}",
                *(_cell(runs.get(name), ours) for name in (CLARABEL, CVXPY)),
                "certified" if result.certified else result.status.value,
                f"{ours[-1].value:.8f}",
                _difference(runs.get(CLARABEL), ours),
                small(result.gap),
                result.n_inner,
            )
        )
        faster = runs.get(CLARABEL)
        if faster is not None:
            measured = _seconds(faster) / _seconds(ours) if isinstance(faster, list) and result.certified else np.nan
            # No answer within the time limit is at least as slow as that.
            if isinstance(faster, Failed) and result.certified:
                measured = TIME_LIMIT / _seconds(ours)
            demands.append(Demand(f"{bound.name}: times faster than Clarabel alone", measured, at_least=1.0))
        else:
            what = f"{bound.name}: certified gap over the tolerance"
            demands.append(Demand(what, result.gap / TOL if result.certified else np.nan, at_most=1.0))
        data[bound.name] = {name: _kept(run) for name, run in runs.items()}
    header = ["graph", "our milliseconds", "Clarabel", "CVXPY", "stopped", "our value", "Clarabel's value less ours"]
    return Report(
        "Bounds of graphs",
        "The largest eigenvalue of F0 + sum w_i F_i for Max-Cut (k - 1 parameters) and Lovasz' theta (a parameter per "
        f"edge) of random graphs; sparse F_i, tol {TOL:g} for all, one BLAS thread. Times of whole calls in multiples "
        "of ours: ours with the construction of the losses; Clarabel's setup and solve of the cone without a modelling "
        "language, and CVXPY's whole call; a dash where a dense cone would take hours or tens of gigabytes.",
        [Table("Max-Cut and theta", [*header, "our certified gap", "systems"], rows)],
        demands,
        data=data,
    )


def _race(bound: GraphBound, repeats: int) -> dict[str, list[Bound] | Failed]:
    calls: dict[str, Callable[[], Bound]] = {OURS: partial(by_saddleback, bound, TOL, TIME_LIMIT)}
    if len(bound.F0) <= LARGEST_CONE[bound.name.split(",")[0]]:
        calls[CLARABEL] = partial(by_clarabel, bound, TOL, TIME_LIMIT)
        if len(bound.F0) <= LARGEST_MODEL:
            calls[CVXPY] = partial(by_cvxpy, bound, TOL)
    runs: dict[str, list[Bound] | Failed] = {name: [] for name in calls}
    with limited(ONE):
        # Not measured: imports.
        calls[OURS]()
        for _ in range(repeats):
            for name, call in calls.items():
                some = runs[name]
                if isinstance(some, Failed) or sum(run.seconds for run in some) > LONG:
                    continue
                try:
                    some.append(call())
                except Failed as failure:
                    runs[name] = failure
    return runs


def _seconds(runs: list[Bound]) -> float:
    return float(np.median([run.seconds for run in runs]))


def _cell(runs: list[Bound] | Failed | None, ours: list[Bound]) -> str:
    if runs is None:
        return NOT_REACHED
    return "failed" if isinstance(runs, Failed) else ratio(_seconds(runs), _seconds(ours))


def _difference(runs: list[Bound] | Failed | None, ours: list[Bound]) -> str:
    return small(runs[-1].value - ours[-1].value) if isinstance(runs, list) else NOT_REACHED


def _kept(runs: list[Bound] | Failed) -> dict[str, Any]:
    if isinstance(runs, Failed):
        return {"error": str(runs)}
    return {"seconds": _seconds(runs), "value": runs[-1].value}
