"""Partitions on the workers of a Dask cluster, as futures that Dask computes anew where a worker is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from functools import partial
from math import prod
from threading import Lock
from typing import Any, TypeVar
from uuid import uuid4

import dask

from ....errors import ClusterError
from .calling import Calls, Lines
from .joining import FAN_IN, levels
from .placement import Holdings, Range, contiguous, moves, runs_of
from .ranges import Partial, joined
from .recovery import Cluster
from .tasks import ask_range, fold_range, join, moved, sum_range
from .tree import Sums
from .works import Work

T = TypeVar("T")

INLINE_BYTES = 1 << 20
"""Of w up to which it travels with the tasks: once to the scheduler, which sends it to all workers. A larger one is
passed on from worker to worker, which costs more messages; Dask keeps the last thousand smaller ones in memory."""

LARGE_GRAPH, NEVER = "distributed.admin.large-graph-warning-threshold", 1 << 62
"""Dask warns of tasks that bring more than 10 MB of data, as labels and weights of many rows are, and advises to
scatter them. They come with their tasks on purpose: a task is done again where a worker is lost, and what was scattered
to this worker would be gone. They are sent once, not with every evaluation."""

SUBMITTING = Lock()
"""Held while the setting, one for the whole process, is changed: the last of two threads to end would leave it so."""

LOOK_SECONDS = 10.0
"""Between two looks for workers that have joined."""


class OnWorkers:
    """An executor that calls every worker for a sum, and asks by tasks, one per worker, for everything else."""

    def __init__(self, cluster: Cluster, futures: list[Any], n_threads: int | None) -> None:
        self._cluster, self._n_threads = cluster, n_threads
        self.n_partitions = len(futures)
        self._lock = Lock()
        self._looked = time.monotonic()
        self._stale = False
        cluster.settled(futures)
        self._holdings = self._held(futures, cluster.workers())
        self._calls, self._lines = Calls(cluster), Lines(self._holdings, n_threads)

    @classmethod
    def loading(cls, client: Any, tasks: Sequence[Any], n_threads: int | None) -> OnWorkers:
        """Compute the tasks, each range of neighbors on one worker."""
        cluster = Cluster(client)

        def attempt() -> OnWorkers:
            futures = []
            ranges = contiguous(len(tasks), cluster.workers())
            for one in ranges:
                own = [tasks[number] for number in one.numbers]
                futures += client.compute(own, workers=[one.address], allow_other_workers=True)
            try:
                cluster.settled(futures, [one.address for one in ranges])
            except CancelledError:
                # Otherwise the tasks of the next attempt are those that wait for workers that are gone.
                client.cancel(futures)
                raise
            cluster.release_from_workers(futures)
            return cls(cluster, futures, n_threads)

        return cluster.attempted(attempt, lambda: None)

    def each(self, ask: Callable[[Any], T]) -> list[T]:
        return self.each_numbered(partial(_unnumbered, ask))

    def each_numbered(self, ask: Callable[[int, Any], T]) -> list[T]:
        def attempt() -> list[Any]:
            holdings, _ = self._current()
            ranges = holdings.ranges
            tasks = [(ask, one.numbers, holdings.of(one), self._n_threads) for one in ranges]
            futures = self._submit_all(ask_range, ranges, tasks)
            answers: list[Any] = [None] * self.n_partitions
            for one, of_range in zip(ranges, self._cluster.gathered(futures), strict=True):
                for number, answer in zip(one.numbers, of_range, strict=True):
                    answers[number] = answer
            return answers

        return self._cluster.attempted(attempt, self._recover)

    def fold(self, add: Callable[[T, Any], T], start: T) -> T:
        def attempt() -> T:
            (holdings, _), so_far = self._current(), start
            for one in runs_of(holdings.holders):
                so_far = self._submit(one, fold_range, add, so_far, holdings.of(one))
            (total,) = self._cluster.gathered([so_far])
            return total

        return self._cluster.attempted(attempt, self._recover)

    def sums(self, work: Work) -> Sums:
        total = self._cluster.attempted(lambda: self._sums(work), self._recover)
        (sums,) = total.nodes.values()
        assert sums is not None
        return sums

    @property
    def way(self) -> str:
        """How the next sums are asked for: by "tasks", "calls" or "calls by the scheduler"."""
        _, lines = self._current()
        if lines.asked(0) is None:
            return "tasks"
        return "calls" if self._calls.reaches(lines) else "calls by the scheduler"

    def then(self, step: Callable[..., Any], arguments: Sequence[Any] | None = None) -> OnWorkers:
        def attempt() -> OnWorkers:
            holdings, _ = self._current()
            extra = [()] * self.n_partitions if arguments is None else [(argument,) for argument in arguments]
            single = [Range(address, (number,)) for number, address in enumerate(holdings.holders)]
            tasks = [(future, *own) for future, own in zip(holdings.futures, extra, strict=True)]
            futures = self._submit_all(step, single, tasks)
            return OnWorkers(self._cluster, futures, self._n_threads)

        return self._cluster.attempted(attempt, self._recover)

    def _submit(self, one: Range, function: Callable[..., Any], *arguments: Any) -> Any:
        (future,) = self._submit_all(function, [one], [arguments])
        return future

    def _submit_all(
        self, function: Callable[..., Any], ranges: Sequence[Range], tasks: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """A task for every range, on its worker if possible, in one message, which has what they share only once."""
        name = f"{getattr(function, '__name__', type(function).__name__)}-{uuid4().hex}"
        addresses = {f"{name}-{k}": [one.address] for k, one in enumerate(ranges)}
        where = {"workers": addresses.get, "allow_other_workers": True}
        with SUBMITTING, dask.config.set({LARGE_GRAPH: NEVER}), dask.annotate(**where):
            futures: list[Any] = self._cluster.client.map(
                function, *zip(*tasks, strict=True), key=list(addresses), pure=False
            )
        return futures

    def _sums(self, work: Work) -> Partial:
        holdings, lines = self._current()
        partials = self._calls.sums(lines, work)
        if partials is None:
            lines.open(self._submit_all)
            return self._sums_of_tasks(holdings, work)
        total = joined(partials, work.shapes, self.n_partitions, "client")
        if not total.finite:
            self._audit(work, partials, holdings)
        return total

    def _sums_of_tasks(self, holdings: Holdings, work: Work) -> Partial:
        n, ranges = self.n_partitions, holdings.ranges
        shared = work
        if work.n_bytes > INLINE_BYTES:
            shared = self._cluster.client.scatter(work, workers=[ranges[0].address], hash=False)
        tasks = [(shared, one.numbers, holdings.of(one), n, self._n_threads) for one in ranges]
        of_ranges = level = self._submit_all(sum_range, ranges, tasks)
        # Neighbors are joined on the worker of one of them, so that no worker receives the sums of all.
        joining, n_bytes = ranges, 8 * sum(map(prod, work.shapes))
        for _ in range(levels(len(level), n_bytes)):
            firsts = range(0, len(level), FAN_IN)
            joining = [joining[first] for first in firsts]
            level = self._submit_all(
                join, joining, [(level[first : first + FAN_IN], work.shapes, n) for first in firsts]
            )
        partials = self._cluster.gathered(level)
        total = joined(partials, work.shapes, n, "client")
        if len(level) == len(ranges) and any(p.address != one.address for p, one in zip(partials, ranges, strict=True)):
            self._stale = True
        if not total.finite:
            self._audit(shared, self._cluster.gathered(of_ranges), holdings)
        return total

    def _audit(self, work: Any, partials: list[Partial], holdings: Holdings) -> None:
        """Where sums are not finite, have another worker compute them: other bits are an error of one of the two."""
        for one in partials:
            if one.finite:
                continue
            others = sorted(holdings.workers - {one.address}) or [one.address]
            elsewhere = Range(others[0], one.numbers)
            repeated = self._submit(
                elsewhere, sum_range, work, one.numbers, holdings.of(elsewhere), self.n_partitions, self._n_threads
            )
            (again,) = self._cluster.gathered([repeated])
            if not one.same(again):
                raise ClusterError(
                    f"worker {one.address} has answered with numbers that are not finite, and {again.address} with "
                    "others for the same partitions: one of the two computes wrongly. Take the first one out of the "
                    "cluster, and resume from a checkpoint."
                )

    def _current(self) -> tuple[Holdings, Lines]:
        """Where the partitions are, looked up again from time to time, and after an answer from elsewhere."""
        with self._lock:
            now = time.monotonic()
            if self._stale or now - self._looked > LOOK_SECONDS:
                self._looked = now
                threads = self._cluster.workers()
                if self._stale or frozenset(threads) != self._holdings.workers:
                    self._rearrange()
            return self._holdings, self._lines

    def _recover(self) -> None:
        with self._lock:
            self._rearrange()

    def _rearrange(self) -> None:
        """Wait for the partitions that Dask makes anew, and spread them over the workers that are there."""
        futures = self._holdings.futures
        try:
            self._cluster.settled(futures)
            holdings = self._held(futures, self._cluster.workers())
            elsewhere = moves(holdings.holders, self._cluster.workers())
            if elsewhere:
                futures = list(futures)
                for number, address in elsewhere.items():
                    futures[number] = self._submit(Range(address, (number,)), moved, futures[number])
                self._cluster.settled(futures)
                holdings = self._held(futures, self._cluster.workers())
        except CancelledError:
            self._cluster.threads()
            self._cluster.released()
        self._holdings, self._stale = holdings, False
        self._lines = Lines(holdings, self._n_threads)

    def _held(self, futures: list[Any], threads: Any) -> Holdings:
        found = self._cluster.who_has(futures)
        holders = []
        for future in futures:
            addresses = [address for address in found.get(future.key, ()) if address in threads]
            # A partition that was lost a moment ago is made anew on some worker.
            holders.append(addresses[0] if addresses else min(threads))
        return Holdings(futures, holders, frozenset(threads))


def _unnumbered(ask: Callable[[Any], T], number: int, partition: Any) -> T:
    return ask(partition)
