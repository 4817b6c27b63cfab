"""Figure (a): the primal gap against iterations and against time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cell import Cell
from .contestants import DEFAULT, PAPER, QP, SHARP
from .laboratory import Laboratory
from .scales import Scale
from .table import Table, in_short, row, seconds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The paper does not state gamma; see table (c).
GAMMA = 0.01
METHODS = (PAPER, QP, "apgd", "extragradient", "optimistic", "lbfgsb", SHARP, DEFAULT)
# Methods of rate 1/T get twice the iterations.
SLOW = ("extragradient", "optimistic")
# Smaller gaps are rounding errors and are drawn at this value.
FLOOR = 1e-10
FAST = (SHARP, DEFAULT)


def cells(scale: Scale, seed: int) -> list[Cell]:
    recipe = scale.recipe(seed)
    return [Cell(recipe, GAMMA, name, 2 * scale.T if name in SLOW else scale.T) for name in METHODS]


def measure(lab: Laboratory, scale: Scale, seed: int) -> Table:
    """A table of the final gaps of the runs that the figure draws."""
    body, rows = [], []
    for cell in cells(scale, seed):
        curve = lab.curve(cell)
        entry = row("a", cell, curve, lab)
        rows.append(entry)
        end = [in_short(curve.failure), "-", "-"] if curve.failure else [
            "-" if entry.gap is None else f"{max(entry.gap, 0.0):.1e}",
            str(entry.iterations),
            seconds(entry.seconds),
        ]  # fmt: skip
        body.append([cell.contestant.label, *end])
    return Table(
        "a",
        f"Figure (a): convergence (d = {scale.d}, J = {scale.J}, N = {scale.N}, gamma = {GAMMA:g})",
        "The primal gap against the iteration count and against seconds: Algorithm 1 green, APGD orange, extragradient "
        "black, as in the paper; the library's fast methods blue. The table lists the last point of each curve.",
        ["method", "gap at the end", "iterations", "time"],
        body,
        rows,
    )


def draw(lab: Laboratory, scale: Scale, seed: int, figure: Figure) -> None:
    """Draw two panels on an empty figure."""
    left, right = figure.subplots(1, 2, sharey=True)
    for cell in cells(scale, seed):
        curve, best = lab.curve(cell), lab.reference(cell.recipe, cell.gamma).objective
        if curve.failure or best is None:
            continue
        contestant = cell.contestant
        gaps = [max(value - best, FLOOR) for value in curve.value]
        width = 2.2 if cell.name in FAST else 1.6
        style = {"color": contestant.color, "linestyle": contestant.dashes, "linewidth": width}
        left.plot(range(len(gaps)), gaps, label=contestant.label, **style)
        right.plot(curve.time, gaps, **style)
    left.set(xlabel="iterations", ylabel="primal gap", xscale="symlog", yscale="log", xlim=(0, None))
    right.set(xlabel="seconds", xscale="log")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.suptitle(f"d = {scale.d}, J = {scale.J}, N = {scale.N}, gamma = {GAMMA:g}", fontsize="medium")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize="small")
