"""Arrays that cannot be had are refused by name, with their size, before NumPy is asked for them."""

from __future__ import annotations

from ._machine import free_memory
from .errors import ProblemError

# Less is not worth a look at how much is free.
SMALL = 2**28
# What a process can address: more is not there, even where nobody knows how much is free.
ADDRESSABLE = 2.0**47
GB = 2**30


def check_room(size: float, what: str, remedy: str) -> None:
    """Refuse ``what``, which takes ``size`` bytes, where less than that is free."""
    if size < SMALL:
        return
    free = min(free_memory(), ADDRESSABLE)
    if size > free:
        raise ProblemError(f"{what} would take {gigabytes(size)} of memory; {gigabytes(free)} are free. {remedy}")


def gigabytes(size: float) -> str:
    return f"{size / GB:.2g} GB" if size < 9.95 * GB else f"{size / GB:.0f} GB"
