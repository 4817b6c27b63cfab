"""A client of a cluster: of workers on this machine that it starts, or of one that is there."""

from __future__ import annotations

import asyncio
from asyncio import wait_for
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from math import inf
from reprlib import repr as shortened
from time import monotonic, sleep
from typing import Any

from distributed import Client, LocalCluster, Security
from distributed.comm import connect as connect_to
from distributed.deploy.utils import nprocesses_nthreads

from .._validation import whole
from ..errors import ClusterError, ProblemError
from ..machine.resources import cores, free_memory
from .agreement import check_workers

LOCAL = "local"
"""The address that stands for workers on this machine."""

CONNECT_SECONDS = 10.0
"""How long a scheduler may take to answer: one in another building takes less than a second."""

POLL_SECONDS = 0.1
"""Between two looks for the first worker."""

SHARE_OF_MEMORY = 0.8
"""Of the free memory that workers on this machine take together: the rest is for the client, which holds the labels."""


@contextmanager
def connect(
    address: str | None = None,
    *,
    n_workers: int | None = None,
    threads_per_worker: int | None = None,
    timeout: float | None = None,
) -> Iterator[Client]:
    """A client of a Dask cluster for the block of a ``with`` statement; what it has started ends with the block.

    Parameters
    ----------
    address : str, optional
        The scheduler, such as "tcp://10.0.0.5:8786"; "local" or None starts workers on this machine, processes that
        share its cores and most of its free memory.
    n_workers, threads_per_worker : int, optional
        Of workers on this machine; by default as many as there are cores for.
    timeout : float, optional
        Seconds to wait for a scheduler and its first worker; 10 by default. Workers that come later are used as well.

    Yields
    ------
    distributed.Client
        The active client: Dask collections are computed by it.

    Raises
    ------
    ClusterError
        Where no scheduler answers in time, where it has no workers by then, or where workers have another version of
        saddleback.

    Notes
    -----
    Workers on this machine are processes that import the main module. A script that calls this is to be guarded by
    ``if __name__ == "__main__":``.

    Examples
    --------
    >>> import dask.array as da, numpy as np, saddleback as sb
    >>> from saddleback.distributed import connect
    >>> rng = np.random.default_rng(0)
    >>> X, town = rng.standard_normal((500, 2)), np.repeat(["big", "small"], [400, 100])
    >>> y = X[:, 0] + rng.logistic(size=500) > 0
    >>> with connect("local", n_workers=1) as client:  # doctest: +SKIP
    ...     model = sb.MinimaxClassifier().fit(da.from_array(X, chunks=(250, 2)), y, town)
    """
    if address is None or address == LOCAL:
        with _local(n_workers, threads_per_worker) as client:
            yield client
        return
    if n_workers is not None or threads_per_worker is not None:
        raise ProblemError(
            f"n_workers and threads_per_worker are for workers on this machine; got them with the address {address!r}. "
            "Leave them out, or the address."
        )
    seconds, begun = CONNECT_SECONDS if timeout is None else timeout, monotonic()
    with _connected(address, seconds) as client:
        _wait_for_a_worker(client, begun + seconds)
        check_workers(client)
        yield client


@contextmanager
def _local(n_workers: int | None, threads: int | None) -> Iterator[Client]:
    available = cores()
    of_dask, _ = nprocesses_nthreads(available)
    n = of_dask if n_workers is None else whole(n_workers, "n_workers", minimum=1)
    each = max(1, available // n) if threads is None else whole(threads, "threads_per_worker", minimum=1)
    free = free_memory()
    memory: Any = "auto" if free == inf else int(SHARE_OF_MEMORY * free / n)
    with ExitStack() as stack:
        # A free port: that of another cluster would be a warning.
        try:
            cluster = stack.enter_context(
                LocalCluster(n_workers=n, threads_per_worker=each, memory_limit=memory, dashboard_address=":0")
            )
        except RuntimeError as error:
            raise ClusterError(
                f"the workers on this machine did not start ({error}). They are processes that import the main module: "
                "it must be a file, and what it does belongs below \"if __name__ == '__main__':\"."
            ) from error
        yield stack.enter_context(Client(cluster))


def _connected(address: str, timeout: float) -> Client:
    if not isinstance(address, str) or not address.strip():
        raise ProblemError(f"address must be that of a scheduler, or 'local'; got {shortened(address)}.")
    try:
        # Before a client is made: one that fails to connect leaves itself as what Dask computes with, and closes itself
        # when its memory is freed, in the middle of whatever goes on then; a lock of Dask was taken twice by it.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, wait_for(_ask(address, timeout), timeout)).result()
        return Client(address, timeout=timeout)
    except TypeError as error:
        # Of certificates that are not there.
        raise ClusterError(
            f"{address!r} cannot be connected to ({error}). Set distributed.comm.tls in Dask's configuration, or "
            "connect by tcp://."
        ) from error
    except ValueError as error:
        raise ProblemError(
            f"address must be that of a scheduler, such as tcp://10.0.0.5:8786, or 'local'; got {address!r} ({error})."
        ) from error
    except (OSError, MemoryError) as error:
        # Memory, where the words of another server are read as a number of bytes.
        raise ClusterError(
            f"no scheduler of Dask answers at {address!r} within {timeout:g} seconds. See that it runs (dask "
            "scheduler) and that its port can be reached from here, or take workers on this machine: 'local'."
        ) from error


def _wait_for_a_worker(client: Client, deadline: float) -> None:
    """Workers that were started with their scheduler connect to it a moment after it answers."""
    while not client.nthreads() and monotonic() < deadline:
        sleep(POLL_SECONDS)


async def _ask(address: str, timeout: float) -> None:
    """Connect to a scheduler, and leave again."""
    comm = await connect_to(address, timeout=timeout, **Security().get_connection_args("client"))
    await comm.close()
