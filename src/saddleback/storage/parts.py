"""An object as flat texts and arrays, on the way into a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .container import Array
from .json_arrays import json_array
from .values import Known, none_known, pack_value


@dataclass(frozen=True, eq=False)
class Parts:
    """Texts and arrays by name; `under` gives the same with a prefix, for an object within an object."""

    texts: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)
    prefix: str = ""

    def under(self, name: str) -> Parts:
        """The parts of an object within this one."""
        return Parts(self.texts, self.arrays, f"{self.prefix}{name}.")

    def text(self, name: str, value: str) -> None:
        """A short text."""
        self.texts[self.prefix + name] = value

    def number(self, name: str, value: float) -> None:
        """A number, inf and nan included; all its digits are kept."""
        self.text(name, repr(float(value)))

    def count(self, name: str, value: int) -> None:
        """A whole number."""
        self.text(name, str(int(value)))

    def flag(self, name: str, value: bool) -> None:
        """A truth value."""
        self.text(name, "true" if value else "false")

    def array(self, name: str, value: Any) -> None:
        """An array of numbers or truth values, with at most two axes."""
        self.arrays[self.prefix + name] = np.asarray(value)

    def json(self, name: str, value: Any) -> None:
        """JSON of any length."""
        self.array(name, json_array(value))

    def value(self, name: str, value: Any, known: Known = none_known) -> None:
        """A Python value of any type that `pack_value` takes."""
        full = self.prefix + name
        self.json(name, pack_value(value, full, self.arrays, known))
