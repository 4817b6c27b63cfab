"""Files with other contents than were saved, and a checksum that agrees, as an attacker would make them."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from saddleback.storage.container import NAMES

from .saved_files import packed, sound

WORDS = ["", "0", "-1", "1e999", "nan", "inf", "-inf", "true", "false", "9" * 18, "9" * 5000, "\u2603\n", "None", "{}"]
NUMBERS: list[float] = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.5, 2.0**53]
WHOLES = [0, 1, -1, 2, 3, 7, 255, 256, 2**31, 2**63 - 1, -(2**63)]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 2**63, 10**30, 0.5, -1e308, "", "a", "rows", "classes", "softmax", "poisson"),
    *([], {}, [[]], {"float": "nan"}, {"tuple": []}, {"tuple": ["a", 1]}, {"dict": []}, {"dict": [[[], 1]]}),
    *({"scalar": ["int8", 300]}, {"scalar": ["float16", 1e9]}, {"scalar": ["str", "a"]}, {"array": "parameters.0"}),
    *({"object": "Entropy", "fields": {"gamma": 1.0}}, {"object": "os.system", "fields": {}}),
    *({"object": "Polytope", "fields": {"A": [[1.0]], "b": [1.0]}}, {"object": "Newton", "fields": {"x": 1}}),
    *({"texts": ["a", "b"], "type": "<U1"}, {"texts": ["a"], "type": "<U999999"}, {"objects": [[], None]}),
]


def forged(random: Random) -> bytes:
    """A file with one or several other contents, and a checksum that agrees."""
    kind, texts, arrays = random.choice(sound())
    texts, arrays = dict(texts), dict(arrays)
    for _ in range(1 + int(random.expovariate(1.0))):
        random.choice(CHANGES)(texts, arrays, random)
    return packed((kind, texts, arrays))


Change = Callable[[dict[str, str], dict[str, Any], Random], None]


def change_text(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    if texts:
        name = random.choice(sorted(texts))
        texts[name] = random.choice([*WORDS, *texts.values(), str(random.choice(WHOLES)), repr(random.choice(NUMBERS))])


def drop_part(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    names = [*sorted(texts), *sorted(arrays)]
    if names:
        name = random.choice(names)
        texts.pop(name, None)
        arrays.pop(name, None)


def add_part(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    _, other_texts, other_arrays = random.choice(sound())
    names = [*sorted(other_texts), *sorted(other_arrays)]
    name = random.choice(names)
    if name in other_texts:
        texts[name] = other_texts[name]
    else:
        arrays[name] = other_arrays[name]


def change_entries(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    name, array = _array(arrays, random)
    if name is None or array.size == 0:
        return
    array = array.copy()
    flat = array.reshape(-1)
    for _ in range(random.choice([1, 1, 1, 3, flat.size])):
        place = random.randrange(flat.size)
        if array.dtype.kind == "f":
            with np.errstate(over="ignore"):
                flat[place] = random.choice([*NUMBERS, random.gauss(0, 1)])
        elif array.dtype.kind == "b":
            flat[place] = not flat[place]
        else:
            limits = np.iinfo(array.dtype)
            flat[place] = min(max(random.choice([*WHOLES, random.randrange(256)]), limits.min), limits.max)
    arrays[name] = array


def change_shape(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    name, array = _array(arrays, random)
    if name is None:
        return
    changed = (
        [array[:-1], array[:0], array.reshape(-1), array.reshape(1, -1), array.reshape(-1, 1)] if array.ndim else []
    )
    changed += [np.concatenate([array, array])] if array.ndim else []
    arrays[name] = random.choice([*changed, np.zeros(random.randrange(5)), np.zeros(()), np.zeros((2, 2))])


def change_type(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    name, array = _array(arrays, random)
    if name is not None:
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(random.choice(sorted(NAMES)))


def change_json(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    """Another value somewhere in JSON."""
    names = [name for name in sorted(arrays) if arrays[name].dtype == np.uint8]
    if not names:
        return
    name = random.choice(names)
    try:
        value = json.loads(arrays[name].tobytes())
    except (ValueError, RecursionError):
        return
    text = json.dumps(_replaced(value, random))
    arrays[name] = np.frombuffer(text.encode(), dtype=np.uint8)


def _replaced(value: Any, random: Random) -> Any:
    if isinstance(value, list) and value and random.random() < 0.8:
        at = random.randrange(len(value))
        if random.random() < 0.2:
            return value[:at] + value[at + 1 :] if random.random() < 0.5 else [*value, value[at]]
        return [_replaced(item, random) if i == at else item for i, item in enumerate(value)]
    if isinstance(value, dict) and value and random.random() < 0.8:
        at = random.choice(sorted(value))
        if random.random() < 0.1:
            return {k: v for k, v in value.items() if k != at}
        return {k: _replaced(v, random) if k == at else v for k, v in value.items()}
    return random.choice(VALUES)


def change_bytes(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    """Other bytes of JSON, or of a number."""
    name, array = _array(arrays, random)
    if name is None or array.size == 0:
        return
    raw = bytearray(array.tobytes())
    for _ in range(random.choice([1, 1, 2, 8])):
        raw[random.randrange(len(raw))] = random.randrange(256)
    arrays[name] = np.frombuffer(bytes(raw), dtype=array.dtype).reshape(array.shape)


def exchange(texts: dict[str, str], arrays: dict[str, Any], random: Random) -> None:
    names = sorted(arrays)
    if len(names) > 1:
        one, two = random.sample(names, 2)
        arrays[one], arrays[two] = arrays[two], arrays[one]


def _array(arrays: dict[str, Any], random: Random) -> tuple[str | None, Any]:
    name = random.choice(sorted(arrays)) if arrays else None
    return name, None if name is None else arrays[name]


CHANGES: list[Change] = [
    change_text,
    change_text,
    drop_part,
    add_part,
    change_entries,
    change_entries,
    change_entries,
    change_shape,
    change_type,
    change_json,
    change_json,
    change_json,
    change_bytes,
    change_bytes,
    exchange,
]
