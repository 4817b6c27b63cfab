"""A cluster in this process: workers are threads, and messages are passed as on a network."""

import pytest
from distributed import LocalCluster


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        yield cluster
