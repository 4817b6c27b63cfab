"""How much memory a user allows, as a number of bytes or in words."""

from __future__ import annotations

import re
from numbers import Real
from typing import Any

from ..errors import ProblemError
from .resources import ADDRESSABLE_BYTES, free_memory, gigabytes

SHARE = 0.5
"""Of the memory that is free, where nothing is set: the rest is for what the run itself keeps."""

UNITS = {"": 1, "B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
"""Powers of 2, as in messages."""

WORDS = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([KMGT]?I?B?)\s*", re.IGNORECASE)


def read_memory(memory: Any) -> float:
    """Bytes from a number or a text such as "1.5GB"; for None half of what is free."""
    if memory is None:
        return SHARE * min(free_memory(), ADDRESSABLE_BYTES)
    n_bytes = _bytes(memory)
    if n_bytes is None or not n_bytes >= 1.0:
        raise ProblemError(
            f"memory must be a number of bytes, or a text such as '1.5GB' or '800MB'; got {memory!r:.100}."
        )
    free = free_memory()
    if n_bytes > free:
        raise ProblemError(
            f"memory must not be more than is free, {gigabytes(free)}; got {gigabytes(n_bytes)}. Leave it out for half "
            "of that."
        )
    return n_bytes


def _bytes(memory: Any) -> float | None:
    if isinstance(memory, str):
        found = WORDS.fullmatch(memory)
        if found is None:
            return None
        unit = found[2].upper().replace("I", "")
        return float(found[1]) * UNITS[unit if unit in UNITS else unit + "B"]
    return float(memory) if isinstance(memory, Real) and not isinstance(memory, bool) else None
