"""The bytes of a file: safetensors with texts in its header, checked against the file's size before any allocation."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors

from .._version import __version__
from ..machine.destination import shown
from .kinds import KINDS, Kind

Array = NDArray[Any]

# In bytes. Headers take a few thousand; the limit guards against hostile ones, whose parsed form takes twenty times
# their length in memory.
LARGEST_HEADER = 1_000_000
# The bytes of the number with which a file begins: the length of the header.
LENGTH = 8
# The first bytes of a zip archive.
ARCHIVE = b"PK\x03\x04"
TYPES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U64": "uint64",
    "U32": "uint32",
    "U16": "uint16",
    "U8": "uint8",
    "BOOL": "bool",
}
NAMES = {name: code for code, name in TYPES.items()}
MOST_AXES = 2
# Keys of the header's texts that are not contents.
FORMAT, VERSION, WRITTEN_BY, DIGEST = "format", "version", "written_by", "sha256"
RESERVED = (FORMAT, VERSION, WRITTEN_BY, DIGEST)


@lru_cache(maxsize=256)
def type_name(dtype: np.dtype[Any]) -> str:
    """``dtype.name``, which NumPy composes anew each time."""
    return dtype.name


class Unreadable(Exception):
    """Why a file or a part of it cannot be used, as part of a sentence in one line."""


@dataclass(frozen=True)
class Header:
    """The header of a file, consistent with the file's size."""

    kind: Kind
    version: int
    written_by: str
    about: dict[str, Any]
    """What the checksum covers besides texts and arrays: format, version and written_by; of a checkpoint J and d."""
    texts: dict[str, str]
    shapes: dict[str, tuple[str, tuple[int, ...]]]
    """The type and the shape of each array."""
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
    except ValueError as error:
        raise Unreadable(f"it is not a possible path ({error})") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Unreadable("it is not a regular file")
    return os.fdopen(handle, "rb")


def read_header(file: IO[bytes], kinds: Collection[str] = tuple(KINDS)) -> Header:
    """The header; Unreadable where it is not consistent with the size of the file, or is of none of these kinds."""
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
    table = parse_json(_read(file, n), "its header")
    if not isinstance(table, dict):
        raise Unreadable("its header is no table")
    texts = table.pop("__metadata__", None)
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise Unreadable("its header has no texts")
    kind = _kind(texts.pop(FORMAT, None), kinds)
    written_by = texts.pop(WRITTEN_BY, "an unknown program")
    version = _version(kind, texts.pop(VERSION, "none"), written_by)
    digest = texts.pop(DIGEST, "")
    about = about_of(kind, version, written_by)
    return Header(kind, version, written_by, about, texts, _shapes(table, length - LENGTH - n), digest, length)


def read_arrays(file: IO[bytes], header: Header) -> dict[str, Array]:
    """The arrays; Unreadable where their checksum differs."""
    file.seek(0)
    whole = _read(file, header.length + 1)
    if len(whole) != header.length:
        raise Unreadable("it was changed while it was read")
    try:
        arrays: dict[str, Array] = load_tensors(whole)
    except SafetensorError as error:
        raise Unreadable(f"safetensors refuses it ({' '.join(str(error).split())[:100]!r})") from None
    except MemoryError:
        raise Unreadable(f"there is not enough memory for its {header.length} bytes") from None
    if header.digest != checksum(header.about, header.texts, arrays):
        raise Unreadable("its checksum does not agree: it has been damaged, or changed by hand")
    for name, array in arrays.items():
        if array.dtype == np.bool_ and array.size and array.view(np.uint8).max() > 1:
            raise Unreadable(f"the array {name[:60]!r} holds truth values that are neither 0 nor 1")
    return arrays


def about_of(kind: Kind, version: int, written_by: str) -> dict[str, Any]:
    """The texts with which a header begins."""
    return {FORMAT: kind.format, VERSION: str(version), WRITTEN_BY: written_by}


