"""A state as flat texts and arrays: those to write, and those that were read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]

SAME, TRANSPOSED = "same as ", "transposed"


class Misfit(Exception):
    """Why a value does not fit its type hint, as part of a sentence."""


@dataclass
class Entries:
    """Texts and arrays to write. Arrays and frozen dataclasses that occur several times are written once."""

    texts: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)
    _places: dict[int, tuple[str, object]] = field(default_factory=dict)

    def shares(self, name: str, value: object) -> bool:
        """Whether this very object was written before; then only a reference is written."""
        known = self._places.get(id(value))
        if known is None:
            # The object is kept, so that no other one can get its id.
            self._places[id(value)] = name, value
            return False
        self.texts[name] = SAME + known[0]
        return True

    def add(self, name: str, array: Array) -> None:
        if self.shares(name, array):
            return
        # BLAS rounds differently by rows and by columns: the order in memory is part of the state.
        if array.flags.f_contiguous and not array.flags.c_contiguous:
            self.texts[name], array = TRANSPOSED, array.T
        self.arrays[name] = array


@dataclass
class Source:
    """Texts and arrays that were read; ``known`` tells whether the arrays hold numbers or only have shapes."""

    texts: Mapping[str, str]
    arrays: Mapping[str, Array]
    known: bool
    _used: set[str] = field(default_factory=set)
    _built: dict[str, tuple[type, Any]] = field(default_factory=dict)

    def shared(self, name: str, kind: type) -> tuple[Any] | None:
        """The dataclass that was built before and is referred to here; None where there is no reference."""
        note = self.texts.get(name, "")
        if not note.startswith(SAME):
            return None
        self._used.add(name)
        built = self._built.get(note.removeprefix(SAME))
        if built is None or built[0] is not kind:
            raise Misfit(f"{name} is missing")
        return (built[1],)

    def remember(self, name: str, kind: type, value: Any) -> None:
        """Keep a dataclass to which other places may refer."""
        self._built[name] = kind, value

    def mentions(self, name: str) -> bool:
        """Whether there is any entry of this name, of its absence, or of a part of it."""
        return any(entry in (name, f"{name}?") or entry.startswith(f"{name}.") for entry in (*self.texts, *self.arrays))

    def text(self, name: str) -> str | None:
        self._used.add(name)
        return self.texts.get(name)

    def required(self, name: str) -> str:
        text = self.text(name)
        if text is None:
            raise Misfit(f"{name} is missing")
        return text

    def array(self, name: str) -> Array:
        note = self.text(name) or ""
        place = note.removeprefix(SAME) if note.startswith(SAME) else name
        if place not in self.arrays:
            raise Misfit(f"{name[:100]} is missing")
        self._used.add(place)
        array = self.arrays[place]
        return array.T if self.texts.get(place) == TRANSPOSED else array

    def require_all_used(self) -> None:
        extra = sorted((self.texts.keys() | self.arrays.keys()) - self._used)
        if extra:
            raise Misfit(f"it holds {extra[0][:100]!r}, which this kind of run does not have")
