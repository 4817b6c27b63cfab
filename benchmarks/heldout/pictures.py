"""The histogram of z."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
from matplotlib.figure import Figure
from scipy.stats import norm

from .distribution import changed, of
from .summary import Summary

WIDTH = 0.5
SHOWN = 7.0
"""z beyond it are drawn at the edge."""
PANELS = ("selected", "worst-group")


def draw(summaries: Sequence[Summary], path: Path) -> None:
    """Counts of tables by z, beside those expected if the models were equally good."""
    figure = Figure(figsize=(8.0, 3.6), layout="constrained")
    axes = figure.subplots(1, len(PANELS), sharex=True, sharey=True)
    bins = np.arange(-SHOWN, SHOWN + WIDTH, WIDTH)
    for ax, name in zip(axes, PANELS, strict=True):
        z = np.array([s.z for s in changed(of(summaries, name))])
        ax.hist(np.clip(z, -SHOWN + 1e-9, SHOWN - 1e-9), bins, color="tab:blue", alpha=0.75, label=f"{z.size} tables")
        x = np.linspace(-SHOWN, SHOWN, 281)
        ax.plot(x, z.size * WIDTH * norm.pdf(x), "k--", lw=1.2, label="expected if nothing differs")
        ax.axvline(0.0, color="grey", lw=0.8)
        ax.set_title(f"{name} model", fontsize=10)
        ax.set_xlabel("z: change for the worst group / standard error")
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8)
    axes[0].set_ylim(0.0, 1.35 * axes[0].get_ylim()[1])
    axes[0].set_ylabel(f"tables per bin of {WIDTH:g}")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90, metadata={"Software": None})
