"""One group on a cluster: logistic regression by what users of Dask have today, on the same workers and partitions.

dask-ml takes part where it is installed; the benchmark does not need it.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import dask
import dask.array as da
import numpy as np
from scipy.optimize import minimize

import saddleback as sb

from ..recorder import Array
from ..report import Demand, Options, Report, Table
from ..writing import NOT_REACHED, small
from .clusters import local
from .data import ClusterTable

SHAPES = {"tiny": (400, 5, 2), "small": (200_000, 50, 8), "full": (2_000_000, 50, 16)}
"""Rows, columns and partitions."""
WORKERS = {"tiny": 1, "small": 2, "full": 2}
LEAST_SCALE = 0.1
L2 = 1e-4
TARGETS = (1e-4, 1e-8)
"""Gaps to the optimum, over the optimum."""
TOLERANCES = tuple(10.0**-k for k in range(1, 12))
EXACT = 1e-13
MOST_OF_A_PEER = 1.0


@dataclass(frozen=True, eq=False)
class OneGroup:
    """The mean logistic loss + l2/2 |w|^2 of rows that stay on the workers."""

    X: Any
    y: Any

    def ours(self, tol: float) -> Array:
        losses = sb.GroupedLinear(self.X, self.y, self._one_group(), l2=L2, fit_intercept=False)
        return sb.solve(sb.Problem(losses), tol=tol).w

    def scipy(self, tol: float) -> Array:
        """L-BFGS of SciPy; Dask computes the loss and the gradient."""
        n, d = self.X.shape

        def objective(w: Array) -> tuple[float, Array]:
            margin = self.X @ w
            loss = da.logaddexp(0.0, margin).sum() - (self.y * margin).sum()
            gradient = self.X.T @ (1.0 / (1.0 + da.exp(-margin)) - self.y)
            f, g = dask.compute(loss, gradient)
            return f / n + 0.5 * L2 * w @ w, g / n + L2 * w

        options = {"gtol": tol, "ftol": 0.0, "maxiter": 10_000}
        found: Array = minimize(objective, np.zeros(d), jac=True, method="L-BFGS-B", options=options).x
        return found

    def dask_ml(self, solver: str, tol: float) -> Array:
        """Its objective is ours times the number of rows."""
        from dask_ml.linear_model import LogisticRegression

        n = self.X.shape[0]
        with warnings.catch_warnings():
            # It asks for options of Dask by former names.
            warnings.simplefilter("ignore")
            model = LogisticRegression(
                solver=solver, fit_intercept=False, C=1.0 / (L2 * n), tol=tol * n, max_iter=10_000
            )
            model.fit(self.X, self.y)
        found: Array = np.ravel(model.coef_)
        return found

    def values(self) -> Callable[[Array], float]:
        losses = sb.GroupedLinear(self.X, self.y, self._one_group(), l2=L2, fit_intercept=False)
        return lambda w: float(losses.values(w)[0])

    def _one_group(self) -> Any:
        return da.zeros_like(self.y, dtype=np.intp)


def measure(options: Options) -> Report:
    n_rows, n_columns, n_partitions = SHAPES[options.scale]
    table = ClusterTable(n_rows, n_columns, 1, n_partitions, least_scale=LEAST_SCALE)
    with local(WORKERS[options.scale]) as client, client.as_current():
        X, y, _ = client.persist(table.lazy())
        problem = OneGroup(X, y)
        calls: dict[str, Callable[[float], Array]] = {
            "saddleback": problem.ours,
            "SciPy's L-BFGS on Dask arrays": problem.scipy,
        }
        if find_spec("dask_ml") and options.scale != "tiny":
            calls["dask-ml, lbfgs"] = lambda tol: problem.dask_ml("lbfgs", tol)
        value = problem.values()
        optimum = value(problem.ours(EXACT))
        found = {name: _sweep(call, value, optimum) for name, call in calls.items()}
        chosen = {
            (name, target): _first(points, target * optimum) for name, points in found.items() for target in TARGETS
        }
        seconds = _repeated(calls, chosen, options.repeats)
    rows, demands = [], []
    for target in TARGETS:
        ours = seconds.get(("saddleback", target), np.nan)
        for name in calls:
            point, taken = chosen[name, target], seconds.get((name, target), np.nan)
            reached = NOT_REACHED if point is None else small(point[1] / optimum)
            cells = (f"{taken:.2f}", f"{taken / ours:.2f}") if point else (NOT_REACHED, NOT_REACHED)
            rows.append((f"{name}, {target:g}", reached, *cells))
        others = [seconds[name, target] for name in calls if name != "saddleback" and (name, target) in seconds]
        if others:
            best = ours / min(others)
            demands.append(Demand(f"gap {target:g}: our time over the fastest other", best, at_most=MOST_OF_A_PEER))
    return Report(
        "One group on a cluster",
        f"Logistic regression with l2 = {L2:g} on {n_rows:,} rows x {n_columns} columns "
        f"({1e-9 * table.n_bytes:.1f} GB, standard deviations from 1 to {LEAST_SCALE:g}) in {n_partitions} partitions, "
        f"persisted on {WORKERS[options.scale]} workers of one thread. Whole calls from w = 0, of the loosest "
        "tolerance with which each reaches a gap to the optimum, relative to the optimum; ours with the making of the "
        f"losses. Medians of {options.repeats} rounds. "
        + ("" if find_spec("dask_ml") else "dask-ml was not installed."),
        [Table("whole calls", ["solver, gap", "gap reached", "median s", "over saddleback"], rows)],
        demands,
    )


Point = tuple[float, float]
"""A tolerance, and the gap that is reached with it."""


def _sweep(call: Callable[[float], Array], value: Callable[[Array], float], optimum: float) -> list[Point]:
    points = []
    for tol in TOLERANCES:
        points.append((tol, value(call(tol)) - optimum))
        if points[-1][1] <= TARGETS[-1] * optimum:
            break
    return points


def _first(points: Sequence[Point], gap: float) -> Point | None:
    return next((point for point in points if point[1] <= gap), None)


def _repeated(
    calls: dict[str, Callable[[float], Array]], chosen: dict[tuple[str, float], Point | None], repeats: int
) -> dict[tuple[str, float], float]:
    """Median seconds of whole calls, in alternation."""
    seconds: dict[tuple[str, float], list[float]] = {key: [] for key, point in chosen.items() if point}
    for _ in range(repeats):
        for (name, target), some in seconds.items():
            point = chosen[name, target]
            assert point is not None
            begun = time.perf_counter()
            calls[name](point[0])
            some.append(time.perf_counter() - begun)
    return {key: float(np.median(some)) for key, some in seconds.items()}
