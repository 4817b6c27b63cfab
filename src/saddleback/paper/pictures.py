"""Figures as PNG and SVG files, if matplotlib is installed."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..machine.files import atomic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MISSING = "The figure is not drawn: matplotlib is not installed (pip install 'saddleback[plot]').\n"
# Without version and date, the same run gives the same bytes.
METADATA = {"png": {"Software": None}, "svg": {"Date": None}}


def draw(stem: Path, paint: Callable[[Figure], None], size: tuple[float, float]) -> tuple[list[Path], str]:
    """Draw a figure into ``stem.png`` and ``stem.svg``; return the files, and the Markdown that shows or excuses it."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        return [], f"\n{MISSING}"
    figure = Figure(figsize=size, dpi=150, layout="constrained")
    with matplotlib.rc_context({"svg.hashsalt": stem.name}):
        paint(figure)
        files = []
        for kind, metadata in METADATA.items():
            content = io.BytesIO()
            figure.savefig(content, format=kind, metadata=metadata)
            files.append(stem.with_suffix(f".{kind}"))
            with atomic(files[-1]) as file:
                file.write(content.getvalue())
    return files, f"\n![{stem.name}]({stem.name}.png)\n"
