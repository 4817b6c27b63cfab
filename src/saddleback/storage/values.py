"""Plain Python values as JSON and arrays, so that they come back with the same types.

None, truth values, whole numbers, finite numbers and texts are JSON as they are, and so are lists. Other values are
objects with one name, which says what they are::

    {"float": "inf"}                        inf, -inf or nan
    {"tuple": [...]}                        a tuple
    {"dict": [[key, value], ...]}           a dict, in its order
    {"scalar": ["int64", 3]}                a NumPy scalar of this type
    {"array": "parameters.0"}               an array of numbers, which is stored by this name
    {"texts": [...], "type": "<U5"}         a NumPy array of texts
    {"objects": [...]}                      a NumPy array of objects
    {"object": "Entropy", "fields": {...}}  an object of a class that the caller knows by name
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import inf, isfinite, nan
from typing import Any

import numpy as np

from ..errors import ProblemError
from .container import MOST_AXES, NAMES, Array, Unreadable, type_name

DEEPEST = 12
"""Values in values: parameters of estimators have three levels at most."""
LEAST_WHOLE, MOST_WHOLE = -(2**63), 2**64 - 1
SPECIAL = {"inf": inf, "-inf": -inf, "nan": nan}
SCALARS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32")
SCALAR_TYPES = {name: np.dtype(name).type for name in (*SCALARS, "float64")} | {"str": np.str_}
LONGEST_TEXTS = re.compile(r"<U[0-9]{1,6}")

Known = Callable[[Any], tuple[str, dict[str, Any]] | None]
"""The name of an object's class and its fields; None for objects of other classes."""
Make = Callable[[str, dict[str, Any]], Any]
"""The object of a class by its name and fields; Unreadable where there is none."""


class Unstorable(ProblemError):
    """A value of a type that a file cannot hold."""

    def __init__(self, name: str, kind: type) -> None:
        self.kind = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        super().__init__(
            f"{name} cannot be stored: a file holds numbers, texts, lists, tuples, dicts, arrays and objects of this "
            f"package; got {self.kind}."
        )


def none_known(value: Any) -> None:
    """No class is known."""


def pack_value(value: Any, name: str, arrays: dict[str, Array], known: Known = none_known, depth: int = 0) -> Any:
    """A value as JSON; its arrays are added to ``arrays``, by names that begin with ``name``.

    Unstorable names what cannot be stored: an object of a class that is not ``known``.
    """
    if depth > DEEPEST:
        raise Unstorable(name, type(value))

    def inner(item: Any) -> Any:
        return pack_value(item, name, arrays, known, depth + 1)

    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int and LEAST_WHOLE <= value <= MOST_WHOLE:
        return value
    if type(value) is float:
        return value if isfinite(value) else {"float": repr(value)}
    if type(value) is list:
        return [inner(item) for item in value]
    if type(value) is tuple:
        return {"tuple": [inner(item) for item in value]}
    if type(value) is dict:
        return {"dict": [[inner(key), inner(item)] for key, item in value.items()]}
    if isinstance(value, np.generic):
        kind = "str" if type(value) is np.str_ else value.dtype.name
        if kind in SCALAR_TYPES:
            return {"scalar": [kind, inner(value.item())]}
    if type(value) is np.ndarray:
        packed = _pack_array(value, name, arrays, inner)
        if packed is not None:
            return packed
    described = known(value)
    if described is None:
        raise Unstorable(name, type(value))
    kind, fields = described
    return {"object": kind, "fields": {field: inner(item) for field, item in fields.items()}}


def _pack_array(value: Array, name: str, arrays: dict[str, Array], inner: Callable[[Any], Any]) -> Any:
    if type_name(value.dtype) in NAMES and value.ndim <= MOST_AXES:
        place = f"{name}.{sum(other.startswith(f'{name}.') for other in arrays)}"
        arrays[place] = value
        return {"array": place}
    if value.dtype.kind == "U" and value.ndim == 1:
        return {"texts": value.tolist(), "type": value.dtype.newbyteorder("<").str}
    if value.dtype.kind == "O" and value.ndim == 1:
        return {"objects": [inner(item) for item in value]}
    return None


def none_made(kind: str, fields: dict[str, Any]) -> Any:
    """No class is known: Unreadable."""
    raise Unreadable(f"it holds an object of the unknown class {kind[:60]!r}")


