"""What a failure of a cluster means: a worker that others replace, or the end of the run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError
from typing import Any, NoReturn, TypeVar

import dask
from distributed import KilledWorker
from distributed.comm import CommClosedError

from ....errors import ClusterError, ClusterLost

T = TypeVar("T")

LOSSES = (CancelledError, CommClosedError, TimeoutError)
"""What Dask raises where data or connections were lost; workers' own errors pass through."""

ATTEMPTS = 4
"""Of one evaluation. Dask itself computes anew what one worker has lost; another attempt follows where it gives up."""

POLL_SECONDS = 1.0
"""Between two looks at the workers while an answer is awaited."""

PATIENCE_SECONDS = 60.0
"""How long no worker may be there, or one may be paused: a machine restarts in a minute. Dask's setting
``saddleback.patience`` overrules."""


class Cluster:
    """A client whose answers are awaited with an eye on the workers."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def threads(self) -> Mapping[str, int]:
        """The workers and their threads."""
        return self._asked("ncores")

    def who_has(self, futures: Sequence[Any]) -> Mapping[str, Sequence[str]]:
        """The workers that hold each future, by its key."""
        return self._asked("who_has", keys=[future.key for future in futures])

    def workers(self) -> Mapping[str, int]:
        """The same, once there are any."""
        begun = time.monotonic()
        while not (found := self.threads()):
            if time.monotonic() - begun > patience():
                raise ClusterLost(
                    f"no worker is left on the cluster of {self._scheduler}, and none has come within {patience():g} "
                    f"seconds. {REMEDY}"
                )
            time.sleep(min(POLL_SECONDS, 0.1 * patience()))
        return found

    def gathered(self, futures: list[Any]) -> list[Any]:
        """Their results, once they are there; an error of a task is raised as it is."""
        self._check_connection()
        return self._awaited(self.client.gather(futures, asynchronous=True), self._watch())

    def called(self, call: Callable[[], Coroutine[Any, Any, T]], addresses: Collection[str]) -> T:
        """What these workers answer to a call that is no task; none comes from one that is gone."""
        self._check_connection()
        watch = self._watch()

        def look() -> None:
            if gone := set(addresses) - set(watch()):
                raise CommClosedError(f"workers {sorted(gone)} are gone")

        return self._awaited(call(), look)

    def settled(self, futures: list[Any], asked: Collection[str] = ()) -> None:
        """Wait until all are in memory; the error of the first one that has failed is raised.

        ``asked`` are the workers that tasks without dependencies were asked of, which other ones take over.
        """
        look = self._watch()
        for future in futures:
            while not future.done():
                try:
                    future.exception(timeout=POLL_SECONDS)
                except TimeoutError:
                    gone = set(asked) - set(look())
                    if gone and len(gone) == len(asked):
                        raise CancelledError(f"all workers that were to make {future.key} are gone") from None
                    if gone:
                        self.release_from_workers(futures)
            if future.status == "error":
                raise future.exception()
            if future.cancelled():
                raise CancelledError(f"{future.key} was lost")

    def release_from_workers(self, futures: list[Any]) -> None:
        """Let any worker make these, and what they are made of.

        Dask keeps a task without dependencies for the workers that it was asked of, even where others are allowed: once
        all workers are gone it waits for theirs forever (dask/distributed#7346).
        """
        try:
            self.client.run_on_scheduler(_forget_workers, [future.key for future in futures])
        except (*LOSSES, OSError) as error:
            self._scheduler_lost(error)

    def attempted(self, attempt: Callable[[], T], recover: Callable[[], None]) -> T:
        """What ``attempt`` returns, again where data or workers were lost on the way."""
        for _ in range(ATTEMPTS):
            self._check_connection()
            try:
                return attempt()
            except LOSSES as error:
                failure: Exception = error
                self.threads()
                recover()
            except KilledWorker as error:
                failure = error
                self.workers()
                recover()
        raise ClusterError(
            f"an evaluation has failed {ATTEMPTS} times on the cluster of {self._scheduler}, the last time by "
            f"{type(failure).__name__}: {failure}. Workers that end over and over have too little memory for their "
            "partitions: take more workers, or larger ones."
        ) from failure

    def _watch(self) -> Callable[[], Mapping[str, int]]:
        """For one wait: a function that finds the workers, and raises where an answer will not come."""
        paused: dict[str, float] = {}

        def look() -> Mapping[str, int]:
            found, running, now = self.workers(), self._asked("ncores_running"), time.monotonic()
            for address in found:
                if address in running:
                    paused.pop(address, None)
                elif now - paused.setdefault(address, now) > patience():
                    raise ClusterError(
                        f"worker {address} has run no task for {patience():g} seconds, as its memory is full: Dask has "
                        "paused it. Take more workers, larger ones, or a larger memory limit."
                    )
            return found

        return look

    def released(self) -> NoReturn:
        """The partitions are gone, and Dask has forgotten how they were made."""
        raise ClusterLost(
            f"the partitions of X are no longer on the cluster of {self._scheduler}: it was restarted, or they were "
            f"cancelled. {REMEDY}"
        )

    def _asked(self, question: str, **arguments: Any) -> Any:
        """An answer of the scheduler; ClusterLost where none comes."""
        self._check_connection()
        try:
            return self._awaited(getattr(self.client.scheduler, question)(**arguments), self._check_connection)
        except (*LOSSES, OSError, AttributeError, RuntimeError) as error:
            # A client that is closed meanwhile has no scheduler to ask, which is an AttributeError or a RuntimeError.
            self._scheduler_lost(error)

    def _awaited(self, coroutine: Coroutine[Any, Any, T], look: Callable[[], object]) -> T:
        """What a coroutine of the client's loop returns; ``look`` is called now and then, and raises where none will
        come."""
        answer = asyncio.run_coroutine_threadsafe(coroutine, self.client.loop.asyncio_loop)
        try:
            while True:
                try:
                    return answer.result(timeout=POLL_SECONDS)
                except TimeoutError:
                    if answer.done():
                        raise
                    look()
        finally:
            answer.cancel()

    def _check_connection(self) -> None:
        """A client that has lost its scheduler has cancelled all futures, even where it connects again."""
        if self.client.status != "running":
            self._scheduler_lost(None)

    def _scheduler_lost(self, error: Exception | None) -> NoReturn:
        raise ClusterLost(f"the connection to the Dask scheduler {self._scheduler} is lost. {REMEDY}") from error

    @property
    def _scheduler(self) -> str:
        scheduler = getattr(self.client, "scheduler", None)
        return str(getattr(scheduler, "address", "that was closed"))


REMEDY = (
    "Start a cluster, make the losses again, and go on from the last checkpoint: solve(problem, checkpoint=path, "
    "resume=True)."
)


def patience() -> float:
    """Seconds without any worker, or with one that is paused, until a run ends."""
    return float(dask.config.get("saddleback.patience", PATIENCE_SECONDS))


def _forget_workers(keys: Sequence[Any], dask_scheduler: Any) -> None:
    """Runs on the scheduler."""
    left = [dask_scheduler.tasks[key] for key in keys if key in dask_scheduler.tasks]
    seen = set(left)
    while left:
        task = left.pop()
        task.worker_restrictions = None
        left += task.dependencies - seen
        seen |= task.dependencies
