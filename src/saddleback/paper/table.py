"""Measured tables: rows for CSV and JSON files, and a Markdown layout with the numbers of the paper beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from .cell import Cell, Curve, Reach
from .files import markdown
from .laboratory import Laboratory
from .published import NOTHING, Published


@dataclass(frozen=True)
class Row:
    """One cell as it is written to the files; None where a column does not apply."""

    table: str
    method: str
    label: str
    d: int
    J: int
    N: int
    seed: int
    dtype: str
    gamma: float
    epsilon: float | None
    max_iter: int
    iterations: int | None
    seconds: float | None
    objective: float | None
    gap: float | None
    seconds_to_algorithm_1: float | None
    paper_iterations: int | None
    paper_seconds: float | None
    paper_objective: float | None
    paper_mark: str
    note: str


COLUMNS = tuple(field.name for field in fields(Row))


@dataclass(frozen=True)
class Table:
    """A measured table of the paper."""

    name: str
    title: str
    text: str
    header: Sequence[str]
    body: Sequence[Sequence[str]]
    rows: Sequence[Row]

    def to_markdown(self) -> str:
        notes = dict.fromkeys(f"- {row.label}: {row.note}" for row in self.rows if row.note)
        parts = [f"## {self.title}\n", self.text + "\n", markdown(self.header, self.body)]
        return "\n".join(parts + (["\n".join(notes) + "\n"] if notes else []))

    def to_dict(self) -> dict[str, Any]:
        return {"table": self.name, "title": self.title, "rows": [asdict(row) for row in self.rows]}


def row(
    table: str,
    cell: Cell,
    curve: Curve,
    lab: Laboratory,
    paper: Published = NOTHING,
    *,
    reach: Reach | None = None,
    epsilon: float | None = None,
    seconds_to_algorithm_1: float | None = None,
    note: str = "",
) -> Row:
    """The numbers of a cell: when it reached ``epsilon`` if one is given, else at the end of the run."""
    recipe = cell.recipe
    best = lab.reference(recipe, cell.gamma).objective
    to_end = None if curve.failure or epsilon is not None else Reach(curve.n_iter, curve.time[-1])
    shown = reach or to_end
    return Row(
        table=table,
        method=cell.name,
        label=cell.contestant.label,
        d=recipe.d,
        J=recipe.J,
        N=recipe.N,
        seed=recipe.seed,
        dtype=recipe.dtype,
        gamma=cell.gamma,
        epsilon=epsilon,
        max_iter=cell.max_iter,
        iterations=shown.iterations if shown else None,
        seconds=shown.seconds if shown else None,
        objective=curve.objective,
        gap=None if curve.objective is None or best is None else curve.objective - best,
        seconds_to_algorithm_1=seconds_to_algorithm_1,
        paper_iterations=paper.iterations,
        paper_seconds=paper.seconds,
        paper_objective=paper.objective,
        paper_mark=paper.mark,
        note=curve.failure or note,
    )


def in_short(failure: str) -> str:
    """The first words of a reason, for a table; the notes below the table hold the rest."""
    return failure.split(":")[0]


def seconds(x: float | None) -> str:
    return "-" if x is None else f"{x:.2f} s" if x < 100 else f"{x:.0f} s"


def counted(row: Row, curve: Curve) -> str:
    """'34 (2.74 s)', or the final gap of a run that did not arrive, or the reason for a failure."""
    if curve.failure:
        return in_short(curve.failure)
    if row.iterations is not None:
        return f"{row.iterations} ({seconds(row.seconds)})"
    return f"not in {curve.n_iter}" + ("" if row.gap is None else f" (gap {row.gap:.1e})")
