"""A scheduler or a worker of Dask as a node of `network`: `python -m benchmarks.cluster.node ROLE NODE PORT`.

Its address has the scheme ``node``: TCP from the node's own address, to the relay that leads to the other node.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from distributed import Scheduler, Worker
from distributed.comm.registry import backends
from distributed.comm.tcp import TCPBackend, TCPConnector, TCPListener

from .network import host, relayed

SCHEME = "node"
SCHEDULER = 1
"""The client is node 0, and workers begin with 2."""


def address(node: int, port: int) -> str:
    return f"{SCHEME}://{host(node)}:{port}"


def become(node: int) -> None:
    """Let this process be a node: what it connects to by this scheme is reached through the relay."""

    class Connector(TCPConnector):  # type: ignore[misc]
        prefix = f"{SCHEME}://"

        def _get_connect_args(self, **_: Any) -> dict[str, Any]:
            return {"source_ip": host(node)}

        async def connect(self, address: str, *arguments: Any, **more: Any) -> Any:
            return await super().connect(relayed(address), *arguments, **more)

    class Listener(TCPListener):  # type: ignore[misc]
        prefix = f"{SCHEME}://"

    class NodeBackend(TCPBackend):  # type: ignore[misc]
        _connector_class, _listener_class = Connector, Listener

    backends[SCHEME] = NodeBackend()


async def _serve(role: str, node: int, port: int) -> None:
    own = {"host": host(node), "port": port, "protocol": SCHEME, "dashboard": False}
    server: Any
    if role == "scheduler":
        server = Scheduler(**own, dashboard_address=None)
    else:
        server = Worker(address(SCHEDULER, port), **own, nthreads=1, memory_limit=0)
    async with server:
        await server.finished()


if __name__ == "__main__":
    become(int(sys.argv[2]))
    asyncio.run(_serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
