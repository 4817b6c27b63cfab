"""The rows of a table in blocks, wherever they come from: what a table that is read again for every pass must offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class BlockSource(Protocol):
    """Blocks of consecutive rows, small enough to stay in the processor's cache, read over and over by many threads.

    Blocks belong to *sections*, which are summed up one by one in a fixed order. The blocks of a section have equal
    lengths, but for the last one, which may be shorter; one thread reads them in their order, and may skip some.
    """

    @property
    def lengths(self) -> Sequence[int]:
        """The rows of each block; none is empty."""

    @property
    def sections(self) -> Sequence[int]:
        """The number of the first block of each section, from 0."""

    @property
    def n_columns(self) -> int:
        """The columns of every block."""

    @property
    def names(self) -> Sequence[str] | None:
        """Those of the columns, where they have names."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64."""

    def read(self, number: int) -> NDArray[Any]:
        """A block in C order and of this type: the same numbers each time, which last until this thread reads again.

        What cannot be read, or has changed since the beginning, is a ProblemError.
        """

    def place(self, number: int) -> str:
        """Where a block is, for messages: a file, or the name of another origin."""

    def row(self, number: int) -> int:
        """The number of a block's first row at its place, for messages."""
