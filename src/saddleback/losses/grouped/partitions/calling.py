"""Sums by calls: one message to each worker and one back, where a task takes eight and the scheduler's time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any

from distributed.protocol import to_serialize

from .answering import OPERATION, Asked, Share, call, checked, opened
from .joining import MOST_CALLS, joined_by_fours, levels
from .placement import Holdings, Range
from .ranges import Partial
from .recovery import LOSSES, Cluster
from .works import Work

Submit = Callable[[Callable[..., Any], Sequence[Range], Sequence[tuple[Any, ...]]], list[Any]]
"""Tasks on workers, one for each range."""

FAILURES = (*LOSSES, OSError, RuntimeError)
"""Of a call; a client that is being closed raises RuntimeErrors. Tasks then find out what is wrong."""

MOST_FAILURES = 3
"""Of calls to the same workers one after the other, after which tasks are asked until partitions move."""

TASKS_EVERY = 10.0
"""Seconds between two evaluations by tasks: a cluster that sees none at all may end itself (idle-timeout)."""


@dataclass(eq=False)
class Lines:
    """The workers that hold the partitions, as they are called."""

    holdings: Holdings
    n_threads: int | None
    shares: list[Any] = field(default_factory=list)
    """Futures, which keep the shares on the workers."""
    reached: Future[Any] | None = None
    """Whether the client has reached the workers; without it, the scheduler passes calls on."""
    failures: int = 0
    by_tasks: float = field(default_factory=time.monotonic)
    """When tasks were asked last."""

    def open(self, submit: Submit) -> None:
        """Let the workers answer calls; this does not wait for them."""
        self.by_tasks = time.monotonic()
        if not self.shares and self.failures < MOST_FAILURES:
            ranges, n = self.holdings.ranges, len(self.holdings.futures)
            keys = [tuple(future.key for future in self.holdings.of(one)) for one in ranges]
            own = [(Share(of_one, one.numbers, n, self.n_threads),) for of_one, one in zip(keys, ranges, strict=True)]
            self.shares = submit(opened, ranges, own)

    def close(self) -> None:
        """After a call has failed."""
        self.failures, self.shares, self.reached = self.failures + 1, [], None

    def asked(self, n_bytes: int) -> Asked | None:
        """Whom the client calls, and whom these call, for sums of so many bytes per worker.

        None where workers do not answer yet, where a partition is known to be lost, or where it is time for tasks.
        """
        shares = self.shares
        here = all(future.status == "finished" for some in (shares, self.holdings.futures) for future in some)
        if not shares or not here or time.monotonic() - self.by_tasks > TASKS_EVERY:
            return None
        each: list[tuple[str, tuple[str, dict[str, Any]]]] = [
            (one.address, (share.key, {})) for one, share in zip(self.holdings.ranges, shares, strict=True)
        ]
        return dict(joined_by_fours(each, levels(len(each), n_bytes, MOST_CALLS), _under_the_first))


class Calls:
    """Calls to the workers of a cluster, or None where tasks must be asked."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def sums(self, lines: Lines, work: Work) -> list[Partial] | None:
        """The sums of all partitions, added as far as workers add them."""
        asked = lines.asked(8 * sum(map(prod, work.shapes)))
        if asked is None:
            return None
        addresses = [one.address for one in lines.holdings.ranges]
        try:
            way = self._direct if self.reaches(lines) else self._by_scheduler
            answers = self._cluster.called(partial(way, asked, work), addresses)
        except FAILURES:
            lines.close()
            return None
        lines.failures = 0
        return answers

    def reaches(self, lines: Lines) -> bool:
        """Whether the client has a connection to all whom it calls; they are tried out in the background."""
        client = self._cluster.client
        if client.direct_to_workers is False:
            return False
        reached = lines.reached
        if reached is None:
            all_called = lines.asked(0)
            if all_called is None:
                return False
            trial = self._direct(all_called, None)
            reached = lines.reached = asyncio.run_coroutine_threadsafe(trial, client.loop.asyncio_loop)
        return reached.done() and not reached.cancelled() and reached.exception() is None

    async def _direct(self, asked: Asked, work: Work | None) -> list[Partial]:
        rpc = self._cluster.client.rpc
        answers = await asyncio.gather(*(call(rpc, address, of_one, work) for address, of_one in asked.items()))
        return [one for of_one in answers for one in of_one]

    async def _by_scheduler(self, asked: Asked, work: Work) -> list[Partial]:
        """One message to the scheduler, which passes it on to all and answers once all have."""
        answers = await self._cluster.client.scheduler.broadcast(
            msg={"op": OPERATION, "asked": asked, "work": to_serialize(work)},
            workers=list(asked),
            on_error="return_pickle",
        )
        return [one for address, of_one in answers.items() for one in checked(address, of_one)]


def _under_the_first(
    neighbors: Sequence[tuple[str, tuple[str, dict[str, Any]]]],
) -> tuple[str, tuple[str, dict[str, Any]]]:
    """The first one calls the others."""
    (address, (share, below)), *others = neighbors
    return address, (share, below | dict(others))
