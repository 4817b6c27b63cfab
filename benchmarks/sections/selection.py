"""Selection by cross-validation: whole selections against as many fits of scikit-learn, and of fairlearn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import saddleback as sb

from ..contestants.selection import SOLVERS, Split, fairlearn_fit, fit_all
from ..real_tables import look_alikes
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..synthetic import Grouped
from ..timing import side_by_side
from ..writing import ratio

OURS, FAIRLEARN = "MinimaxClassifierCV", "fairlearn"
# Of the error rate; in place of a worst weight, fairlearn's candidates have such bounds.
FAIRLEARN_BOUND = 0.3
FAIRLEARN_L2 = 1e-3


@dataclass(frozen=True)
class Grid:
    """The size of the table (n, d, J), the candidates, and the folds."""

    shape: tuple[int, int, int] = (8_000, 35, 7)
    worst_weights: tuple[float, ...] = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
    l2s: tuple[float, ...] = (1e-4, 1e-3, 1e-2, 1e-1)
    folds: int = 5

    @property
    def n_fits(self) -> int:
        return len(self.worst_weights) * len(self.l2s) * self.folds


def measure(options: Options) -> Report:
    grid = Grid((200, 3, 2), (0.0, 1.0), (1e-2,), 2) if options.scale == "tiny" else Grid()
    data = look_alikes({"table": grid.shape})["table"]
    splits = _splits(grid)
    seconds = side_by_side(_calls(data, grid, splits), options.repeats)
    # One round: it takes longer than everything else, and is hundreds of times slower.
    reduction = partial(fairlearn_fit, data, splits[0][0], FAIRLEARN_L2, FAIRLEARN_BOUND)
    seconds |= side_by_side({FAIRLEARN: reduction}, 1)
    ours = _better(seconds, OURS)
    theirs = {solver: _better(seconds, solver) for solver in SOLVERS}
    best = min(theirs, key=lambda solver: theirs[solver])
    fairlearn = grid.n_fits * seconds[FAIRLEARN]
    rows = [(OURS, f"{ours:.2f}", ratio(ours, ours))]
    rows += [(f"LogisticRegression, {name}", f"{time:.2f}", ratio(time, ours)) for name, time in theirs.items()]
    rows.append((f"fairlearn, {grid.n_fits} times its one fit", f"{fairlearn:.0f}", ratio(fairlearn, ours)))
    n, d, J = grid.shape
    return Report(
        "Selection by cross-validation",
        f"{OURS} with {len(grid.worst_weights)} worst weights, {len(grid.l2s)} penalties and {grid.folds} folds on a "
        f"synthetic table: {grid.n_fits} fits, the choice, the final fit and its bound on the training rows. "
        "LogisticRegression of scikit-learn makes as many fits on the same folds and the same standardized features, "
        f"every penalty {len(grid.worst_weights)} times, at the default tolerance of each solver, and nothing else; "
        "all of our fits but those of worst weight 0 are worst-group fits, which it cannot do. Both are measured with "
        f"one process and with {cores()}, and the better counts. fairlearn makes one fit of ExponentiatedGradient with "
        "BoundedGroupLoss on one fold; its time is multiplied by the number of fits, because all of them would take "
        "too long. It bounds error rates by a random choice among models, which is another problem. "
        f"Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        [Table(f"n = {n}, d = {d}, J = {J}", ["", "seconds", "times ours"], rows)],
        [
            Demand("seconds of the selection", ours, at_most=3.0),
            Demand(f"time over that of scikit-learn's best solver ({best})", ours / theirs[best], at_most=1.0),
        ],
        data=seconds,
    )


def _splits(grid: Grid) -> list[Split]:
    fold = np.random.default_rng(0).permutation(grid.shape[0]) % grid.folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(grid.folds)]


def _calls(data: Grouped, grid: Grid, splits: list[Split]) -> dict[str, Any]:
    calls: dict[str, Any] = {}
    for n_jobs in (1, cores()):
        calls[_name(OURS, n_jobs)] = partial(_select, data, grid, splits, n_jobs)
        calls |= {
            _name(solver, n_jobs): partial(fit_all, data, splits, grid.l2s, len(grid.worst_weights), solver, n_jobs)
            for solver in SOLVERS
        }
    return calls


def _name(contestant: str, n_jobs: int) -> str:
    return f"{contestant}, n_jobs={n_jobs}"


def _better(seconds: dict[str, float], contestant: str) -> float:
    return min(seconds[_name(contestant, n_jobs)] for n_jobs in (1, cores()))


def _select(data: Grouped, grid: Grid, splits: list[Split], n_jobs: int) -> None:
    model = sb.MinimaxClassifierCV(grid.worst_weights, priors=[0.0], l2s=grid.l2s, cv=splits, repeats=1, n_jobs=n_jobs)
    model.fit(data.X, data.y, sensitive_features=data.groups)
