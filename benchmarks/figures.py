"""Plots of measured curves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure

STYLES = ("-", "--", "-.", ":")


def draw(figure: Mapping[str, Any], path: Path) -> None:
    """Curves on logarithmic axes, with colors and dashes that also differ in print."""
    picture = Figure(figsize=(7.0, 4.2), layout="constrained")
    ax = picture.subplots()
    for k, (label, curve) in enumerate(figure["curves"].items()):
        ax.loglog(curve["x"], curve["y"], STYLES[k % len(STYLES)], marker="o", markersize=2.5, label=label)
    ax.set_xlabel(figure["xlabel"])
    ax.set_ylabel(figure["ylabel"])
    ax.set_title(figure["title"], fontsize=10)
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.savefig(path, dpi=90)
