"""What one process does with some of the partitions: side by side in threads, each with kernels of one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from ....errors import ClusterError
from ....linalg.blas_threads import one_blas_thread
from ..tables.threads import run_all
from .tree import Node, PartialSums, Sums, maximal_nodes
from .works import Shape

T = TypeVar("T")


def side_by_side(function: Callable[[T], None], items: Sequence[T], n_threads: int) -> None:
    """Call the function with every item, in so many threads, each of which takes the next item when it is free."""
    queue, lock = iter(items), Lock()

    def work() -> None:
        while True:
            with lock:
                item = next(queue, None)
            if item is None:
                return
            function(item)

    run_all([work] * max(1, min(n_threads, len(items))))


def sums_here(
    work: Callable[[Any], Sums | None], numbers: Sequence[int], residents: Sequence[Any], n_leaves: int, n_threads: int
) -> PartialSums:
    """The sums over these partitions, as far as the tree adds them."""
    sums, lock = PartialSums(n_leaves), Lock()

    def add(numbered: tuple[int, Any]) -> None:
        number, resident = numbered
        own = None if resident is None else work(resident)
        with lock:
            sums.add((0, number), own)

    # The limit of BLAS is one of the process: it is set before threads begin, and so not by two of them at once.
    with one_blas_thread():
        side_by_side(add, list(zip(numbers, residents, strict=True)), n_threads)
    return sums


def answers_here(
    ask: Callable[[int, Any], T], numbers: Sequence[int], partitions: Sequence[Any], n_threads: int
) -> list[T]:
    """The answers of these partitions in their order."""
    answers: list[Any] = [None] * len(numbers)

    def answer(at: int) -> None:
        answers[at] = ask(numbers[at], partitions[at])

    with one_blas_thread():
        side_by_side(answer, range(len(numbers)), n_threads)
    return answers


@dataclass(frozen=True, eq=False)
class Partial:
    """Sums of some nodes, and the worker that has computed them."""

    address: str
    numbers: tuple[int, ...]
    nodes: dict[Node, Sums | None]

    def check(self, shapes: tuple[Shape, ...], n_leaves: int) -> None:
        """Refuse sums that are none of these partitions, or not of these shapes."""
        if not isinstance(self.nodes, dict) or set(self.nodes) != maximal_nodes(self.numbers, n_leaves):
            raise ClusterError(
                f"worker {self.address} has answered with sums of other partitions than it was asked for. Restart it, "
                "and resume from a checkpoint."
            )
        for sums in self.nodes.values():
            got = None if sums is None else tuple(_shape(x) for x in sums)
            if got is not None and got != shapes:
                raise ClusterError(
                    f"worker {self.address} has answered with arrays of shape {got}; expected {shapes} of float64. Its "
                    "version of saddleback or its memory may be at fault: restart it, and resume from a checkpoint."
                )

    @property
    def finite(self) -> bool:
        return all(np.isfinite(x).all() for sums in self.nodes.values() if sums is not None for x in sums)

    def same(self, other: Partial) -> bool:
        """Whether the bits are those of another worker."""
        return self.nodes.keys() == other.nodes.keys() and all(
            (a is None and b is None)
            or (a is not None and b is not None and all(map(partial(np.array_equal, equal_nan=True), a, b)))
            for a, b in ((sums, other.nodes[node]) for node, sums in self.nodes.items())
        )


def joined(partials: Sequence[Partial], shapes: tuple[Shape, ...], n_leaves: int, address: str) -> Partial:
    """The sums of several workers, checked and added as far as the tree adds them."""
    sums = PartialSums(n_leaves)
    for one in partials:
        one.check(shapes, n_leaves)
    for node, arrays in sorted(pair for one in partials for pair in one.nodes.items()):
        # Copies: what came from another process is read-only, and what is here may be asked for again.
        sums.add(node, None if arrays is None else tuple(x.copy() for x in arrays))
    return Partial(address, tuple(number for one in partials for number in one.numbers), sums.nodes)


def _shape(x: Any) -> Shape | None:
    return x.shape if isinstance(x, np.ndarray) and x.dtype == np.float64 else None
