"""Texts and arrays of a file that become an object again: every one is checked for what it must be."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from .._types import Matrix, Vector
from .container import Array, Unreadable
from .json_arrays import LARGEST_JSON, parse_array
from .values import Make, none_made, unpack_value

NUMBER = re.compile(r"-?(inf|nan|[0-9]{1,20}(\.[0-9]{1,20})?(e[+-]?[0-9]{1,4})?)")
WHOLE = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, eq=False)
class Reader:
    """Parts that were read, by the names of `Parts`. Each method raises Unreadable where a part is not as it must be.

    Arrays are copied, so that they can be written to and belong to one object.
    """

    texts: Mapping[str, str]
    arrays: Mapping[str, Array]
    prefix: str = ""
    _used: set[str] = field(default_factory=set)

    def under(self, name: str) -> Reader:
        """The parts of an object within this one."""
        return Reader(self.texts, self.arrays, f"{self.prefix}{name}.", self._used)

    def has(self, name: str) -> bool:
        """Whether there is a text or an array of this name, or an object whose parts begin with it."""
        full = self.prefix + name
        inside = f"{full}."
        return (
            full in self.texts
            or full in self.arrays
            or any(other.startswith(inside) for names in (self.texts, self.arrays) for other in names)
        )

    def text(self, name: str) -> str:
        full = self._full(name)
        text = self.texts.get(full)
        if text is None:
            raise Unreadable(f"it has no text {full[:60]!r}")
        return text

    def word(self, name: str, words: Collection[str]) -> str:
        """One of some words."""
        text = self.text(name)
        if text not in words:
            raise self.wrong(name, f"one of {', '.join(words)}", repr(text[:40]))
        return text

    def number(self, name: str, *, minimum: float = -inf, finite: bool = False) -> float:
        """A number that is at least ``minimum``; nan only where there is no minimum, inf unless it must be finite."""
        text = self.text(name)
        value = float(text) if NUMBER.fullmatch(text) else None
        if value is None or (minimum > -inf and not value >= minimum) or (finite and not abs(value) < inf):
            least = "" if minimum == -inf else f" >= {minimum:g}"
            raise self.wrong(name, f"a {'finite ' if finite else ''}number{least}", repr(text[:40]))
        return value

    def count(self, name: str, *, least: int = 0) -> int:
        """A whole number that is at least ``least``."""
        text = self.text(name)
        if not WHOLE.fullmatch(text) or int(text) < least:
            raise self.wrong(name, f"a whole number >= {least}", repr(text[:40]))
        return int(text)

    def flag(self, name: str) -> bool:
        return self.word(name, ("true", "false")) == "true"

    def array(self, name: str, dtype: Any = None, shape: tuple[int | None, ...] | None = None) -> Array:
        """A copy of an array; of a type and a shape, in which None stands for any length."""
        full = self._full(name)
        array = self.arrays.get(full)
        if array is None:
            raise Unreadable(f"it has no array {full[:60]!r}")
        fits = shape is None or (
            len(shape) == array.ndim
            and all(wanted in (None, got) for wanted, got in zip(shape, array.shape, strict=True))
        )
        if (dtype is not None and array.dtype != dtype) or not fits:
            lengths = "" if shape is None else f" ({', '.join('any' if n is None else str(n) for n in shape)})"
            kind = "" if dtype is None else f" of {np.dtype(dtype).name}"
            raise self.wrong(name, f"an array{kind}{lengths}", f"{array.dtype} {array.shape}")
        return array.copy()

    def vector(self, name: str, length: int | None = None, *, finite: bool = True) -> Vector:
        """(length,) numbers in double precision."""
        return self._numbers(name, (length,), finite)

    def matrix(self, name: str, shape: tuple[int | None, int | None], *, finite: bool = True) -> Matrix:
        """Numbers in double precision with two axes."""
        return self._numbers(name, shape, finite)

    def counts(self, name: str, length: int | None = None) -> np.ndarray[Any, np.dtype[np.int64]]:
        """(length,) whole numbers >= 0."""
        array = self.array(name, np.int64, (length,))
        if array.size and array.min() < 0:
            raise self.wrong(name, "whole numbers >= 0", str(array.min()))
        return array

    def json(self, name: str, max_bytes: int = LARGEST_JSON) -> Any:
        """JSON of which nothing is known yet."""
        full = self._full(name)
        array = self.arrays.get(full)
        if array is None:
            raise Unreadable(f"it has no array {full[:60]!r}")
        return parse_array(array, full, max_bytes)

    def value(self, name: str, make: Make = none_made) -> Any:
        """What `Parts.value` has stored."""
        return unpack_value(self.json(name), self.prefix + name, self.taken, make)

    def taken(self, full: str) -> Array:
        """A copy of an array by its whole name, as values in JSON refer to it."""
        return self.array(full.removeprefix(self.prefix))

    def names(self, name: str, length: int | None = None) -> list[Any]:
        """A list of labels: hashable, and all different."""
        labels = self.value(name)
        if not isinstance(labels, list) or (length is not None and len(labels) != length):
            raise self.wrong(
                name, "a list of labels" if length is None else f"a list of {length} labels", "another one"
            )
        try:
            distinct = len(set(labels)) == len(labels)
        except TypeError:
            distinct = False
        if not distinct:
            raise self.wrong(name, "different labels", "some that are not")
        return labels

    def wrong(self, name: str, wanted: str, got: str) -> Unreadable:
        """The refusal of a part."""
        return Unreadable(f"{(self.prefix + name)[:60]!r} must be {wanted}; got {got}")

    def refuse_unused(self, others: Collection[str] = ()) -> None:
        """Refuse parts that nobody has asked for: the object would not be what the file says. ``others`` may be."""
        for name in (*self.texts, *self.arrays):
            if name not in self._used and name not in others:
                raise Unreadable(f"it holds {name[:60]!r}, which such an object does not have")

    def _full(self, name: str) -> str:
        full = self.prefix + name
        self._used.add(full)
        return full

    def _numbers(self, name: str, shape: tuple[int | None, ...], finite: bool) -> Any:
        array = self.array(name, np.float64, shape)
        if finite and not np.isfinite(array).all():
            raise self.wrong(name, "finite numbers", "nan or inf")
        return array
