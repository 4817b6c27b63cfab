"""Damaged and hostile files, derived from a checkpoint."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from saddleback.engine.checkpointing.container import LENGTH, read_arrays, read_header, write

Mutation = Callable[[np.random.Generator, bytes], bytes]

LENGTHS = (0, 1, 7, 8, 2**16, 2**20, 10**8, 2**31, 2**32, 2**53, 2**63, 2**64 - 1)
WORDS = ("", "nan", "inf", "-inf", "-1", "1e999", "9" * 60, "0", "1", "True", "none", "same as x", "\u2603", "{}", "\0")
VALUES: tuple[Any, ...] = (None, True, -1, 0, 1, 2**31, 2**63, 2**200, 1.5, 1e308, "", "F64", [], [[]], {}, [1, 2, 3])
# The nesting that fits into a header; parsing it takes the most memory.
NESTED = 300_000


def flipped(rng: np.random.Generator, raw: bytes) -> bytes:
    """One to eight bits."""
    changed = bytearray(raw)
    for where in rng.integers(len(raw), size=int(rng.integers(1, 9))):
        changed[where] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def flipped_in_front(rng: np.random.Generator, raw: bytes) -> bytes:
    """Flip a bit of the header's length or of its first bytes."""
    return flipped(rng, raw[:64]) + raw[64:]


def cut(rng: np.random.Generator, raw: bytes) -> bytes:
    return raw[: int(rng.integers(len(raw)))]


def longer(rng: np.random.Generator, raw: bytes) -> bytes:
    return raw + rng.bytes(int(rng.integers(1, 100)))


def spliced(rng: np.random.Generator, raw: bytes) -> bytes:
    """Some bytes are removed, repeated or moved."""
    a, b, c = sorted(int(x) for x in rng.integers(len(raw), size=3))
    return (raw[:a] + raw[b:], raw[:b] + raw[a:], raw[:a] + raw[b:c] + raw[a:b] + raw[c:])[int(rng.integers(3))]


def overwritten(rng: np.random.Generator, raw: bytes) -> bytes:
    start = int(rng.integers(len(raw)))
    return raw[:start] + rng.bytes(int(rng.integers(1, 200))) + raw[start + 100 :]


def other_length(rng: np.random.Generator, raw: bytes) -> bytes:
    n = int.from_bytes(raw[:LENGTH], "little") + int(rng.integers(-9, 10))
    if rng.random() < 0.5:
        n = int(LENGTHS[int(rng.integers(len(LENGTHS)))])
    return max(0, n).to_bytes(LENGTH, "little") + raw[LENGTH:]


def other_header(rng: np.random.Generator, raw: bytes) -> bytes:
    """One array entry or text of the header is changed, removed or duplicated."""
    n = int.from_bytes(raw[:LENGTH], "little")
    table = json.loads(raw[LENGTH : LENGTH + n])
    name = str(rng.choice([key for key in table if key != "__metadata__"]))
    value = VALUES[int(rng.integers(len(VALUES)))]
    kind = int(rng.integers(6))
    if kind == 0:
        table[name][str(rng.choice(["dtype", "shape", "data_offsets"]))] = value
    elif kind == 1:
        part = str(rng.choice(["shape", "data_offsets"]))
        if table[name][part]:
            table[name][part][-1] = value
    elif kind == 2:
        table[name] = value
    elif kind == 3:
        del table[name]
    elif kind == 4:
        table["__metadata__"][str(rng.choice(list(table["__metadata__"])))] = value
    else:
        table[name + "x"] = table[name]
    text = json.dumps(table).encode()
    return len(text).to_bytes(LENGTH, "little") + text + raw[LENGTH + n :]


def forged(rng: np.random.Generator, raw: bytes) -> bytes:
    """A text or an array is replaced, with a valid checksum."""
    file = io.BytesIO(raw)
    header = read_header(file)
    texts, arrays, sizes = header.texts, read_arrays(file, header), header.sizes
    for _ in range(int(rng.integers(1, 3))):
        if rng.random() < 0.5:
            texts[str(rng.choice(list(texts)))] = str(rng.choice(WORDS))
        else:
            name = str(rng.choice(list(arrays)))
            arrays[name] = _other_array(rng, arrays[name])
    if rng.random() < 0.05:
        sizes[str(rng.choice(["J", "d"]))] += 1
    out = io.BytesIO()
    write(out, texts, arrays, sizes)
    return out.getvalue()


def _other_array(rng: np.random.Generator, array: Any) -> Any:
    kind = int(rng.integers(6))
    if kind == 0:
        return array.reshape(-1)[: int(rng.integers(array.size + 1))]
    if kind == 1:
        with np.errstate(invalid="ignore", over="ignore"):
            return array.astype(str(rng.choice(["float32", "int64", "bool"])))
    if kind == 2:
        return np.zeros((int(rng.integers(4)), int(rng.integers(4))))
    if kind == 3:
        return array.T.copy() if array.ndim == 2 else array[:, None].copy() if array.ndim == 1 else array
    if array.size == 0 or array.dtype != np.float64:
        return array
    changed = array.copy()
    changed.flat[int(rng.integers(array.size))] = (np.nan, np.inf, 1e308, -1e308, 5e-324)[int(rng.integers(5))]
    return changed


def anything(rng: np.random.Generator, raw: bytes) -> bytes:
    return rng.bytes(int(rng.integers(3000)))


def hostile(rng: np.random.Generator, raw: bytes) -> bytes:
    """Files that would take much memory if trusted: zip bombs, nested lists, many names, arrays that do not exist."""
    kind = int(rng.integers(5))
    if kind == 0:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("state.npy", bytes(2**23))
        return packed.getvalue()
    about = json.dumps({"format": "saddleback checkpoint", "version": "1", "n_losses": "2", "n_params": "2"})
    if kind == 1:
        text = '{"__metadata__":' + "[" * NESTED
    elif kind == 2:
        text = '{"__metadata__":' + about + ',"a":[' + "[]," * NESTED + "[]]}"
    elif kind == 3:
        entries = (f'"{k:x}":{{"dtype":"F64","shape":[0],"data_offsets":[0,0]}}' for k in range(17_000))
        text = '{"__metadata__":' + about + "," + ",".join(entries) + "}"
    else:
        array = '{"dtype":"F64","shape":[549755813888],"data_offsets":[0,4398046511104]}'
        text = '{"__metadata__":' + about + ',"a":' + array + "}"
    return len(text).to_bytes(LENGTH, "little") + text.encode()


MUTATIONS: dict[str, tuple[Mutation, float]] = {
    "bits flipped": (flipped, 0.25),
    "bits flipped in front": (flipped_in_front, 0.1),
    "cut off": (cut, 0.08),
    "longer": (longer, 0.03),
    "spliced": (spliced, 0.1),
    "overwritten": (overwritten, 0.08),
    "another length of the header": (other_length, 0.05),
    "another header": (other_header, 0.13),
    "forged with a valid checksum": (forged, 0.15),
    "anything": (anything, 0.02),
    "hostile": (hostile, 0.01),
}
