"""What a worker of a cluster runs: one task for all of its partitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from .ranges import Partial, answers_here, joined, sums_here
from .works import Shape, Work

T = TypeVar("T")


def sum_range(
    work: Work, numbers: tuple[int, ...], residents: Sequence[Any], n_leaves: int, n_threads: int | None
) -> Partial:
    """The sums of a work over some partitions, with the address of this worker."""
    return sums_of(_this_worker(), work, numbers, residents, n_leaves, n_threads)


def sums_of(
    worker: Any, work: Work, numbers: tuple[int, ...], residents: Sequence[Any], n_leaves: int, n_threads: int | None
) -> Partial:
    """The same, where the worker is known."""
    sums = sums_here(work, numbers, residents, n_leaves, n_threads or worker.state.nthreads)
    return Partial(worker.address, numbers, sums.nodes)


def join(partials: Sequence[Partial], shapes: tuple[Shape, ...], n_leaves: int) -> Partial:
    """The sums of some workers as those of one."""
    return joined(partials, shapes, n_leaves, _this_worker().address)


def ask_range(
    ask: Callable[[int, Any], T], numbers: tuple[int, ...], partitions: Sequence[Any], n_threads: int | None
) -> list[T]:
    """The answers of some partitions."""
    return answers_here(ask, numbers, partitions, n_threads or _this_worker().state.nthreads)


def fold_range(add: Callable[[T, Any], T], start: T, partitions: Sequence[Any]) -> T:
    """Add some partitions to what those before them have given."""
    for partition in partitions:
        start = add(start, partition)
    return start


def moved(partition: T) -> T:
    """The partition itself, on the worker that runs this."""
    return partition


def _this_worker() -> Any:
    from distributed import get_worker

    return get_worker()
