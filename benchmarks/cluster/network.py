"""A network between processes of one machine: every connection passes a relay that adds latency, keeps to the bandwidth
of both ends, and counts bytes.

Node k has an address of its own, 127.1.0.k, from which it connects and at which it listens; 127.2.0.k leads to it,
through the relay. Linux has all of these without being asked.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import selectors
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHUNK = 1 << 16
"""Bytes that are passed on at once: half a millisecond of a gigabit per second."""


@dataclass(frozen=True)
class Link:
    """Of every node to the others: seconds of one message one way, bytes per second in each direction."""

    latency: float = 0.0
    bandwidth: float = np.inf

    def __str__(self) -> str:
        rate = "no limit" if np.isinf(self.bandwidth) else f"{8e-6 * self.bandwidth:g} Mbit/s"
        return f"{1e3 * self.latency:g} ms, {rate}"


def host(node: int) -> str:
    """Where a node is."""
    return f"127.1.0.{node + 1}"


def relayed(of_node: str) -> str:
    """Where others reach it."""
    return of_node.replace("127.1.", "127.2.", 1)


def free_port() -> int:
    """A port that no node uses; all take the same one."""
    with socket.socket() as one:
        one.bind((host(0), 0))
        return int(one.getsockname()[1])


class Network:
    """The bytes that have gone from one node to another, as a matrix."""

    def __init__(self, n_nodes: int, counters: Any) -> None:
        self._n_nodes, self._counters = n_nodes, counters

    @property
    def sent(self) -> NDArray[np.int64]:
        return np.array(self._counters[:], dtype=np.int64).reshape(self._n_nodes, self._n_nodes)


@contextmanager
def network(servers: Sequence[int], n_nodes: int, port: int, link: Link) -> Iterator[Network]:
    """Relays to these nodes, in a process of their own."""
    context = multiprocessing.get_context("spawn")
    counters, ready = context.Array("q", n_nodes * n_nodes), context.Event()
    process = context.Process(target=_serve, args=(servers, n_nodes, port, link, counters, ready), daemon=True)
    process.start()
    try:
        if not ready.wait(60.0):
            raise RuntimeError("the relay of the network has not begun within a minute.")
        yield Network(n_nodes, counters)
    finally:
        process.terminate()
        process.join()


@dataclass
class _Interface:
    """When each direction of a node's line is free again."""

    out: float = 0.0
    into: float = 0.0


@dataclass
class _Relay:
    n_nodes: int
    link: Link
    counters: Any
    interfaces: dict[int, _Interface] = field(default_factory=dict)

    def due(self, source: int, target: int, n_bytes: int) -> float:
        """When the last of these bytes arrive, after all that was sent before on the lines of both ends."""
        self.counters[source * self.n_nodes + target] += n_bytes
        a, b = (self.interfaces.setdefault(node, _Interface()) for node in (source, target))
        seconds = n_bytes / self.link.bandwidth
        a.out = max(asyncio.get_running_loop().time(), a.out) + seconds
        b.into = max(a.out - seconds, b.into) + seconds
        return b.into + self.link.latency

    async def pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, source: int, target: int
    ) -> None:
        """All bytes of one direction of a connection."""
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        delivering = asyncio.create_task(self._deliver(waiting, writer))
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                waiting.put_nowait((self.due(source, target, len(data)), data))
        waiting.put_nowait((0.0, b""))
        await delivering

    async def _deliver(self, waiting: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while (item := await waiting.get())[1]:
                early = item[0] - asyncio.get_running_loop().time()
                if early > 0.0:
                    await asyncio.sleep(early)
                writer.write(item[1])
                await writer.drain()
        writer.close()

    async def connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: int, port: int
    ) -> None:
        source = int(writer.get_extra_info("peername")[0].rsplit(".", 1)[1]) - 1
        try:
            back, forth = await asyncio.open_connection(host(target), port)
        except OSError:
            writer.close()
            return
        for one in (writer, forth):
            one.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.gather(self.pass_on(reader, forth, source, target), self.pass_on(back, writer, target, source))


def _serve(servers: Sequence[int], n_nodes: int, port: int, link: Link, counters: Any, ready: Any) -> None:
    relay = _Relay(n_nodes, link, counters.get_obj())

    async def main() -> None:
        for node in servers:

            def connected(reader: Any, writer: Any, node: int = node) -> Any:
                return relay.connected(reader, writer, node, port)

            await asyncio.start_server(connected, relayed(host(node)), port, limit=4 * CHUNK)
        ready.set()
        await asyncio.Event().wait()

    # Other selectors wait for whole milliseconds.
    loop = asyncio.SelectorEventLoop(selectors.SelectSelector())
    loop.run_until_complete(main())
