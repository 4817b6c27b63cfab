"""The optimum on a cluster is that of the same table in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

import saddleback as sb

from ..report import Demand, Options, Report, Table
from ..writing import small
from .clusters import local
from .data import ClusterTable

ROWS = {"tiny": 400, "small": 20_000, "full": 200_000}
WORKERS = {"tiny": 1, "small": 2, "full": 2}
COLUMNS, GROUPS, PARTITIONS = 8, 4, 7
L2 = 1e-3
TOL = 1e-12
ERROR, MOST = "largest difference of optima", 1e-10

LOSSES: dict[str, dict[str, Any]] = {
    "logistic": {"loss": "logistic"},
    "squared": {"loss": "squared"},
    "Poisson": {"loss": "poisson"},
    "Huber": {"loss": sb.losses.Huber(delta=1.0)},
}
ADVERSARIES: dict[str, dict[str, Any]] = {
    "largest loss": {},
    "quadratic": {"regularizer": sb.Quadratic(0.1)},
    "entropy": {"regularizer": sb.Entropy(0.1)},
    "CVaR": {"dual_set": sb.CappedSimplex(0.5)},
}


def measure(options: Options) -> Report:
    table = ClusterTable(ROWS[options.scale], COLUMNS, GROUPS, PARTITIONS)
    X, y, groups = table.in_memory()
    some = list(LOSSES)[:1] if options.scale == "tiny" else LOSSES
    rows, differences = [], []
    with local(WORKERS[options.scale]) as client:
        for loss in some:
            of_cluster = table.losses(client, l2=L2, **LOSSES[loss])
            of_memory = sb.GroupedLinear(X, y, groups, l2=L2, **LOSSES[loss])
            for adversary, given in ADVERSARIES.items():
                there, here = (sb.solve(sb.Problem(losses, **given), tol=TOL) for losses in (of_cluster, of_memory))
                differences.append(abs(there.value - here.value))
                rows.append((f"{loss}, {adversary}", small(differences[-1]), small(here.gap), there.n_iter))
    return Report(
        "The optimum on a cluster",
        f"{table.n_rows:,} rows, {table.n_columns} columns and {table.n_groups} groups in {table.n_partitions} "
        f"partitions on {WORKERS[options.scale]} worker(s), and the same rows in memory, each solved to tol = {TOL:g}.",
        [Table("value on the cluster and in memory", ["problem", "difference", "gap in memory", "steps"], rows)],
        [Demand(ERROR, float(np.max(differences)), at_most=MOST)],
    )
