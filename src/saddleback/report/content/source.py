"""What the sections take from the evidence: cells of numbers with their JSON pointers, and names safe to show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..blocks import Label, Number, Paragraph, Words
from ..formatting import code_for, code_with_error, spread
from ..names import Names

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Source:
    """The evidence, and the names that were shortened so far."""

    evidence: Entry
    names: Names = field(default_factory=Names)

    def label(self, name: str, *marks: str) -> Label:
        return Label(self.names.name(name), name, marks)

    def words(self, text: str) -> Words:
        return Words(self.names.prose(text))

    def paragraph(self, text: str, style: str = "") -> Paragraph:
        return Paragraph(self.names.prose(text), style)

    @property
    def baseline(self) -> str:
        """The model that changes are measured from, such as "the average model"."""
        return self.names.name(self.evidence.get("baseline") or "the average model")

    def isolated(self, name: str) -> str:
        """A name inside of a sentence, whose direction does not reach beyond it."""
        shown = self.names.name(name)
        return shown if shown.isascii() else f"\u2068{shown}\u2069"


def number(entry: Any, base: str, key: str | int, code: str) -> Number:
    """A cell with one number."""
    return Number((entry[key],), (f"{base}/{key}",), code)


def with_interval(entry: Entry, base: str, key: str, code: str) -> Number:
    """A cell with a number and its interval, where there is one."""
    low, high = entry.get(f"{key}_low"), entry.get(f"{key}_high")
    if low is None and high is None:
        return Number((entry.get(key),), (f"{base}/{key}",), code)
    refs = tuple(f"{base}/{name}" for name in (key, f"{key}_low", f"{key}_high"))
    return Number((entry.get(key), low, high), refs, code_with_error(code, spread(low, high)), "interval")


def with_error(entry: Entry, base: str, key: str, error: str, code: str) -> Number:
    """A cell with a number and its standard error, where there is one."""
    if entry.get(error) is None:
        return Number((entry.get(key),), (f"{base}/{key}",), code)
    refs = (f"{base}/{key}", f"{base}/{error}")
    return Number((entry.get(key), entry[error]), refs, code_with_error(code, entry[error]), "error")


def code_of_intervals(entries: Iterable[Entry], key: str, *, percent: bool = False, signed: bool = False) -> str:
    """The code of a column of numbers with intervals."""
    rows = list(entries)
    errors = [spread(row.get(f"{key}_low"), row.get(f"{key}_high")) for row in rows]
    return code_for([row.get(key) for row in rows], errors, percent=percent, signed=signed)


def code_of_errors(entries: Iterable[Entry], key: str, error: str, *, signed: bool = False) -> str:
    """The code of a column of numbers with standard errors."""
    rows = list(entries)
    return code_for([row.get(key) for row in rows], [row.get(error) for row in rows], signed=signed)


def setting(value: Any, ref: str) -> Number | Words:
    """A setting, which is a number or a text."""
    return Words(str(value)) if isinstance(value, str) else Number((value,), (ref,), "g")
