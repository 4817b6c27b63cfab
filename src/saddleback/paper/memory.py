"""How much memory there is. Where it can be promised and not given, asking too much ends the process, not the cell."""

from __future__ import annotations

from math import inf

from ..machine.resources import free_memory


def available() -> float | None:
    """Bytes that can be had without swapping; None where nobody can tell."""
    free = free_memory()
    return None if free == inf else free
