"""Several files with the same columns, one after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .block_source import BlockSource


@dataclass(frozen=True, eq=False)
class JoinedBlocks:
    """`BlockSource` of several sources of the same columns and type."""

    sources: Sequence[BlockSource]

    @cached_property
    def lengths(self) -> list[int]:
        return [length for source in self.sources for length in source.lengths]

    @cached_property
    def sections(self) -> list[int]:
        pairs = zip(self.sources, self._first, strict=True)
        return [first + section for source, first in pairs for section in source.sections]

    @property
    def n_columns(self) -> int:
        return self.sources[0].n_columns

    @property
    def names(self) -> Sequence[str] | None:
        return self.sources[0].names

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.sources[0].dtype

    def read(self, number: int) -> NDArray[Any]:
        source, own = self._of(number)
        return source.read(own)

    def place(self, number: int) -> str:
        source, own = self._of(number)
        return source.place(own)

    def row(self, number: int) -> int:
        source, own = self._of(number)
        return source.row(own)

    @cached_property
    def _first(self) -> list[int]:
        """The first block of each source."""
        return np.cumsum([0, *(len(source.lengths) for source in self.sources[:-1])]).tolist()

    def _of(self, number: int) -> tuple[BlockSource, int]:
        k = bisect_right(self._first, number) - 1
        return self.sources[k], number - self._first[k]
