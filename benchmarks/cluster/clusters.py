"""Clusters on this machine: as Dask starts them, and on a network with latency and bandwidth."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import dask
from distributed import Client, LocalCluster

from ..writing import ROOT
from .network import Link, Network, free_port, host, network
from .node import SCHEDULER, address, become

PATIENCE_SECONDS = 120.0
"""Until processes have started."""

QUIET = {
    # Copies of partitions would be measured as well.
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.admin.large-graph-warning-threshold": "1GB",
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}


@contextmanager
def local(n_workers: int) -> Iterator[Client]:
    """Worker processes of one thread each. The client is nobody's default: use ``with client.as_current()``."""
    with (
        dask.config.set(QUIET),
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            memory_limit=0,
            silence_logs=50,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextmanager
def simulated(n_workers: int, link: Link) -> Iterator[tuple[Client, Network]]:
    """Worker processes of one thread on a network; its counters have the client as node 0 and the scheduler as 1."""
    port, n_nodes = free_port(), n_workers + SCHEDULER + 1
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(QUIET))
        wires = stack.enter_context(network(range(SCHEDULER, n_nodes), n_nodes, port, link))
        for node in range(SCHEDULER, n_nodes):
            stack.enter_context(_process("scheduler" if node == SCHEDULER else "worker", node, port))
            if node == SCHEDULER:
                _wait_for(host(node), port)
        become(0)
        client = stack.enter_context(Client(address(SCHEDULER, port), set_as_default=False, timeout=PATIENCE_SECONDS))
        client.wait_for_workers(n_workers, timeout=PATIENCE_SECONDS)
        yield client, wires


def _wait_for(name: str, port: int) -> None:
    """Until a server listens there."""
    begun = time.monotonic()
    while True:
        try:
            socket.create_connection((name, port)).close()
            return
        except OSError:
            if time.monotonic() - begun > PATIENCE_SECONDS:
                raise
            time.sleep(0.1)


@contextmanager
def _process(role: str, node: int, port: int) -> Iterator[Any]:
    command = [sys.executable, "-m", "benchmarks.cluster.node", role, str(node), str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()
