"""The model of an evaluation against measurements, on networks with latency and bandwidth and workers from 1 to 16."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from ..report import Demand, Options, Report, Table
from . import model
from .clusters import simulated
from .data import ClusterTable
from .network import Link
from .timing import percent

GIGABIT = 125e6
"""Bytes per second."""
LINKS = {
    "tiny": (Link(0.005, GIGABIT),),
    "small": (Link(), Link(0.005, GIGABIT), Link(0.02, 0.1 * GIGABIT)),
    "full": (Link(), Link(0.005, GIGABIT), Link(0.02, GIGABIT), Link(0.005, 0.1 * GIGABIT)),
}
WORKERS = {"tiny": (1,), "small": (1, 2, 8), "full": (1, 2, 4, 8, 16)}
SHAPES = {
    "tiny": ((300, 50, 2),),
    "small": ((4000, 100, 5), (4000, 5000, 10)),
    "full": ((4000, 100, 5), (4000, 20_000, 10)),
}
"""Rows, columns and groups: J d of 4 kB, and of 0.4 or 1.6 MB."""
PARTITIONS = 16
CALLS = {"tiny": 3, "small": 10, "full": 9}
TYPICAL, MOST = "median of |model - measured| / measured, with latency or bandwidth", 0.2


def measure(options: Options) -> Report:
    links, shapes = LINKS[options.scale], SHAPES[options.scale]
    tables = [ClusterTable(*shape, PARTITIONS) for shape in shapes]
    rows, errors = [], []
    for n_workers in WORKERS[options.scale]:
        # What the cluster takes without a network is its overhead and its passes; the model adds the network.
        bare = _seconds(n_workers, Link(), tables, CALLS[options.scale])
        for link in links:
            measured = bare if link == Link() else _seconds(n_workers, link, tables, CALLS[options.scale])
            for table, seconds, without in zip(tables, measured, bare, strict=True):
                machines = model.Machines(n_workers, np.inf, latency=link.latency, bandwidth=link.bandwidth)
                task = model.Task(table.n_rows, table.n_columns + 1, table.n_groups, table.n_partitions)
                cost = replace(model.evaluation(task, machines), overhead=without)
                error = cost.seconds / seconds - 1.0
                if link != Link():
                    errors.append(abs(error))
                rows.append(
                    (
                        f"{n_workers} workers, d = {table.n_columns:,}, J = {table.n_groups}, {link}",
                        cost.messages,
                        f"{1e3 * cost.waiting:.0f}",
                        f"{1e3 * cost.transfer:.0f}",
                        f"{1e3 * cost.seconds:.0f}",
                        f"{1e3 * seconds:.0f}",
                        "" if link == Link() else percent(cost.seconds, seconds),
                    )
                )
    header = ["", "messages", "latency ms", "transfer ms", "model ms", "measured ms", "error"]
    demands = [] if options.scale == "tiny" else [Demand(TYPICAL, float(np.median(errors)), at_most=MOST)]
    return Report(
        "The model on simulated networks",
        "An evaluation on a network between processes of this machine, whose relay delays every message by a latency "
        "and keeps to a bandwidth per node and direction. What a cluster takes without latency and with no limit is "
        "measured, as its workers share two cores; the model says what the network adds: latency x messages one after "
        "the other, and bytes over the bandwidth of the busiest line of each step.",
        [Table("one evaluation, medians", header, rows)],
        demands,
        data={"errors": [float(e) for e in errors]},
    )


def _seconds(n_workers: int, link: Link, tables: list[ClusterTable], n_calls: int) -> list[float]:
    """The median of each table's evaluations."""
    medians = []
    with simulated(n_workers, link) as (client, _):
        for table in tables:
            losses = table.losses(client)
            w, seconds = np.ones(losses.n_params) / table.n_columns, []
            for number in range(n_calls + 2):
                begun = time.perf_counter()
                losses.evaluate(w)
                if number >= 2:
                    seconds.append(time.perf_counter() - begun)
            medians.append(float(np.median(seconds)))
    return medians
