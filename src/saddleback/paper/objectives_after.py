"""The shape that tables (d) and (e) share: objective and seconds after T iterations, against a size of the problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .cell import Cell, Curve
from .contestants import ALGORITHM_1, DEFAULT, SCIPY
from .laboratory import Laboratory
from .published import NOTHING, Rows
from .recipe import Recipe
from .table import Row, Table, in_short, row, seconds

GAMMA = 0.01
METHODS = (*ALGORITHM_1, "apgd", "extragradient", "optimistic", SCIPY, "lbfgsb", DEFAULT)
# An objective counts as reached within this: far below the digits that the paper prints, far above rounding.
MARGIN = 1e-9


def cells(recipe: Recipe, T: int) -> list[Cell]:
    return [Cell(recipe, GAMMA, name, T) for name in METHODS]


def mark(curves: Mapping[str, Curve]) -> float | None:
    """Algorithm 1's final objective: the paper's own run, or where it could not run, another one."""
    return next((curves[name].objective for name in ALGORITHM_1 if curves[name].objective is not None), None)


def build(
    lab: Laboratory, name: str, title: str, text: str, size: str, recipes: Sequence[Recipe], T: int, published: Rows
) -> Table:
    """One block of methods for each recipe; ``size`` is what varies, "d" or "J"."""
    header = [size, "method", "objective", "time", "iterations", "to Algorithm 1's objective", "paper"]
    body: list[list[str]] = []
    rows: list[Row] = []
    for recipe in recipes:
        curves = {cell.name: lab.curve(cell) for cell in cells(recipe, T)}
        target = mark(curves)
        for cell in cells(recipe, T):
            curve = curves[cell.name]
            paper = published.get(cell.contestant.row or "", {}).get(getattr(recipe, size), NOTHING)
            when = None if target is None or curve.failure else curve.reach(target + MARGIN)
            entry = row(name, cell, curve, lab, paper, seconds_to_algorithm_1=when.seconds if when else None)
            rows.append(entry)
            line = [str(getattr(recipe, size)), cell.contestant.label]
            if curve.failure:
                line += [in_short(curve.failure), "-", "-", "-"]
            else:
                line += [f"{entry.objective:.6f}", seconds(entry.seconds), str(entry.iterations)]
                line.append(seconds(when.seconds) if when else "not reached")
            body.append([*line, str(paper)])
    return Table(name, title, text, header, body, rows)


def explanation(varied: str, scale_text: str, T: int) -> str:
    return (
        f"Objective and seconds after T = {T} iterations, or where a method ends by itself, against {varied} "
        f"({scale_text}, gamma = {GAMMA:g}). 'To Algorithm 1's objective': seconds until the method's objective is the "
        f"one that Algorithm 1 has after its last iteration, within {MARGIN:g}. The paper's cell, objective (seconds), "
        "is at the right (d = 5000, J = 10 where they do not vary, N = 5000, other random data, on a GPU); its "
        "L-BFGS-B is SciPy's with SciPy's tolerances."
    )
