"""Markdown tables, medians, and where reports go."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import saddleback as sb

REPORTS = Path(__file__).resolve().parents[1] / "reports"


def markdown(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table whose first column is text and whose others are numbers."""
    lines = ["| " + " | ".join(header) + " |", "| --- |" + " ---: |" * (len(header) - 1)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def ratio(time: float, fastest: float) -> str:
    return f"{time / fastest:.1f}" if time < 99.5 * fastest else f"{time / fastest:.0f}"


def seconds(time: float) -> str:
    return f"{1e3 * time:.2f} ms" if time < 1 else f"{time:.2f} s"


def environment() -> dict[str, Any]:
    """What the numbers depend on."""
    return {
        "saddleback": sb.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "blas_threads": os.environ.get("OPENBLAS_NUM_THREADS", "default"),
    }


def write(name: str, text: str, data: dict[str, Any], directory: Path = REPORTS) -> None:
    """reports/NAME.md and reports/NAME.json."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.md").write_text(text, encoding="utf-8")
    (directory / f"{name}.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    print(f"Written: {directory / name}.md and {directory / name}.json")