def unpack_value(packed: Any, name: str, take: Callable[[str], Array], make: Make = none_made, depth: int = 0) -> Any:
    """The value that `pack_value` has made JSON of; Unreadable where this is not such JSON.

    ``take`` gives an array by its name.
    """
    if depth > DEEPEST:
        raise Unreadable(f"{name[:60]} is nested more than {DEEPEST} times")

    def inner(item: Any) -> Any:
        return unpack_value(item, name, take, make, depth + 1)

    if packed is None or isinstance(packed, bool | str):
        return packed
    if isinstance(packed, int) and LEAST_WHOLE <= packed <= MOST_WHOLE:
        return packed
    if isinstance(packed, float) and isfinite(packed):
        return packed
    if isinstance(packed, list):
        return [inner(item) for item in packed]
    if isinstance(packed, dict):
        keys = tuple(packed)
        if keys == ("object", "fields") and isinstance(packed["object"], str) and isinstance(packed["fields"], dict):
            return make(packed["object"], {field: inner(item) for field, item in packed["fields"].items()})
        reader = READERS.get(keys)
        if reader is not None:
            value = reader(packed, name, take, inner)
            if value is not _NOTHING:
                return value
    raise Unreadable(f"{name[:60]} holds a value of no known kind")


_NOTHING = object()

Inner = Callable[[Any], Any]
Take = Callable[[str], Array]


def _special(packed: Mapping[str, Any], name: str, take: Take, inner: Inner) -> Any:
    word = packed["float"]
    return SPECIAL.get(word, _NOTHING) if isinstance(word, str) else _NOTHING


def _tuple(packed: Mapping[str, Any], name: str, take: Take, inner: Inner) -> Any:
    items = packed["tuple"]
    return tuple(inner(item) for item in items) if isinstance(items, list) else _NOTHING


def _dict(packed: Mapping[str, Any], name: str, take: Take, inner: Inner) -> Any:
    pairs = packed["dict"]
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        return _NOTHING
    try:
        table = {inner(key): inner(item) for key, item in pairs}
    except TypeError:
        raise Unreadable(f"{name[:60]} holds a dict whose keys are not hashable") from None
    return table if len(table) == len(pairs) else _NOTHING


def _scalar(packed: Mapping[str, Any], name: str, take: Take, inner: Inner) -> Any:
    pair = packed["scalar"]
    if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
        return _NOTHING
    kind, value = SCALAR_TYPES.get(pair[0]), inner(pair[1])
    if kind is None:
        return _NOTHING
    if kind is np.str_:
        return np.str_(value) if isinstance(value, str) else _NOTHING
    wanted: Any = bool if kind is np.bool_ else (int if issubclass(kind, np.integer) else float)
    if type(value) is not wanted:
        return _NOTHING
    if wanted is int and not np.iinfo(kind).min <= value <= np.iinfo(kind).max:
        return _NOTHING
    with np.errstate(over="ignore"):
        return kind(value)


def _array(packed: Mapping[str, Any], name: str, take: Take, inner: Inner) -> Any:
    place = packed["array"]
    if not isinstance(place, str) or not place.startswith(f"{name}."):
        return _NOTHING
    return take(place)


def _texts(packed: Mapping[str, Any], name: str, take: Take, inner: Inner) -> Any:
    texts, kind = packed["texts"], packed["type"]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return _NOTHING
    # NumPy cuts longer texts and pads shorter ones: an array takes as much for every text as for the longest.
    longest = max(map(len, texts), default=0)
    if (
        not isinstance(kind, str)
        or not LONGEST_TEXTS.fullmatch(kind)
        or int(kind[2:]) not in (longest, max(longest, 1))
    ):
        return _NOTHING
    if longest * len(texts) > 100 * sum(map(len, texts)) + 1_000_000:
        raise Unreadable(f"{name[:60]} holds an array of texts that would take too much memory")
    return np.array(texts, dtype=f"U{max(longest, 1)}")


def _objects(packed: Mapping[str, Any], name: str, take: Take, inner: Inner) -> Any:
    items = packed["objects"]
    if not isinstance(items, list):
        return _NOTHING
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        array[i] = inner(item)
    return array


READERS: Mapping[tuple[str, ...], Callable[[Mapping[str, Any], str, Take, Inner], Any]] = {
    ("float",): _special,
    ("tuple",): _tuple,
    ("dict",): _dict,
    ("scalar",): _scalar,
    ("array",): _array,
    ("texts", "type"): _texts,
    ("objects",): _objects,
}
