"""Checks of one JSON value: text, numbers, lists and objects, each with the place where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from math import isfinite
from typing import Any

from ...errors import ProblemError

Check = Callable[[Any, str], None]
"""A check of a value at a JSON pointer (RFC 6901), which raises ProblemError."""

LONGEST_TEXT = 100_000
"""Characters of one text: ten times the longest name that a page is tested with."""
LARGEST_NUMBER = 1e100
"""Above it sums and squares of numbers may be infinite."""
DEEPEST = 12
"""Levels of free JSON, such as settings: more would end Python's own writer of JSON, and nobody reads them."""


def refuse(place: str, expected: str, value: Any) -> ProblemError:
    """The error for a value that is not what was expected."""
    return ProblemError(f"the evidence at {place or '/'} must be {expected}; got {_brief(value)}.")


def text(value: Any, place: str) -> None:
    """A text that UTF-8 can hold."""
    if not isinstance(value, str):
        raise refuse(place, "a text", value)
    if len(value) > LONGEST_TEXT:
        raise refuse(place, f"a text of at most {LONGEST_TEXT:,} characters", value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise refuse(place, "a text that UTF-8 can hold", value) from None


def number(value: Any, place: str) -> None:
    """A finite number, or null for one that is not known."""
    if value is None:
        return
    if isinstance(value, float) and not isfinite(value):
        raise refuse(place, "a finite number or null (null stands for NaN and infinity)", value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refuse(place, "a finite number or null", value)
    if abs(value) > LARGEST_NUMBER:
        raise refuse(place, f"a number of at most {LARGEST_NUMBER:g}", value)


def count(value: Any, place: str) -> None:
    """A whole number from 0 on."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise refuse(place, "a whole number from 0 on", value)


def flag(value: Any, place: str) -> None:
    """True or false."""
    if not isinstance(value, bool):
        raise refuse(place, "true or false", value)


def text_or_number(value: Any, place: str) -> None:
    """A text, a finite number or null."""
    (text if isinstance(value, str) else number)(value, place)


def free_json(value: Any, place: str, depth: int = 0) -> None:
    """Any JSON of at most DEEPEST levels."""
    if depth > DEEPEST:
        raise refuse(place, f"at most {DEEPEST} levels deep", value)
    if isinstance(value, dict):
        for key, entry in value.items():
            text(key, f"{place} (a key)")
            free_json(entry, pointer(place, key), depth + 1)
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            free_json(entry, f"{place}/{i}", depth + 1)
    elif isinstance(value, str):
        text(value, place)
    elif not isinstance(value, bool):
        number(value, place)


def or_null(check: Check) -> Check:
    """What ``check`` allows, or null."""

    def run(value: Any, place: str) -> None:
        if value is not None:
            check(value, place)

    return run


def one_of(*choices: Any) -> Check:
    """One of some constants."""

    def run(value: Any, place: str) -> None:
        if not any(type(value) is type(choice) and value == choice for choice in choices):
            raise refuse(place, " or ".join(map(repr, choices)), value)

    return run


def list_of(check: Check, length: int | None = None, longest: int | None = None) -> Check:
    """A list whose entries pass ``check``."""

    def run(value: Any, place: str) -> None:
        if not isinstance(value, list):
            raise refuse(place, "a list", value)
        if length is not None and len(value) != length:
            raise refuse(place, f"a list of {length} entries", value)
        if longest is not None and len(value) > longest:
            raise refuse(place, f"a list of at most {longest:,} entries", value)
        for i, entry in enumerate(value):
            check(entry, f"{place}/{i}")

    return run


def map_of(check: Check) -> Check:
    """An object with keys of any name."""

    def run(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise refuse(place, "an object", value)
        for key, entry in value.items():
            text(key, f"{place} (a key)")
            check(entry, pointer(place, key))

    return run


def record(needed: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with known keys."""
    known = {**needed, **(optional or {})}

    def run(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise refuse(place, "an object", value)
        for key in value:
            if key not in known:
                near = get_close_matches(key, known, n=1) if isinstance(key, str) and len(key) < 100 else []
                hint = f"; a known one is {near[0]!r}" if near else f"; known ones are {', '.join(known)}"
                raise ProblemError(f"the evidence at {place or '/'} has the unknown key {_brief(key)}{hint}.")
        for key in needed:
            if key not in value:
                raise ProblemError(f"the evidence at {place or '/'} must have the key {key!r}, which is missing.")
        for key, entry in value.items():
            known[key](entry, pointer(place, key))

    return run


def pointer(place: str, *keys: str | int) -> str:
    """The JSON pointer of an entry below ``place`` (RFC 6901)."""
    return place + "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


def _brief(value: Any) -> str:
    """A value in at most some 60 characters, however large it is."""
    if isinstance(value, str):
        return ascii(value) if len(value) <= 60 else f"{value[:50]!a}... ({len(value):,} characters)"
    if isinstance(value, dict | list | tuple | set):
        return f"a {type(value).__name__} of {len(value):,} entries"
    if value is None or isinstance(value, bool | float):
        return repr(value)
    if isinstance(value, int):
        return repr(value) if abs(value) < 10**20 else "a whole number of more than 20 digits"
    return f"a value of type {type(value).__name__}"