def write(file: IO[bytes], kind: Kind, texts: Mapping[str, str], arrays: Mapping[str, Array]) -> None:
    """One file of the present version."""
    about = about_of(kind, kind.version, f"saddleback {__version__}")
    write_tensors(file, {**about, DIGEST: checksum(about, texts, arrays), **texts}, arrays)


def write_tensors(file: IO[bytes], metadata: Mapping[str, str], arrays: Mapping[str, Array]) -> None:
    """One safetensors file, directly from the arrays: the library's own writer copies them twice."""
    table: dict[str, Any] = {"__metadata__": dict(metadata)}
    # Arrays with entries of eight bytes first, so that all are aligned.
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    end = 0
    for name in order:
        begin, end = end, end + arrays[name].nbytes
        table[name] = {
            "dtype": NAMES[type_name(arrays[name].dtype)],
            "shape": list(arrays[name].shape),
            "data_offsets": [begin, end],
        }
    header = json.dumps(table, separators=(",", ":")).encode()
    header += b" " * (-len(header) % LENGTH)
    if len(header) > LARGEST_HEADER:
        raise OSError(f"there are too many parts: {len(header)} bytes describe them, {LARGEST_HEADER} are allowed")
    file.write(len(header).to_bytes(LENGTH, "little") + header)
    for name in order:
        file.write(_bytes(arrays[name]))


def checksum(about: Mapping[str, Any], texts: Mapping[str, str], arrays: Mapping[str, Array]) -> str:
    """SHA-256 of the contents, sorted by name."""
    digest = sha256(json.dumps([dict(about), dict(texts)], sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\n{name} {type_name(array.dtype)} {array.shape}\n".encode("utf-8", "surrogatepass"))
        digest.update(_bytes(array))
    return digest.hexdigest()


def parse_json(text: bytes, what: str) -> Any:
    """JSON without names that occur twice, and without NaN and infinities."""
    try:
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{what} is not JSON ({str(error)[:100]})") from None


def _kind(format_: object, kinds: Collection[str]) -> Kind:
    kind = next((kind for kind in KINDS.values() if kind.format == format_), None)
    if kind is None:
        raise Unreadable("it is a safetensors file of something else")
    if kind.name not in kinds:
        raise Unreadable(f"it is a {kind.name}, not a {' or a '.join(kinds)}; {kind.use}")
    return kind


def _version(kind: Kind, version: str, written_by: str) -> int:
    if version not in {str(readable) for readable in kind.readable}:
        newer = version.isascii() and version.isdigit() and len(version) < 9 and int(version) > kind.version
        raise Unreadable(
            f"it has format version {version[:20]!r}, written by {shown(written_by[:40])}; this one reads {kind.reads}"
            + (", and a newer saddleback reads it" if newer else "")
        )
    return int(version)


def _bytes(array: Array) -> Any:
    """The entries in C order and little-endian, without a copy where they are so already."""
    plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return plain.reshape(-1).view(np.uint8) if plain.size else b""


def _read(file: IO[bytes], n: int) -> bytes:
    try:
        return file.read(n)
    except (OSError, MemoryError) as error:
        raise Unreadable(f"it cannot be read ({error or 'not enough memory'})") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a name occurs twice")
    return table


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"it holds {name}")


def _shapes(table: Mapping[str, Any], available: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Types and shapes; Unreadable unless the arrays fill the data exactly and do not overlap."""
    shapes, places = {}, []
    for name, entry in table.items():
        if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
            raise Unreadable(f"the array {name[:60]!r} is not described as safetensors are")
        kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
        if not isinstance(kind, str) or kind not in TYPES:
            raise Unreadable(f"the array {name[:60]!r} has type {str(kind)[:20]!r}")
        if not (_lengths(shape) and len(shape) <= MOST_AXES and _lengths(offsets) and len(offsets) == 2):
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
