"""Paths of files, and the format of numbers in tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from saddleback.paper.files import markdown, write_json, write_text

__all__ = ["NOT_REACHED", "REPORTS", "ROOT", "count", "markdown", "ratio", "small", "write_json", "write_text"]

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "reports"
NOT_REACHED = "-"


def ratio(time: float, unit: float) -> str:
    """About two digits, as more would be noise."""
    r = time / unit
    if np.isnan(r):
        return NOT_REACHED
    return f"{r:.2f}" if r < 9.95 else f"{r:.0f}" if r >= 99.5 else f"{r:.1f}"


def count(k: int | None) -> str:
    return NOT_REACHED if k is None else str(k)


def small(x: float) -> str:
    return NOT_REACHED if np.isnan(x) else f"{x:.1e}"
