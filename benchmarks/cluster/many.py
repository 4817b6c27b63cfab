"""`evaluate_many` on a cluster against as many evaluations."""

from __future__ import annotations

import numpy as np

from ..report import Demand, Options, Report, Table
from .clusters import local
from .data import ClusterTable
from .timing import alternated, median_ms

ROWS = {"tiny": 2000, "small": 500_000, "full": 2_500_000}
COLUMNS, GROUPS, PARTITIONS, WORKERS = 100, 5, 16, 2
VECTORS = 16
FASTER = 5.0


def measure(options: Options) -> Report:
    table = ClusterTable(ROWS[options.scale], COLUMNS, GROUPS, PARTITIONS)
    W = np.random.default_rng(0).standard_normal((VECTORS, COLUMNS + 1)) / COLUMNS
    with local(WORKERS) as client:
        losses = table.losses(client)
        together, one_by_one = losses.evaluate_many(W), [losses.evaluate(w) for w in W]
        calls = {"evaluate_many": lambda: losses.evaluate_many(W), "evaluate": lambda: [losses.evaluate(w) for w in W]}
        seconds = alternated(calls, options.repeats)
    error = max(float(np.abs(G - own).max()) for G, (_, own) in zip(together[1], one_by_one, strict=True))
    gain = float(np.median(seconds["evaluate"]) / np.median(seconds["evaluate_many"]))
    return Report(
        "Several parameter vectors on a cluster",
        f"The losses and gradients at {VECTORS} parameter vectors on {WORKERS} workers of one thread, {table.n_rows:,} "
        f"rows x {COLUMNS} columns ({1e-9 * table.n_bytes:.1f} GB), {GROUPS} groups: one evaluate_many, or an "
        f"evaluate for each. Largest difference of a derivative: {error:.1e}. Medians of "
        f"{options.repeats} rounds.",
        [Table("all vectors", ["", "median ms"], [(name, median_ms(some)) for name, some in seconds.items()])],
        [Demand(f"evaluate_many, k = {VECTORS}: times faster than {VECTORS} evaluate", gain, at_least=FASTER)],
    )
