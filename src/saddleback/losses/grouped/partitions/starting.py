"""The first step: the partitions as Dask makes them, checked, on the active client's workers or in this process."""

from __future__ import annotations

import sys
from typing import Any

from ....errors import ProblemError
from .collections import Partitioned
from .executor import Executor
from .in_process import InProcess
from .loading import Place, load

CLUSTER_SCHEDULERS = (None, "distributed", "dask.distributed")
"""Dask's setting ``scheduler`` where an active client computes."""


def start(source: Partitioned, n_threads: int | None) -> Executor:
    """Load all partitions."""
    import dask

    tasks = [
        dask.delayed(load, pure=False)(
            Place(number, len(source.X)),
            source.expected,
            X,
            {name: of_argument[number] for name, of_argument in source.rowwise.items()},
            dask_key_name=None,
        )
        for number, X in enumerate(source.X)
    ]
    client = _active_client()
    if client is None:
        scheduler = dask.config.get("scheduler", None)
        with dask.config.set(scheduler="threads" if scheduler in CLUSTER_SCHEDULERS else scheduler):
            return InProcess(list(dask.compute(*tasks)), n_threads)
    from .on_workers import OnWorkers

    return OnWorkers.loading(client, tasks, n_threads)


def _active_client() -> Any | None:
    """The client that Dask would compute with; None where it would compute in this process."""
    import dask

    distributed = sys.modules.get("distributed")
    if distributed is None or dask.config.get("scheduler", None) not in CLUSTER_SCHEDULERS:
        return None
    try:
        client = distributed.Client.current()
    except ValueError:
        return None
    if client.asynchronous:
        raise ProblemError(
            "the active Dask client is asynchronous, and losses are evaluated one after the other; got "
            f"{client!r}. Make a Client without asynchronous=True."
        )
    return client
