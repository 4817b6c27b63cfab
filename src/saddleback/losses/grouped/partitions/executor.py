"""Who holds the partitions and applies functions to them: this process, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from .tree import Sums
from .works import Work

T = TypeVar("T")


class Executor(Protocol):
    """Partitions, in their order."""

    @property
    def n_partitions(self) -> int:
        """Those without rows included."""

    def each(self, ask: Callable[[Any], T]) -> list[T]:
        """The answer of every partition, which is small."""

    def each_numbered(self, ask: Callable[[int, Any], T]) -> list[T]:
        """The same, for functions that depend on the number of the partition."""

    def fold(self, add: Callable[[T, Any], T], start: T) -> T:
        """add(... add(add(start, first), second) ..., last)."""

    def sums(self, work: Work) -> Sums:
        """The sums of a work over all residents, in the fixed tree."""

    def then(self, step: Callable[..., Any], arguments: Sequence[Any] | None = None) -> Executor:
        """What a function makes of every partition, and of its own argument if there are such; kept where they are."""
