"""Partitions in the memory of this process, where there is no cluster: the same sums in the same tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ....machine.resources import cores
from .ranges import answers_here, sums_here
from .tree import Sums
from .works import Work

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class InProcess:
    """All partitions here, read side by side by as many threads as this process may use."""

    partitions: list[Any]
    n_threads: int | None

    @property
    def n_partitions(self) -> int:
        return len(self.partitions)

    def each(self, ask: Callable[[Any], T]) -> list[T]:
        return self.each_numbered(lambda _, partition: ask(partition))

    def each_numbered(self, ask: Callable[[int, Any], T]) -> list[T]:
        return answers_here(ask, range(self.n_partitions), self.partitions, self._threads)

    def fold(self, add: Callable[[T, Any], T], start: T) -> T:
        for partition in self.partitions:
            start = add(start, partition)
        return start

    def sums(self, work: Work) -> Sums:
        total = sums_here(work, range(self.n_partitions), self.partitions, self.n_partitions, self._threads).total
        assert total is not None
        return total

    def then(self, step: Callable[..., Any], arguments: Sequence[Any] | None = None) -> InProcess:
        def make(number: int, partition: Any) -> Any:
            return step(partition) if arguments is None else step(partition, arguments[number])

        return InProcess(self.each_numbered(make), self.n_threads)

    @property
    def _threads(self) -> int:
        return self.n_threads or cores()
