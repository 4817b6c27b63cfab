"""Bytes on the network per evaluation, by who sends them to whom."""

from __future__ import annotations

import numpy as np

from saddleback.losses.grouped.partitions.placement import contiguous
from saddleback.losses.grouped.partitions.tree import maximal_nodes

from ..report import Demand, Options, Report, Table
from .clusters import simulated
from .data import ClusterTable
from .network import Link

GROUPS = 10
SHAPES = {"tiny": (300, 200), "small": (2000, 10_000), "full": (2000, 10_000)}
"""Rows and columns."""
CASES = {
    "tiny": ((1, 2),),
    "small": ((1, 16), (2, 16), (2, 100), (3, 100), (4, 100), (8, 100)),
    "full": ((1, 16), (2, 16), (2, 100), (3, 100), (4, 100), (8, 100), (16, 100)),
}
"""Workers, and partitions."""
CALLS = 20
WITHIN = 0.1


def measure(options: Options) -> Report:
    n_rows, n_columns = SHAPES[options.scale]
    rows, demands = [], []
    for n_workers, n_partitions in CASES[options.scale]:
        table = ClusterTable(n_rows, n_columns, GROUPS, n_partitions)
        sent = sent_per_call(table, n_workers)
        p = n_columns + 1
        # Of a worker: J losses and J x p derivatives come back; p parameters go out to it.
        sums, w = 8.0 * GROUPS * (1 + p), 8.0 * p
        # A worker sends its sums to the one that has called it, the client or another worker.
        callers = sent[2:].argmax(axis=1)
        workers = np.arange(2, 2 + n_workers)
        out = sent[workers, callers].mean() / sums
        name = f"{n_workers} workers, {n_partitions} partitions"
        rows.append(
            (
                name,
                f"{nodes_per_worker(n_partitions, n_workers):.2f}",
                f"{out:.3f}",
                f"{sent[1:, 0].sum() / sums:.3f}",
                f"{sent[0, 1:].sum() / w:.3f}",
                f"{sent[callers, workers].mean() / w:.3f}",
            )
        )
        if n_workers & (n_workers - 1) == 0:
            demands.append(
                Demand(
                    f"{name}: numbers that leave a worker over J + J d", out, at_least=1 - WITHIN, at_most=1 + WITHIN
                )
            )
    header = ["", "sums per worker", "out of a worker", "into the client", "out of the client", "into a worker"]
    return Report(
        "Bytes of an evaluation",
        f"Bytes on the wires of evaluations with J = {GROUPS}, d = {n_columns:,} + 1, headers and all other messages "
        "of Dask included, counted by a relay between processes: what leaves a worker and what the client receives in "
        "units of J + J d numbers of 8 bytes, what goes out from the client and to each worker in units of w. Out of a "
        "worker and into it is what it exchanges with the one that calls it: the client, or a worker that joins sums.",
        [Table("bytes per evaluation over their least", header, rows)],
        demands,
    )


def sent_per_call(table: ClusterTable, n_workers: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Bytes from each node to each other: client, scheduler, workers."""
    with simulated(n_workers, Link()) as (client, wires):
        losses = table.losses(client)
        w = np.ones(losses.n_params)
        losses.evaluate(w)
        before = wires.sent
        for _ in range(CALLS):
            losses.evaluate(w)
        return (wires.sent - before) / CALLS


def nodes_per_worker(n_partitions: int, n_workers: int) -> float:
    """How many sums leave a worker on average: nodes of the tree that its share consists of."""
    shares = contiguous(n_partitions, {f"{k:06}": 1 for k in range(n_workers)})
    return float(np.mean([len(maximal_nodes(one.numbers, n_partitions)) for one in shares]))
