"""A comparable description of a set, a regularizer or a method: its type and its parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from hashlib import sha256
from typing import Annotated, Any

import numpy as np

from ..._types import EPS, Axes, NonFinite, Vector

# Parameters agree up to this, relative to the largest of their field: another machine may have computed them.
PARAMETER_ROUNDING = 1e3 * EPS
# Longer outlines (in characters), as of products of thousands of sets, are replaced by their checksum.
LONGEST_OUTLINE = 2000
# Longer descriptions (in characters) are cut in messages.
LONGEST_SHOWN = 160


@dataclass(frozen=True, eq=False)
class Description:
    """The parameters of a component: its words and the shapes of its arrays in an outline, and all its numbers.

    Other values (functions, objects without fields) are described by the name of their type.
    """

    outline: str
    numbers: Annotated[Vector, Axes(("numbers",)), NonFinite]
    lengths: Annotated[np.ndarray[Any, np.dtype[np.int64]], Axes(("fields",))]
    """How many of the numbers each field has."""
    shown: str
    """For messages."""

    @staticmethod
    def of(component: object) -> Description:
        words: list[str] = []
        numbers: list[Vector] = []
        for name, value in _leaves(type(component).__qualname__, component):
            if isinstance(value, str):
                words.append(f"{name}: {value}")
            else:
                words.append(f"{name}: {value.shape}")
                numbers.append(value.ravel())
        outline = "\n".join(words)
        if len(outline) > LONGEST_OUTLINE:
            outline = sha256(outline.encode("utf-8", "backslashreplace")).hexdigest()
        together = np.concatenate(numbers) if numbers else np.empty(0)
        lengths = np.array([part.size for part in numbers], dtype=np.int64)
        return Description(outline, together, lengths, _short(component))

    def agrees(self, other: Description) -> bool:
        """Whether both describe the same component, up to rounding."""
        if self.outline != other.outline or not np.array_equal(self.lengths, other.lengths):
            return False
        a, b = self.numbers, other.numbers
        if a.shape != b.shape or int(self.lengths.sum()) != a.size:
            return False
        ends = np.cumsum(self.lengths)
        return all(_close(a[end - n : end], b[end - n : end]) for end, n in zip(ends, self.lengths, strict=True))


def kind_in(outline: str) -> str:
    """The name of the component's type, with which an outline begins; "" where it is no name, as in a checksum."""
    kind, colon, _ = outline.partition(":")
    return kind if colon and kind.isprintable() and len(kind) <= LONGEST_SHOWN else ""


def _close(a: Vector, b: Vector) -> bool:
    with np.errstate(invalid="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        known = np.abs(a[np.isfinite(a)])
        return bool((same | (np.abs(a - b) <= PARAMETER_ROUNDING * (known.max() if known.size else 0.0))).all())


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str | Vector]]:
    """Words and arrays of numbers, each with its path."""
    if is_dataclass(value) and not isinstance(value, type):
        yield name, type(value).__qualname__
        for member in fields(value):
            if member.init:
                yield from _leaves(f"{name}.{member.name}", getattr(value, member.name))
    elif value is None or isinstance(value, bool | str):
        yield name, repr(value)
    elif isinstance(value, list | tuple):
        yield name, f"{len(value)} items"
        for k, item in enumerate(value):
            yield from _leaves(f"{name}.{k}", item)
    elif isinstance(value, int | float | np.generic | np.ndarray) and np.asarray(value).dtype.kind in "biuf":
        yield name, np.asarray(value, dtype=np.float64)
    else:
        yield name, type(value).__qualname__
        # The attributes of an object of a plain class; deeper objects are described by their types.
        if "." not in name:
            for attribute, part in sorted(getattr(value, "__dict__", {}).items()):
                yield from _leaves(f"{name}.{attribute}", part)


def _short(component: object) -> str:
    plain = type(component).__repr__ is object.__repr__
    shown = type(component).__qualname__ if plain else " ".join(repr(component).split())
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}..."
