"""The picture of a path: held-out losses of the groups against the worst weight."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..._types import Vector
from ...errors import MissingDependencyError
from ..selection.selection import Selection
from .held_out import HeldOut
from .plot_words import caption_of, headline_of, label_of, name_in, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9")
"""Of Okabe and Ito (2008), told apart by people with any colour vision; the worst-off groups have them."""
GREY = "#9A9A9A"
MOST_LABELS = 12
"""With more lines the grey ones are not named: the names would not fit."""
LINE_HEIGHT = 0.055
"""The least distance of names at the right, as a fraction of the axis."""


class Drawable(Protocol):
    """What is drawn of a path."""

    @property
    def worst_weights(self) -> Vector: ...
    @property
    def held_out(self) -> HeldOut: ...
    @property
    def knee(self) -> float: ...
    @property
    def unit(self) -> str: ...
    @property
    def n_splits(self) -> int: ...


def plot_path(path: Drawable, selection: Selection, ax: Axes | None) -> Axes:
    """Draw the groups, the average, the choice and the knee."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingDependencyError(
            "FairnessPath.plot needs matplotlib, which is not installed: pip install 'saddleback[plot]'."
        ) from error
    if ax is None:
        ax = plt.subplots(figsize=(8.0, 5.6), layout="constrained")[1]
    p, held_out = path.worst_weights, path.held_out
    order = worst_first(held_out)
    ends = [
        _draw_group(ax, p, held_out, j, COLOURS[rank] if rank < len(COLOURS) else None) for rank, j in enumerate(order)
    ]
    ends = ends if len(ends) < MOST_LABELS else ends[: len(COLOURS)]
    ends = [end for end in ends if np.isfinite(end[0])]
    _draw_band(ax, p, held_out.average, held_out.average_change_errors, "black")
    ax.plot(p, held_out.average, color="black", linewidth=3.2, label="average of all rows", zorder=4)
    ends.append((float(held_out.average[-1]), "average of all rows", "black"))
    _mark(ax, path, float(p[selection.chosen]), selection.rule)
    _name_lines(ax, ends)
    ax.set_xlim(-0.02, 1.02)
    ax.set_xlabel("worst weight p   (0: average model, 1: worst-group model)")
    ax.set_ylabel(f"held-out {path.unit}")
    ax.set_title(fill(headline_of(selection), 78), loc="left", fontsize="medium", fontweight="bold")
    caption = caption_of(path.n_splits, len(order) - len(COLOURS))
    ax.annotate(
        fill(caption, 105),
        (0.0, 0.0),
        (0.0, -38.0),
        "axes fraction",
        "offset points",
        va="top",
        fontsize="small",
        color="#555555",
    )
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def worst_first(held_out: HeldOut) -> list[int]:
    """The groups in the order of their largest loss anywhere on the path; those without held-out rows are left out."""
    known = np.flatnonzero(~np.isnan(held_out.group_losses[0]))
    return known[np.argsort(-held_out.group_losses[:, known].max(axis=0), kind="stable")].tolist()


def _draw_group(ax: Axes, p: Vector, held_out: HeldOut, j: int, colour: str | None) -> tuple[float, str, str]:
    """The line of a group, with its band where it has a colour; returns its end, its name and its colour."""
    losses, title = held_out.group_losses[:, j], held_out.titles[j] if held_out.titles else None
    name = label_of(held_out.names[j], title)
    if colour is None:
        ax.plot(p, losses, color=GREY, linewidth=1.0, label=name, zorder=2)
        return float(losses[-1]), name, GREY
    _draw_band(ax, p, losses, held_out.change_errors[:, j], colour)
    ax.plot(p, losses, color=colour, linewidth=1.8, marker="o", markersize=3.5, label=name, zorder=3)
    return float(losses[-1]), name, colour


def _draw_band(ax: Axes, p: Vector, losses: Vector, errors: Vector, colour: str) -> None:
    errors = np.where(np.isfinite(errors), errors, 0.0)
    ax.fill_between(p, losses - errors, losses + errors, color=colour, alpha=0.18, linewidth=0.0, zorder=1)


def _mark(ax: Axes, path: Drawable, chosen: float, rule: str) -> None:
    """Vertical lines at the chosen p and at the knee, named at the top."""
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.16 * (high - low))
    marks: list[tuple[float, str, Any]] = [(chosen, name_in(rule, chosen), "-")]
    if path.knee and path.knee == chosen:
        marks = [(chosen, f"knee, {name_in(rule, chosen)}", "-")]
    elif path.knee:
        marks.append((path.knee, f"knee: p = {path.knee:g}", ":"))
    for height, (p, text, style) in zip((0.985, 0.925), marks, strict=False):
        ax.axvline(p, color="#555555", linestyle=style, linewidth=1.2, zorder=0)
        side = "right" if p > 0.5 else "left"
        shift = -4.0 if p > 0.5 else 4.0
        ax.annotate(
            text,
            (p, height),
            (shift, 0.0),
            ("data", "axes fraction"),
            "offset points",
            ha=side,
            va="top",
            fontsize="small",
        )


def _name_lines(ax: Axes, ends: list[tuple[float, str, str]]) -> None:
    """The names of the lines at their right ends, moved apart where they would overlap."""
    low, high = ax.get_ylim()
    ends = sorted((y, wrapped(name), colour) for y, name, colour in ends)
    n_lines = np.array([name.count("\n") + 1 for _, name, _ in ends])
    distances = LINE_HEIGHT * (n_lines[1:] + n_lines[:-1]) / 2.0
    heights = spread(np.array([(end[0] - low) / (high - low) for end in ends]), distances)
    for height, (y, name, colour) in zip(heights, ends, strict=True):
        weight = "bold" if colour == "black" else "normal"
        ax.annotate(
            name,
            (1.0, y),
            (1.035, height),
            "data",
            "axes fraction",
            color=colour,
            va="center",
            fontsize="small",
            fontweight=weight,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "relpos": (0.0, 0.5), "shrinkA": 1.0},
        )


def spread(heights: Vector, distances: Vector) -> Vector:
    """Sorted heights moved apart to at least these ``distances``, as little as possible in the least squares sense."""
    steps = np.concatenate([[0.0], np.cumsum(distances)])
    blocks: list[list[float]] = []
    # Pool adjacent violators: the nearest nondecreasing sequence to the heights less their steps.
    for value in heights - steps:
        blocks.append([float(value), 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, size = blocks.pop()
            last = blocks[-1]
            blocks[-1] = [(last[0] * last[1] + mean * size) / (last[1] + size), last[1] + size]
    pooled = np.concatenate([np.full(int(size), mean) for mean, size in blocks])
    return pooled + steps
