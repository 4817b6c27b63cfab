"""Clusters of Dask in this process: workers are threads, and messages are passed as on a network."""

from __future__ import annotations

import pytest
from distributed import Client, LocalCluster


def start_cluster(n_workers):
    return LocalCluster(n_workers=n_workers, threads_per_worker=2, processes=False, dashboard_address=":0")


@pytest.fixture
def cluster():
    """A function from a number of workers to the client of a new cluster, which is the active one."""
    started = []

    def start(n_workers):
        own = start_cluster(n_workers)
        started.append(own)
        client = Client(own)
        started.append(client)
        return client

    yield start
    for one in reversed(started):
        one.close()


@pytest.fixture
def client(cluster):
    """Of two workers."""
    return cluster(2)
