"""The layout of tables (b) and (c): iterations and seconds until the primal gap is at most epsilon."""

from __future__ import annotations

from collections.abc import Sequence

from .cell import Cell, Curve, Reach
from .contestants import ALGORITHM_1, CONTESTANTS, DEFAULT
from .laboratory import Laboratory
from .published import NOTHING, Rows
from .table import Row, Table, counted, row

# The paper compares L-BFGS-B in tables (d) and (e) only; here it is added to (b) and (c).
METHODS = (*ALGORITHM_1, "apgd", "extragradient", "optimistic", "lbfgsb", DEFAULT)


def reach(lab: Laboratory, cell: Cell, epsilon: float) -> tuple[Curve, Reach | None]:
    """The curve of a cell, and when it was first within epsilon of the optimum."""
    curve, best = lab.curve(cell), lab.reference(cell.recipe, cell.gamma).objective
    return curve, None if best is None or curve.failure else curve.reach(best + epsilon)


def build(
    lab: Laboratory,
    name: str,
    title: str,
    text: str,
    columns: Sequence[tuple[str, float, dict[str, Cell], float]],
    published: Rows,
) -> Table:
    """``columns`` holds the label, the key in the paper's table, the cells by method and the epsilon of each column."""
    header = ["method", *(part for label, *_ in columns for part in (label, "paper"))]
    body: list[list[str]] = []
    rows: list[Row] = []
    for method in METHODS:
        contestant = CONTESTANTS[method]
        printed = published.get(contestant.row or "", {})
        line = [contestant.label]
        for _, key, cells, epsilon in columns:
            cell, paper = cells[method], printed.get(key, NOTHING)
            curve, when = reach(lab, cell, epsilon)
            entry = row(name, cell, curve, lab, paper, reach=when, epsilon=epsilon)
            line += [counted(entry, curve), str(paper)]
            rows.append(entry)
        body.append(line)
    return Table(name, title, text, header, body, rows)
