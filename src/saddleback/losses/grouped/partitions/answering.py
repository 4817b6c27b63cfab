"""What a worker answers to a call: the sums over its partitions, without a task of Dask's.

A worker has a *share*, which names its partitions, as an object in Dask's memory: it goes when the losses go, and holds
no rows itself, so that Dask may still put them on disk or move them, and may retire the worker, which it cannot with an
actor. A call names the share. Where anything is not as the caller thinks, the answer is None, and tasks are asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from distributed import get_worker
from distributed.protocol import to_serialize

from .ranges import Partial, joined
from .tasks import sums_of
from .works import Work

OPERATION = "saddleback_sums"
"""The name of the call among the handlers of a worker."""

Asked = Mapping[str, tuple[str, Any]]
"""For the address of a worker, the key of its share and what it asks of others, whose sums it adds to its own."""


@dataclass(frozen=True)
class Share:
    """The partitions of one worker, by their keys in its memory."""

    keys: tuple[str, ...]
    numbers: tuple[int, ...]
    n_leaves: int
    n_threads: int | None


def opened(share: Share) -> Share:
    """A task: from now on this worker answers calls, for this share."""
    worker = get_worker()
    if OPERATION not in worker.handlers:
        worker.handlers[OPERATION] = _handler(worker)
    return share


async def call(rpc: Callable[[str], Any], address: str, asked: tuple[str, Any], work: Work | None) -> list[Partial]:
    """The sums of a worker and of those below it; without work, no more than whether it answers."""
    answer = await getattr(rpc(address), OPERATION)(asked={address: asked}, work=to_serialize(work))
    return checked(address, answer)


def checked(address: str, answer: Any) -> list[Partial]:
    """Refuse the answer of a worker that has none, as of one that is gone."""
    if not isinstance(answer, list | tuple):
        raise NoAnswer(f"worker {address} does not answer calls for these partitions")
    return list(answer)


class NoAnswer(OSError):
    """A worker was reached that has nothing to say."""


def _handler(worker: Any) -> Callable[..., Any]:
    async def sums(asked: Asked, work: Work | None) -> list[Any] | None:
        try:
            return [to_serialize(one) for one in await _sums(worker, asked, work)]
        except Exception:
            # Lost partitions and workers as well as errors of a user's loss: a task meets them again, and reports them.
            return None

    return sums


async def _sums(worker: Any, asked: Asked, work: Work | None) -> list[Partial]:
    key, below = asked[worker.address]
    share: Share = worker.data[key]
    if work is None:
        return []
    residents = [worker.data[resident] for resident in share.keys]

    async def own() -> list[Partial]:
        here = partial(sums_of, worker, work, share.numbers, residents, share.n_leaves, share.n_threads)
        # As a task would, it takes one of the threads of the worker, while messages are still answered.
        return [await asyncio.get_running_loop().run_in_executor(worker.executors["default"], here)]

    calls = [call(worker.rpc, address, of_one, work) for address, of_one in below.items()]
    found = [one for of_one in await asyncio.gather(own(), *calls) for one in of_one]
    if len(found) == 1 or not all(one.finite for one in found):
        # The client finds out which worker has computed what is not finite.
        return found
    return [joined(found, work.shapes, share.n_leaves, worker.address)]
