"""Markdown, JSON, and how numbers are written in tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "reports"
NOT_REACHED = "-"


def markdown(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table whose first column is text and whose others are numbers."""
    lines = ["| " + " | ".join(header) + " |", "| --- |" + " ---: |" * (len(header) - 1)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def ratio(time: float, unit: float) -> str:
    """Two digits or so: more would be noise."""
    r = time / unit
    if np.isnan(r):
        return NOT_REACHED
    return f"{r:.2f}" if r < 9.95 else f"{r:.0f}" if r >= 99.5 else f"{r:.1f}"


def count(k: int | None) -> str:
    return NOT_REACHED if k is None else str(k)


def small(x: float) -> str:
    return NOT_REACHED if np.isnan(x) else f"{x:.1e}"


def write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Numbers that are not finite become null: JSON knows none."""
    write_text(path, json.dumps(_plain(data), indent=1, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return float(value) if np.isfinite(value) else None
    return value
