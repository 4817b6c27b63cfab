"""How much memory there is. Where it can be promised and not given, asking too much ends the process, not the cell."""

from __future__ import annotations


def available() -> float | None:
    """Bytes that can be had without swapping; None where psutil is not installed."""
    try:
        import psutil
    except ImportError:
        return None
    return float(psutil.virtual_memory().available)
