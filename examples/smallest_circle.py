"""
The smallest circle
===================

Where is the farthest of many towns nearest? The losses are the squared distances to the towns, and the largest one is
minimized; its root is the radius of the smallest circle around all towns.

Run it with ``python examples/smallest_circle.py [DIRECTORY]``; it writes smallest_circle.png.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patches import Circle

import saddleback as sb

parser = argparse.ArgumentParser(description="The smallest circle.")
parser.add_argument("directory", nargs="?", default="reports", metavar="DIRECTORY", help="for the picture")
directory = Path(parser.parse_args().directory)

towns = np.random.default_rng(3).normal(size=(40, 2)) * [3.0, 1.5]


def distances(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The squared distances from w to the towns, (J,), and their Jacobian, (J, 2)."""
    return ((w - towns) ** 2).sum(axis=1), 2 * (w - towns)


# %%
# Two wishes: the farthest town as near as possible (the simplex of weights), and the farthest quarter of the towns as
# near as possible on average (the capped simplex). The *gap* says how far each answer can be from the best.

wishes = {"the farthest town": sb.Simplex(), "the farthest quarter": sb.CappedSimplex(alpha=0.25)}
results = {}
for wish, dual_set in wishes.items():
    results[wish] = sb.minimax(distances, [0.0, 0.0], jac=True, dual_set=dual_set)
    w, f = results[wish].w, np.sort(results[wish].losses)
    print(f"{wish}: place {w.round(3)}, largest distance {f[-1] ** 0.5:.3f}, gap <= 1e-6: {results[wish].gap <= 1e-6}")

# %%
# The weights say which towns decide: two or three hold the circle, all others have weight zero.

dual = results["the farthest town"].dual
print("towns with a weight:", np.flatnonzero(dual > 1e-6).size)

# %%
# A picture: the towns, those that hold the circle in color, and both places.

figure = plt.figure(figsize=(6.4, 4.2), layout="constrained")
ax = figure.subplots()
ax.scatter(towns[:, 0], towns[:, 1], s=12, color="#9aa5b1", label="towns")
holding = towns[dual > 1e-6]
ax.scatter(holding[:, 0], holding[:, 1], s=36, color="#c8553d", label="towns with a weight")
circle = results["the farthest town"]
ax.add_patch(Circle(tuple(circle.w), circle.value**0.5, fill=False, color="#1f6f8b"))
for (wish, result), marker in zip(results.items(), ("+", "x"), strict=True):
    ax.plot(*result.w, marker, ms=10, color="#1f6f8b", label=f"nearest to {wish}")
ax.set_aspect("equal")
ax.set_xlabel("east, km")
ax.set_ylabel("north, km")
ax.set_title("Few towns hold the smallest circle", fontsize=10)
ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))

directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "smallest_circle.png", dpi=80)
