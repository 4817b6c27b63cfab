"""10^9 rows x 10^4 features on 100 workers: what the model says, from rates that are measured here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..report import Options, Report, Table
from . import model
from .clusters import local
from .data import ClusterTable
from .overhead import scheduling_seconds
from .timing import alternated
from .traffic import nodes_per_worker

ROWS, FEATURES, GROUPS, PARTITIONS = 1e9, 10_000, 10, 3200
WORKERS = (64, 100, 128)
SHARES = (2, 3, 4, 6, 8, 12, 16, 24, 50, 64, 100, 128)
THREADS = (1, 16)
"""Per worker; 16 are supposed to read and to compute 16 times as fast, which is beyond what is measured here."""
NETWORKS = {"10 Gbit/s, 0.1 ms": (1e-4, 1.25e9), "1 Gbit/s, 0.5 ms": (5e-4, 1.25e8)}
ITEM_BYTES = {"float32": 4, "float64": 8}
EVALUATIONS = 40
"""Of a solve by quasi-newton to a gap of 1e-4: the most that `solves` counts on tables, rounded up."""

READ_SHAPES = {"tiny": (400, 50), "small": (40_000, 1000), "full": (200_000, 1000)}
"""Rows and columns of the table by which the rate of reading is measured."""
HESSIAN_SHAPES = {"tiny": (400, 20), "small": (10_000, 500), "full": (20_000, 1000)}
CALLS = {"tiny": 2, "small": 5, "full": 9}


@dataclass(frozen=True)
class Rates:
    """Of this machine: a worker of one thread, and the scheduler."""

    read: dict[str, float]
    """Bytes per second, by the type of the features."""
    flops: float
    call: float
    call_per_worker: float
    call_per_partition: float


def measure(options: Options) -> Report:
    rates = measured_rates(options)
    machines = model.Machines(
        n_workers=100,
        read_rate=rates.read["float32"],
        flop_rate=rates.flops,
        call=rates.call,
        call_per_worker=rates.call_per_worker,
        call_per_partition=rates.call_per_partition,
    )
    tables = [
        _of_rates(rates),
        _memory(),
        _evaluations(machines, rates),
        _parts(machines, rates),
        _hessians(machines),
        _sums(),
    ]
    return Report(
        "10^9 rows x 10^4 features",
        f"The model for {GROUPS} groups in {PARTITIONS:,} partitions, with rates of this machine: a pass with losses "
        "and gradients and a Hessian on one worker of one thread, and the seconds of an evaluation that reads nothing, "
        "on one worker, for each further one that is called (the CPU time of the client) and for each partition. "
        f"What a network takes is latency and bytes over bandwidth. A solve is {EVALUATIONS} evaluations.",
        tables,
        data=asdict(rates),
    )


def measured_rates(options: Options) -> Rates:
    """On one worker; what an evaluation takes without passes is subtracted."""
    n_calls, w_scale = CALLS[options.scale], 1e-3
    call, call_per_worker, call_per_partition = scheduling_seconds(n_calls)
    read = {}
    with local(1) as client:
        for dtype in ITEM_BYTES:
            table = ClusterTable(*READ_SHAPES[options.scale], GROUPS, 4, dtype)
            losses = table.losses(client)
            w = np.full(losses.n_params, w_scale)
            read[dtype] = table.n_bytes / max(_median(lambda: losses.evaluate(w), n_calls) - call, 1e-9)  # noqa: B023
        table = ClusterTable(*HESSIAN_SHAPES[options.scale], GROUPS, 4)
        losses = table.losses(client)
        w, lam = np.full(losses.n_params, w_scale), np.full(GROUPS, 1.0 / GROUPS)
        losses.hessian(w, lam)
        seconds = max(_median(lambda: losses.hessian(w, lam), n_calls) - call, 1e-9)
    return Rates(read, table.n_rows * losses.n_params**2 / seconds, call, call_per_worker, call_per_partition)


def _of_rates(rates: Rates) -> Table:
    rows = [(f"pass, {dtype}", f"{1e-9 * rate:.1f} GB/s") for dtype, rate in rates.read.items()]
    rows += [
        ("Hessian", f"{1e-9 * rates.flops:.1f} Gflop/s"),
        ("evaluation that reads nothing, 1 worker", f"{1e3 * rates.call:.1f} ms"),
        ("each further worker", f"{1e3 * rates.call_per_worker:.2f} ms"),
        ("each partition", f"{1e6 * rates.call_per_partition:.0f} microseconds"),
    ]
    return Table("measured rates", ["", "rate"], rows)


def _memory() -> Table:
    rows = []
    for dtype in ITEM_BYTES:
        task = _task(dtype)
        rows.append(
            (
                dtype,
                f"{1e-12 * task.n_bytes:.0f}",
                *(f"{1e-9 * model.memory_per_worker(task, n):.0f}" for n in WORKERS),
            )
        )
    return Table("memory", ["", "features, TB", *(f"GB per worker, {n} workers" for n in WORKERS)], rows)


def _evaluations(machines: model.Machines, rates: Rates) -> Table:
    rows = []
    for dtype in ITEM_BYTES:
        for threads in THREADS:
            for name, (latency, bandwidth) in NETWORKS.items():
                seconds = []
                for n_workers in WORKERS:
                    at = replace(
                        machines,
                        n_workers=n_workers,
                        read_rate=threads * rates.read[dtype],
                        latency=latency,
                        bandwidth=bandwidth,
                    )
                    seconds.append(model.evaluation(_task(dtype), at).seconds)
                minutes = EVALUATIONS * seconds[1] / 60.0
                cells = (f"{s:.1f}" for s in seconds)
                rows.append((f"{dtype}, {threads} thread(s) per worker, {name}", *cells, f"{minutes:.0f}"))
    header = ["", *(f"s, {n} workers" for n in WORKERS), "minutes of a solve, 100 workers"]
    return Table("one evaluation", header, rows)


def _parts(machines: model.Machines, rates: Rates) -> Table:
    rows = []
    for n_workers in WORKERS:
        for name, (latency, bandwidth) in NETWORKS.items():
            at = replace(
                machines,
                n_workers=n_workers,
                read_rate=THREADS[-1] * rates.read["float32"],
                latency=latency,
                bandwidth=bandwidth,
            )
            cost = model.evaluation(_task("float32"), at)
            rows.append(
                (
                    f"{n_workers} workers, {name}",
                    f"{cost.compute:.2f}",
                    f"{cost.overhead:.2f}",
                    f"{cost.waiting:.3f}",
                    f"{cost.transfer:.2f}",
                    cost.levels,
                    f"{1e-6 * cost.out_bytes:.1f}",
                    f"{1e-6 * cost.sums_bytes:.2f}",
                    f"{1e-6 * cost.back_bytes:.1f}",
                )
            )
    header = ["", "passes s", "overhead s", "latency s", "transfer s", "levels"]
    header += ["w out, MB", "sums out of a worker, MB", "into the client, MB"]
    return Table(f"parts of an evaluation, float32, {THREADS[-1]} threads per worker", header, rows)


def _hessians(machines: model.Machines) -> Table:
    rows = []
    for n_params in (1000, FEATURES):
        for threads in THREADS:
            latency, bandwidth = NETWORKS["10 Gbit/s, 0.1 ms"]
            at = replace(machines, flop_rate=threads * machines.flop_rate, latency=latency, bandwidth=bandwidth)
            at = replace(at, read_rate=threads * machines.read_rate)
            cost = model.hessian(replace(_task("float32"), n_params=n_params), at)
            rows.append(
                (
                    f"d = {n_params:,}, {threads} thread(s) per worker",
                    f"{cost.compute:.0f}",
                    f"{cost.transfer:.2f}",
                    f"{1e-6 * cost.sums_bytes:.0f}",
                    f"{1e-9 * 8 * n_params**2:.2f}",
                )
            )
    header = ["", "passes s", "transfer s", "sums out of a worker, MB", "one matrix, GB"]
    return Table("one Hessian of 10^9 rows, 100 workers, 10 Gbit/s", header, rows)


def _median(call: Callable[[], Any], n_calls: int) -> float:
    return float(np.median(alternated({"call": call}, n_calls)["call"]))


def _sums() -> Table:
    """By the number of workers: a share that is a node of the tree is one sum."""
    cells = [f"{nodes_per_worker(PARTITIONS, n):.1f}" for n in SHARES]
    return Table("sums that leave a worker, mean", ["workers", *map(str, SHARES)], [("sums of J + J d", *cells)])


def _task(dtype: str) -> model.Task:
    return model.Task(ROWS, FEATURES, GROUPS, PARTITIONS, ITEM_BYTES[dtype])
