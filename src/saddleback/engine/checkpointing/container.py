"""The file format: safetensors with texts in its header, checked against the file's size before any allocation."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors

from ..._version import __version__

Array = NDArray[Any]

FORMAT = "saddleback checkpoint"
VERSION = "3"
# In bytes. Headers take a few thousand; the limit guards against hostile ones, whose parsed form takes twenty times
# their length in memory.
LARGEST_HEADER = 1_000_000
# The bytes of the number with which a file begins: the length of the header.
LENGTH = 8
# The first bytes of a zip archive.
ARCHIVE = b"PK\x03\x04"
TYPES = {"F64": "float64", "F32": "float32", "I64": "int64", "I32": "int32", "BOOL": "bool"}
NAMES = {name: code for code, name in TYPES.items()}
# Keys of the header's texts; those of the contents have a dot in them.
SIZES = {"J": "n_losses", "d": "n_params"}
DIGEST = "sha256"


class Unreadable(Exception):
    """Why a file is not a checkpoint, as part of a sentence."""


@dataclass(frozen=True)
class Header:
    """The header of a file, consistent with the file's size."""

    texts: dict[str, str]
    shapes: dict[str, tuple[str, tuple[int, ...]]]
    """The type and the shape of each array."""
    sizes: dict[str, int]
    digest: str
    length: int
    """The bytes of the whole file."""

    def stand_ins(self) -> dict[str, Array]:
        """Arrays of the same types and shapes that take no memory."""
        return {name: np.broadcast_to(np.zeros((), kind), shape) for name, (kind, shape) in self.shapes.items()}


def open_regular(path: Path) -> IO[bytes]:
    """The file, open for reading; a pipe or a device is refused and not waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise Unreadable(f"it cannot be opened ({error.strerror})") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Unreadable("it is not a regular file")
    return os.fdopen(handle, "rb")


def read_header(file: IO[bytes]) -> Header:
    """The header; Unreadable where it is not consistent with the size of the file."""
    length = file.seek(0, os.SEEK_END)
    file.seek(0)
    start = _read(file, LENGTH)
    if start[:4] == ARCHIVE:
        raise Unreadable(
            "it is a zip archive, as the checkpoints of earlier versions were; only the version that wrote it can go "
            "on from it"
        )
    n = int.from_bytes(start, "little")
    if not (len(start) == LENGTH and n <= length - LENGTH and n <= LARGEST_HEADER):
        raise Unreadable("it does not begin as a safetensors file does, or it is cut off")
    table = _parsed(_read(file, n))
    texts = table.pop("__metadata__", None)
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise Unreadable("its header has no texts")
    if texts.pop("format", None) != FORMAT:
        raise Unreadable("it is a safetensors file of something else")
    version, by = texts.pop("version", "none"), texts.pop("written_by", "an unknown program")
    if version != VERSION:
        raise Unreadable(f"it has format version {version[:20]!r}, written by {by[:40]}; this one reads {VERSION!r}")
    sizes = {name: _count(texts.pop(key, "")) for name, key in SIZES.items()}
    digest = texts.pop(DIGEST, "")
    return Header(texts, _shapes(table, length - LENGTH - n), sizes, digest, length)


def read_arrays(file: IO[bytes], header: Header) -> dict[str, Array]:
    """The arrays; Unreadable where their checksum differs."""
    file.seek(0)
    whole = _read(file, header.length + 1)
    if len(whole) != header.length:
        raise Unreadable("it was changed while it was read")
    try:
        arrays: dict[str, Array] = load_tensors(whole)
    except SafetensorError as error:
        raise Unreadable(f"safetensors refuses it ({error})") from None
    except MemoryError:
        raise Unreadable(f"there is not enough memory for its {header.length} bytes") from None
    if header.digest != checksum(header.texts, arrays, header.sizes):
        raise Unreadable("its checksum does not agree: it has been damaged, or changed by hand")
    return arrays


def write(file: IO[bytes], texts: Mapping[str, str], arrays: Mapping[str, Array], sizes: Mapping[str, int]) -> None:
    """One safetensors file, directly from the arrays: the library's own writer copies them twice."""
    known = {"format": FORMAT, "version": VERSION, "written_by": f"saddleback {__version__}"}
    known |= {key: str(sizes[name]) for name, key in SIZES.items()}
    table: dict[str, Any] = {"__metadata__": {**known, DIGEST: checksum(texts, arrays, sizes), **texts}}
    # Arrays with entries of eight bytes first, so that all are aligned.
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    end = 0
    for name in order:
        begin, end = end, end + arrays[name].nbytes
        table[name] = {
            "dtype": NAMES[arrays[name].dtype.name],
            "shape": list(arrays[name].shape),
            "data_offsets": [begin, end],
        }
    header = json.dumps(table, separators=(",", ":")).encode()
    header += b" " * (-len(header) % LENGTH)
    if len(header) > LARGEST_HEADER:
        raise OSError(f"the state has too many parts: {len(header)} bytes describe it, {LARGEST_HEADER} are allowed")
    file.write(len(header).to_bytes(LENGTH, "little") + header)
    for name in order:
        file.write(_bytes(arrays[name]))


def checksum(texts: Mapping[str, str], arrays: Mapping[str, Array], sizes: Mapping[str, int]) -> str:
    """SHA-256 of the contents, sorted by name."""
    digest = sha256(json.dumps([dict(sizes), dict(texts)], sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\n{name} {array.dtype.name} {array.shape}\n".encode())
        digest.update(_bytes(array))
    return digest.hexdigest()


def _bytes(array: Array) -> Any:
    """The entries in C order and little-endian, without a copy where they are so already."""
    plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return plain.reshape(-1).view(np.uint8) if plain.size else b""


def _read(file: IO[bytes], n: int) -> bytes:
    try:
        return file.read(n)
    except (OSError, MemoryError) as error:
        raise Unreadable(f"it cannot be read ({error or 'not enough memory'})") from None


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        table = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"its header is not JSON ({str(error)[:100]})") from None
    if not isinstance(table, dict):
        raise Unreadable("its header is no table")
    return table


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a name occurs twice")
    return table


def _shapes(table: Mapping[str, Any], available: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Types and shapes; Unreadable unless the arrays fill the data exactly and do not overlap."""
    shapes, places = {}, []
    for name, entry in table.items():
        if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
            raise Unreadable(f"the array {name[:60]!r} is not described as safetensors are")
        kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
        if not isinstance(kind, str) or kind not in TYPES:
            raise Unreadable(f"the array {name[:60]!r} has type {str(kind)[:20]!r}")
        if not (_lengths(shape) and len(shape) <= 2 and _lengths(offsets) and len(offsets) == 2):
            raise Unreadable(f"the array {name[:60]!r} has an impossible shape or place")
        if prod(shape) * np.dtype(TYPES[kind]).itemsize != offsets[1] - offsets[0]:
            raise Unreadable(f"the array {name[:60]!r} has another size than its place")
        shapes[name] = TYPES[kind], tuple(shape)
        places.append((offsets[0], offsets[1]))
    end = 0
    for begin, next_end in sorted(places):
        if begin != end:
            raise Unreadable("its arrays overlap or leave gaps")
        end = next_end
    if end != available:
        raise Unreadable(f"its arrays take {end} bytes and there are {available}")
    return shapes


def _lengths(x: Any) -> bool:
    """Whether x is a list of whole numbers that a file can have."""
    return isinstance(x, list) and all(type(n) is int and 0 <= n < 2**40 for n in x)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise Unreadable("its header does not say how many losses and parameters there are")
    return int(text)
