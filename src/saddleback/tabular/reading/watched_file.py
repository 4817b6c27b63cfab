"""The bytes of a CSV file on their way to pyarrow, watched for what the table no longer tells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from traceback import clear_frames
from typing import Any
from weakref import ref

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

# A code, such as 00123, is not longer than this.
LONGEST_CODE = 64
# Watched at a time, small enough for the cache.
WATCHED_BYTES = 1 << 16
# What ends a value has a lower number than this, but for some separators: spaces, line breaks, quotes, commas, tabs.
LAST_END = ord(",") + 1


# Seconds to wait for a thread of Arrow; it takes milliseconds.
LONGEST_WAIT = 10.0


@dataclass
class Seen:
    """What was noticed in the bytes of a file."""

    n_quotes: int = 0
    """An odd number may mean that one is not closed; pyarrow then takes the rest of the file for one value."""
    has_codes: bool = False
    """Whether there are whole numbers with leading zeros."""


def read_watched(file: Path, separator: str, options: dict[str, Any], *, compressed: bool) -> tuple[pa.Table, Seen]:
    """The table that `pyarrow.csv.read_csv` makes of a file with these options, and what was seen in its bytes.

    A thread of Arrow may hold the file for some milliseconds after the table is there, and then needs the interpreter
    to let go of it. A process that ends before that is aborted ("terminate called without an active exception"), so it
    is waited for here.
    """
    watched = WatchedFile(file, separator, compressed=compressed)
    held, seen = ref(watched), watched.seen
    try:
        return csv.read_csv(watched, **options), seen
    except BaseException as error:
        # The frames of an error hold the file as well.
        clear_frames(error.__traceback__)
        raise
    finally:
        watched.close()
        del watched
        end = monotonic() + LONGEST_WAIT
        while held() is not None and monotonic() < end:
            sleep(0.0)


class WatchedFile:
    """A file to read from, which counts quotes, and notices whole numbers with leading zeros."""

    closed = False

    def __init__(self, file: Path, separator: str, *, compressed: bool) -> None:
        self._source = pa.input_stream(str(file), compression="gzip" if compressed else None)
        ends = separator.encode() + b'"\r\n '
        self._separator = ord(separator)
        self._ends = np.zeros(256, dtype=bool)
        self._ends[list(ends)] = True
        self._code = re.compile(rb"0[0-9]+ *([" + re.escape(ends) + rb"]|$)")
        self._rest = np.frombuffer(b"\n", dtype=np.uint8)
        self.seen = Seen()

    def read_buffer(self, size: int = -1) -> pa.Buffer:
        """Bytes without a copy: pyarrow asks for them in this way."""
        data = self._source.read_buffer(size)
        characters = np.frombuffer(data, dtype=np.uint8)
        for start in range(0, characters.size, WATCHED_BYTES):
            # Two characters more, as a code is noticed by three.
            self._watch(characters[start : start + WATCHED_BYTES + 2], WATCHED_BYTES)
        return data

    def read(self, size: int = -1) -> bytes:
        return self.read_buffer(size).to_pybytes()

    def _watch(self, characters: NDArray[np.uint8], n: int) -> None:
        self.seen.n_quotes += int(np.count_nonzero(characters[:n] == ord('"')))
        if self.seen.has_codes:
            return
        # A code may begin with the last characters of what was seen before.
        self._rest = np.concatenate([self._rest, characters[:LONGEST_CODE]])
        self.seen.has_codes = self._find_codes(self._rest) or self._find_codes(characters)
        self._rest = characters[:n][-LONGEST_CODE:].copy()

    def _find_codes(self, characters: NDArray[np.uint8]) -> bool:
        """Whether a value begins with 0 and another digit, and has digits only."""
        before, after = characters[:-2], characters[2:]
        starts = characters[1:-1] == ord("0")
        starts &= after >= ord("0")
        starts &= (before < LAST_END) if self._separator < LAST_END else self._ends[before]
        places = np.flatnonzero(starts)
        places = places[self._ends[before[places]]] + 1
        return any(self._code.match(characters[place : place + LONGEST_CODE].tobytes()) for place in places.tolist())

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True
        self._source.close()
