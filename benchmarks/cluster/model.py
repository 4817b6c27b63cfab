"""The cost of evaluations on a cluster: bytes, flops and messages, and the seconds that they take.

Everything that is sent to or by one node passes its line one after the other; workers compute side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from saddleback.losses.grouped.partitions.joining import FAN_IN, MOST_CALLS, levels

from .traffic import nodes_per_worker

NUMBER = 8
"""Bytes of a parameter, a loss or a derivative."""
ROUND_MESSAGES = 2
"""One way each: the call with w, and the sums back."""


@dataclass(frozen=True)
class Task:
    """What is evaluated: rows x parameters in so many partitions, J losses."""

    n_rows: float
    n_params: int
    n_losses: int
    n_partitions: int
    item_bytes: int = 8
    """Of a feature."""

    @property
    def n_bytes(self) -> float:
        """Of the features."""
        return self.n_rows * self.n_params * self.item_bytes


@dataclass(frozen=True)
class Machines:
    """Workers, what each of them reads and computes, and the network between them."""

    n_workers: int
    read_rate: float
    """Bytes of features per second in a pass with losses and gradients."""
    flop_rate: float = 1e10
    """Of the products that make a Hessian."""
    latency: float = 0.0
    """Seconds of a message, one way."""
    bandwidth: float = float("inf")
    """Bytes per second of a node, in each direction."""
    call: float = 0.0
    """Seconds of an evaluation that reads nothing, with one worker and without latency."""
    call_per_worker: float = 0.0
    """Further seconds for each further worker that one process calls, of that process."""
    call_per_partition: float = 0.0
    """Further seconds for each partition of a worker."""


@dataclass(frozen=True)
class Cost:
    """Of one evaluation, or of one Hessian."""

    read_bytes: float
    """By each worker."""
    flops: float
    """Of each worker."""
    messages: int
    """On the longest chain, each after the one before."""
    levels: int
    """Of joins between workers."""
    out_bytes: float
    """w, to all workers together."""
    sums_bytes: float
    """That leave one worker."""
    back_bytes: float
    """That the client receives."""
    compute: float
    """Seconds, as all that follow."""
    overhead: float
    waiting: float
    """For messages, by their latency."""
    transfer: float

    @property
    def seconds(self) -> float:
        return self.compute + self.overhead + self.waiting + self.transfer


def evaluation(task: Task, machines: Machines) -> Cost:
    """The losses and the Jacobian: J + J d numbers per worker and per node of the tree that its share consists of."""
    flops = 4.0 * task.n_rows * task.n_params / machines.n_workers
    read = task.n_bytes / machines.n_workers
    sums = NUMBER * task.n_losses * (1 + task.n_params)
    return _reduced(task, machines, sums, read, flops, read / machines.read_rate)


def hessian(task: Task, machines: Machines) -> Cost:
    """The Hessian of a weighted sum of the losses, d x d numbers per worker."""
    flops = float(task.n_rows) * task.n_params**2 / machines.n_workers
    read = task.n_bytes / machines.n_workers
    compute = max(flops / machines.flop_rate, read / machines.read_rate)
    return _reduced(task, machines, NUMBER * task.n_params**2, read, flops, compute)


def dual_flops(n_losses: int, n_params: int) -> float:
    """Of (D) at the client: the products of gradients in Q, and factorizations of J x J matrices."""
    return n_losses**2 * n_params + 10.0 * n_losses**3


def _reduced(task: Task, machines: Machines, sums_bytes: float, read: float, flops: float, compute: float) -> Cost:
    W = last = machines.n_workers
    n_levels = levels(W, ceil(sums_bytes), MOST_CALLS)
    for _ in range(n_levels):
        last = ceil(last / FAN_IN)
    nodes = nodes_per_worker(task.n_partitions, W)
    w_bytes = float(NUMBER * task.n_params)
    messages = ROUND_MESSAGES * (1 + n_levels)
    # The client calls the last ones, and the first of them calls up to three others for each level. w goes out with the
    # calls, and sums come back.
    below = (FAN_IN - 1) * n_levels
    on_lines = (w_bytes + sums_bytes * nodes) * (last + below)
    return Cost(
        read_bytes=read,
        flops=flops,
        messages=messages,
        levels=n_levels,
        out_bytes=w_bytes * W,
        sums_bytes=sums_bytes * nodes,
        back_bytes=sums_bytes * nodes * last,
        compute=compute,
        overhead=machines.call
        + machines.call_per_worker * (last - 1 + below)
        + machines.call_per_partition * task.n_partitions / W,
        waiting=machines.latency * messages,
        transfer=on_lines / machines.bandwidth,
    )


def memory_per_worker(task: Task, n_workers: int) -> float:
    """Bytes of features and, at 8 bytes each, of a target, a group, a place in the order and a coefficient per row."""
    return (task.n_bytes + 4.0 * NUMBER * task.n_rows) / n_workers
