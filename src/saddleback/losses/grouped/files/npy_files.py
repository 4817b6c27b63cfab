"""Several `.npy` files as one matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import ProblemError
from .block_source import BlockSource
from .joined_blocks import JoinedBlocks
from .npy_blocks import NpyBlocks, NpyHeader
from .rooms import Rooms
from .watched_files import FileReader

MAGIC = b"\x93NUMPY"


@dataclass(frozen=True, eq=False)
class NpyFiles:
    """Matrices of one width and type, one below the other; columns are numbered."""

    headers: tuple[NpyHeader, ...]

    @classmethod
    def of(cls, paths: Sequence[Path]) -> NpyFiles:
        """Read the headers; files that differ are refused by name."""
        headers = [NpyHeader.of(path) for path in paths]
        first = headers[0]
        for header in headers[1:]:
            for got, expected, what in (
                (header.shape[1], first.shape[1], "columns"),
                (header.dtype, first.dtype, "type"),
            ):
                if got != expected:
                    raise ProblemError(
                        f"all files must have the same {what}; {str(header.file.path)!r} has {got} and "
                        f"{str(first.file.path)!r} has {expected}. Write one of them anew."
                    )
        return cls(tuple(headers))

    @property
    def columns(self) -> list[int]:
        """The positions of the columns, which have no names."""
        return list(range(self.headers[0].shape[1]))

    @property
    def types(self) -> dict[Any, str]:
        """Of every column."""
        return dict.fromkeys(self.columns, str(self.headers[0].dtype))

    @property
    def n_rows(self) -> int:
        """Of all files."""
        return sum(header.shape[0] for header in self.headers)

    def column(self, position: int) -> NDArray[Any]:
        """One column, in memory."""
        source = self.blocks([position])
        column, place = np.empty(self.n_rows, self.headers[0].dtype), 0
        for number, length in enumerate(source.lengths):
            column[place : place + length] = source.read(number)[:, 0]
            place += length
        return column

    def blocks(self, columns: Sequence[int]) -> BlockSource:
        """These columns, block by block."""
        chosen = None if list(columns) == self.columns else np.array(columns, dtype=np.intp)
        total = sum(header.file.size for header in self.headers)
        shared = FileReader(), Rooms()
        return JoinedBlocks([NpyBlocks.of(header, chosen, total, *shared) for header in self.headers])
