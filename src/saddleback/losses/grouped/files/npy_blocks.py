"""A matrix in a `.npy` file as blocks, read by position: the file is never mapped, nor read as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ....errors import ProblemError
from ..tables.dense_source import table_type
from .cutting import Cut
from .rooms import Rooms
from .watched_files import FileReader, WatchedFile, cannot_read


@dataclass(frozen=True)
class NpyHeader:
    """What the first bytes of a `.npy` file say."""

    file: WatchedFile
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    fortran: bool
    """Whether the numbers are stored column by column."""
    start: int
    """The place of the first number."""

    @classmethod
    def of(cls, path: Path) -> NpyHeader:
        """Refuse what is no matrix of real numbers, and what is shorter than it says."""
        file = WatchedFile.of(path)
        try:
            with open(path, "rb") as opened:
                version = npy.read_magic(opened)
                # Version 3 differs from 2 in the names of fields, which are refused.
                read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
                shape, fortran, dtype = read(opened)
                start = opened.tell()
        except OSError as error:
            raise cannot_read(path, error) from error
        except Exception as error:  # NumPy raises errors of many types for bytes that are no header.
            why = (str(error).splitlines() or [""])[0][:200].rstrip(".")
            raise ProblemError(f"{str(path)!r} is no file in the format .npy ({why}). Write it by np.save.") from error
        if dtype.hasobject:
            raise ProblemError(
                f"{str(path)!r} holds Python objects, which are never loaded: that would run code from the file. Save "
                "an array of numbers."
            )
        if dtype.kind not in "biuf":
            raise ProblemError(f"{str(path)!r} must hold real numbers; got entries of type {dtype}.")
        if len(shape) != 2:
            raise ProblemError(f"{str(path)!r} must hold a matrix, one row per sample; got an array of shape {shape}.")
        if any(type(length) is not int or length < 0 for length in shape):
            raise ProblemError(
                f"{str(path)!r} is no file in the format .npy (it has shape {shape}). Write it by np.save."
            )
        needed = start + shape[0] * shape[1] * dtype.itemsize
        if file.size < needed:
            raise ProblemError(
                f"{str(path)!r} is cut off: an array of shape {shape} takes {needed} bytes, and the file has "
                f"{file.size}. Write it again."
            )
        return cls(file, (shape[0], shape[1]), dtype, fortran and min(shape) > 1, start)


@dataclass(frozen=True, eq=False)
class NpyBlocks:
    """`BlockSource` of one `.npy` file. C order in float32 or float64 is read in place; all else is converted."""

    header: NpyHeader
    columns: NDArray[np.intp] | None
    """Some of the columns by their numbers; None for all of them."""
    cut: Cut
    reader: FileReader
    rooms: Rooms
    names: tuple[str, ...] | None = None

    @classmethod
    def of(
        cls, header: NpyHeader, columns: NDArray[np.intp] | None, total_bytes: float, reader: FileReader, rooms: Rooms
    ) -> NpyBlocks:
        """``total_bytes`` are those of all files of the table, which share a reader and its rooms."""
        n, d = header.shape
        itemsize = max(header.dtype.itemsize, table_type(np.empty(0, header.dtype)).itemsize)
        return cls(header, columns, Cut.of(n, d * itemsize, total_bytes, header.fortran), reader, rooms)

    @property
    def lengths(self) -> list[int]:
        return self.cut.lengths

    @property
    def sections(self) -> list[int]:
        return self.cut.sections

    @property
    def n_columns(self) -> int:
        return self.header.shape[1] if self.columns is None else self.columns.size

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        return table_type(np.empty(0, self.header.dtype))

    def read(self, number: int) -> NDArray[Any]:
        first, length = self.row(number), self.cut.lengths[number]
        stored = self._stored(first, length)
        if self.columns is None and stored.dtype == self.dtype and stored.flags.c_contiguous:
            return stored
        block = self.rooms.array("block", (length, self.n_columns), self.dtype)
        # Numbers beyond float64, of extended precision, are infinite, and refused as such.
        with np.errstate(over="ignore"):
            block[:] = stored if self.columns is None else stored[:, self.columns]
        return block

    def place(self, number: int) -> str:
        return str(self.header.file.path)

    def row(self, number: int) -> int:
        return number * self.cut.rows

    def _stored(self, first: int, length: int) -> NDArray[Any]:
        """Some rows as they are in the file."""
        header, (n, d) = self.header, self.header.shape
        if not header.fortran:
            room = self.rooms.array("stored", (length, d), header.dtype)
            self.reader.read_into(header.file, _bytes(room), header.start + first * d * header.dtype.itemsize)
            return room
        room = self.rooms.array("stored", (d, length), header.dtype)
        for k in range(d):
            place = header.start + (k * n + first) * header.dtype.itemsize
            self.reader.read_into(header.file, _bytes(room[k]), place, scattered=True)
        return room.T


def _bytes(room: NDArray[Any]) -> NDArray[np.uint8]:
    return room.reshape(-1).view(np.uint8)
