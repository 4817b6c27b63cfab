"""Partitions that are sections of files: made anew where they are needed, and read in every pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from ....machine.resources import cores
from ..tables.streamed_table import StreamedTable
from .in_process import InProcess
from .kept import Budget, Kept
from .ranges import answers_here, sums_here
from .resident import Resident
from .tree import Sums
from .works import Work

T = TypeVar("T")

Step = tuple[Callable[..., Any], Sequence[Any] | None]
"""A function of a partition, and its own argument for each of them."""


@dataclass(frozen=True, eq=False)
class Streamed:
    """Partitions that are not in memory, read side by side by as many threads as this process may use.

    What the steps make of a partition lives as long as it is used; residents are kept, without their rows, as far as
    memory allows.
    """

    parts: Sequence[Any]
    n_threads: int | None
    budget: Budget
    """For what is kept between passes."""
    steps: tuple[Step, ...] = ()

    @cached_property
    def kept(self) -> Kept:
        """The residents that are made by these steps."""
        return Kept(self.budget)

    @property
    def n_partitions(self) -> int:
        return len(self.parts)

    def each(self, ask: Callable[[Any], T]) -> list[T]:
        return self.each_numbered(lambda _, partition: ask(partition))

    def each_numbered(self, ask: Callable[[int, Any], T]) -> list[T]:
        numbers = range(self.n_partitions)
        return answers_here(lambda number, _: ask(number, self._made(number)), numbers, numbers, self._threads)

    def fold(self, add: Callable[[T, Any], T], start: T) -> T:
        for number in range(self.n_partitions):
            start = add(start, self._made(number))
        return start

    def sums(self, work: Work) -> Sums:
        def of_partition(number: int) -> Sums | None:
            resident = self._made(number)
            return None if resident is None else work(resident)

        numbers = range(self.n_partitions)
        total = sums_here(of_partition, numbers, numbers, self.n_partitions, self._threads).total
        assert total is not None
        return total

    def then(self, step: Callable[..., Any], arguments: Sequence[Any] | None = None) -> Streamed:
        return Streamed(self.parts, self.n_threads, self.budget, (*self.steps, (step, arguments)))

    def here(self) -> InProcess:
        """What the steps make of all partitions, in memory."""
        numbers = range(self.n_partitions)
        made = answers_here(lambda number, _: self._made(number), numbers, numbers, self._threads)
        return InProcess(made, self.n_threads)

    def _made(self, number: int) -> Any:
        """What the steps make of a partition."""
        made: Any = self.kept.resident(number)
        if made is not None:
            return made
        made = self.parts[number]
        for step, arguments in self.steps:
            made = step(made) if arguments is None else step(made, arguments[number])
        if isinstance(made, Resident) and isinstance(made.reader.reader.table, StreamedTable):
            self.kept.keep(number, made)
        return made

    @property
    def _threads(self) -> int:
        return self.n_threads or cores()
