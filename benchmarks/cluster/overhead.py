"""What an evaluation takes besides the passes: messages, and the work of the client and of the scheduler."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import saddleback as sb

from ..report import Demand, Options, Report, Table
from .calls import next_by_tasks
from .clusters import local, simulated
from .data import ClusterTable
from .network import Link
from .timing import median_ms

CASES = {
    "tiny": ((1, 1),),
    "small": ((1, 1), (2, 2), (2, 100), (4, 4), (4, 100)),
    "full": ((1, 1), (2, 2), (2, 100), (2, 1000), (4, 4), (4, 100), (8, 8), (16, 16)),
}
"""Workers, and partitions."""
DEMANDED_WORKERS = 4
"""More workers than this share two cores with each other, which is no overhead of Dask's."""
ROWS, COLUMNS, GROUPS = 2000, 10, 3
CALLS = {"tiny": 5, "small": 60, "full": 60}
PAUSE_SECONDS = 0.025
"""As long as a short pass: the threads and connections that wait for it sleep."""
SLOPE_WORKERS, SLOPE_PARTITIONS = (1, 8), 400
MOST_MS = 15.0


def measure(options: Options) -> Report:
    n_calls, rows, demands = CALLS[options.scale], [], []
    for n_workers, n_partitions in CASES[options.scale]:
        table = ClusterTable(ROWS, COLUMNS, GROUPS, n_partitions)
        with local(n_workers) as client:
            losses = table.losses(client)
            (in_a_row, tasks), (paused, _) = _in_turn(losses, n_calls, 0.0), _in_turn(losses, n_calls, PAUSE_SECONDS)
        cpu = _cpu(table, n_workers, n_calls)
        name = f"{n_workers} workers, {n_partitions} partitions"
        worst = f"{1e3 * float(np.quantile(in_a_row, 0.9)):.1f}"
        measured = median_ms(in_a_row), worst, median_ms(paused), median_ms(tasks)
        rows.append((name, *measured, *(f"{1e3 * some:.1f}" for some in cpu)))
        if n_workers <= DEMANDED_WORKERS and n_partitions <= 100:
            demands.append(Demand(f"{name}: ms per evaluation", 1e3 * float(np.median(in_a_row)), at_most=MOST_MS))
    header = ["", "median ms", "90 % ms", "after a pause, ms", "by tasks, ms"]
    header += ["client CPU ms", "scheduler CPU ms", "CPU ms per worker"]
    return Report(
        "Overhead of an evaluation",
        f"Evaluations of {ROWS:,} rows x {COLUMNS} columns, whose passes take microseconds: one after the other, and "
        f"after pauses of {1e3 * PAUSE_SECONDS:g} ms; in turn with them, the same by tasks, as evaluations are until "
        "workers answer calls and where a call fails. CPU times are those of processes of their own, which a relay "
        f"connects. {n_calls} evaluations each.",
        [Table("evaluations that read nothing", header, rows)],
        demands,
    )


def overhead_seconds(client: Any, n_partitions: int) -> float:
    """Of an evaluation that reads nothing, on this client's workers, after pauses."""
    table = ClusterTable(ROWS, COLUMNS, GROUPS, n_partitions)
    return float(np.median(_calls(table.losses(client), CALLS["small"], PAUSE_SECONDS)))


def scheduling_seconds(n_calls: int) -> tuple[float, float, float]:
    """Of an evaluation that reads nothing on one worker; for each further worker, the CPU time of the client that calls
    it; for each partition of a worker."""
    one, several, cut = (ClusterTable(ROWS, COLUMNS, GROUPS, n) for n in (*SLOPE_WORKERS, SLOPE_PARTITIONS))
    with local(SLOPE_WORKERS[0]) as client:
        seconds = [float(np.median(_calls(table.losses(client), n_calls, PAUSE_SECONDS))) for table in (one, cut)]
    least, most = _cpu(one, SLOPE_WORKERS[0], n_calls), _cpu(several, SLOPE_WORKERS[1], n_calls)
    per_worker = (most[0] - least[0]) / (SLOPE_WORKERS[1] - SLOPE_WORKERS[0])
    return seconds[0], max(per_worker, 0.0), max((seconds[1] - seconds[0]) / SLOPE_PARTITIONS, 0.0)


def _in_turn(losses: sb.GroupedLinear, n_calls: int, pause: float) -> tuple[list[float], list[float]]:
    """The seconds of evaluations, and of the same by tasks in turn with them."""
    own: list[float] = []
    by_tasks: list[float] = []
    for _ in range(n_calls):
        own += _calls(losses, 1, pause, n_before=1)
        next_by_tasks(losses)
        by_tasks += _calls(losses, 1, pause, n_before=0)
    return own, by_tasks


def _calls(losses: sb.GroupedLinear, n_calls: int, pause: float, n_before: int = 5) -> list[float]:
    """The seconds of evaluations, after some that do not count."""
    w, seconds = np.zeros(losses.n_params), []
    for number in range(n_calls + n_before):
        time.sleep(pause)
        begun = time.perf_counter()
        losses.evaluate(w)
        if number >= n_before:
            seconds.append(time.perf_counter() - begun)
    return seconds


def _cpu(table: ClusterTable, n_workers: int, n_calls: int) -> tuple[float, float, float]:
    """CPU seconds per evaluation of the client, of the scheduler and of a worker."""
    with simulated(n_workers, Link()) as (client, _):
        losses = table.losses(client)
        _calls(losses, 1, 0.0)
        before = _used(client)
        seconds = sum(_calls(losses, n_calls, 0.0))
        after = _used(client)
        time.sleep(seconds)
        idle = _used(client)
    # What processes use without being asked for anything, such as heartbeats, is none of an evaluation.
    used = [(b - a) - (c - b) for a, b, c in zip(before, after, idle, strict=True)]
    return used[0] / (n_calls + 5), used[1] / (n_calls + 5), used[2] / (n_calls + 5) / n_workers


def _used(client: Any) -> tuple[float, float, float]:
    clock: Callable[[], float] = time.process_time
    return time.process_time(), float(client.run_on_scheduler(clock)), float(sum(client.run(clock).values()))
