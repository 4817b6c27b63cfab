"""One evaluation on one and on two workers of one thread each, side by side."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..report import Demand, Options, Report, Table
from . import model
from .clusters import local
from .data import ClusterTable
from .overhead import overhead_seconds
from .timing import alternated, median_ms, percent

ROWS = {"tiny": 2000, "small": 500_000, "full": 2_500_000}
COLUMNS, GROUPS, PARTITIONS = 100, 5, 16
WORKERS = (1, 2)
FASTER = 1.6


def measure(options: Options) -> Report:
    table = ClusterTable(ROWS[options.scale], COLUMNS, GROUPS, PARTITIONS)
    w = np.random.default_rng(0).standard_normal(COLUMNS + 1) / COLUMNS
    with local(WORKERS[0]) as one, local(WORKERS[1]) as two:
        losses = {"1 worker": table.losses(one), "2 workers": table.losses(two)}
        # The same partitions in this process: what two cores gain where nobody sends anything.
        losses |= {f"in memory, {n} thread(s)": table.losses_here(n) for n in WORKERS}
        overheads = {n: overhead_seconds(client, n) for n, client in zip(WORKERS, (one, two), strict=True)}
        seconds = alternated({name: partial(of_one.evaluate, w) for name, of_one in losses.items()}, options.repeats)
        f, G = zip(*(of_one.evaluate(w) for of_one in losses.values()), strict=True)
    same_bits = all(np.array_equal(f[0], other) for other in f) and all(np.array_equal(G[0], other) for other in G)
    gain = float(np.median(seconds["1 worker"]) / np.median(seconds["2 workers"]))
    modelled = []
    for n_workers, name in zip(WORKERS, ("1 worker", "2 workers"), strict=True):
        rate = table.n_bytes / float(np.median(seconds["in memory, 1 thread(s)"]))
        machines = model.Machines(n_workers, rate, call=overheads[n_workers])
        task = model.Task(table.n_rows, COLUMNS, GROUPS, PARTITIONS)
        said, found = model.evaluation(task, machines).seconds, float(np.median(seconds[name]))
        modelled.append(
            (name, f"{1e3 * overheads[n_workers]:.1f}", f"{1e3 * said:.1f}", f"{1e3 * found:.1f}", percent(said, found))
        )
    rows = [
        (name, median_ms(some), f"{1e-9 * table.n_bytes / np.median(some):.2f}", f"{1e3 * min(some):.1f}")
        for name, some in seconds.items()
    ]
    return Report(
        "One evaluation on two workers",
        f"Losses and gradients of {table.n_rows:,} rows x {COLUMNS} columns ({1e-9 * table.n_bytes:.1f} GB), {GROUPS} "
        f"groups, {PARTITIONS} partitions; workers have one thread each. The client and the scheduler share the cores "
        f"with the workers. Bits in all four cases: {'the same' if same_bits else 'DIFFERENT'}. Medians of "
        f"{options.repeats} rounds.",
        [
            Table("evaluations in alternation", ["", "median ms", "GB/s", "least ms"], rows),
            Table(
                "the model: what one thread reads in memory, and evaluations of a small table on the same workers",
                ["", "overhead ms", "model ms", "measured ms", "error"],
                modelled,
            ),
        ],
        [
            Demand("2 workers: times faster than 1", gain, at_least=FASTER),
            Demand("2 workers: the same bits as 1 and in memory", float(same_bits), at_least=1.0),
        ],
        data={name: list(some) for name, some in seconds.items()},
    )
