"""The tables of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..writing import NOT_REACHED, markdown
from .distribution import chance_counts, changed, of, z_counts
from .summary import Summary

Cell = Callable[[Summary], str]
BESIDE_AVERAGE = ("balanced", "worst-group", "selected", "boosting", "default boosting", "fairlearn")
CORRECTED = ("corrected boosting", "corrected default boosting")


def signed(x: float, digits: int = 4) -> str:
    return NOT_REACHED if np.isnan(x) else f"{x:+.{digits}f}"


def with_error(x: float, error: float, digits: int = 4) -> str:
    return NOT_REACHED if np.isnan(x) else f"{x:+.{digits}f} ({error:.{digits}f})"


def gains_table(summaries: Sequence[Summary]) -> str:
    """A line for each contestant: on how many tables it is better or worse, and by how much."""
    header = ["model", "compared with", "tables", "better by 2 SE", "worse by 2 SE"]
    header += ["worst group: classes", "numbers", "all rows: classes", "numbers", "seconds, median"]
    rows = []
    for name in (*BESIDE_AVERAGE, *CORRECTED):
        own = of(summaries, name)
        if own:
            means = [mean_of(own, key, classes) for key in ("change", "overall_change") for classes in (True, False)]
            seconds = f"{np.median([s.seconds for s in own]):.1f}"
            counts = (len(own), sum(s.z < -2 for s in own), sum(s.z > 2 for s in own))
            rows.append((name, own[0].base, *counts, *map(signed, means), seconds))
    return markdown(header, rows)


def mean_of(summaries: Sequence[Summary], key: str, classes: bool) -> float:
    """The mean of a figure over the tables of one kind of target, whose losses have one unit; NaN without any."""
    values = [getattr(s, key) for s in summaries if s.classes == classes]
    return float(np.mean(values)) if values else np.nan


def counts_table(summaries: Sequence[Summary], names: Sequence[str]) -> str:
    """How the z of contestants are distributed, beside what chance alone would give."""
    rows = []
    for name in names:
        own = of(summaries, name)
        moved = changed(own)
        if own:
            rows.append((name, len(own) - len(moved), *z_counts(s.z for s in moved).values()))
        if own and moved:
            chance = (f"{expected:.1f}" for expected in chance_counts(len(moved)).values())
            rows.append((f"chance, for {len(moved)} tables", "", *chance))
    return markdown(["z of the worst group", "no row changed", *chance_counts(0)], rows)


def selected_table(summaries: Sequence[Summary]) -> str:
    """The selected model where it changed anything, from the largest gain to the largest loss."""
    header = ["table", "rows", "worst group (rows)", "its loss", "change (SE)", "z", "accuracy, % (SE)"]
    header += ["largest loss of a group", "all rows (SE)", "average kept"]
    rows = [
        (
            s.table,
            s.rows,
            f"{s.group} ({s.group_rows})",
            f"{s.base_loss:.3f}",
            with_error(s.change, s.change_error),
            signed(s.z, 1),
            with_error(100 * s.accuracy_change, 100 * s.accuracy_error, 1),
            signed(s.worst_change),
            with_error(s.overall_change, s.overall_error),
            f"{s.kept_folds} of 5",
        )
        for s in sorted(changed(of(summaries, "selected")), key=lambda s: (s.z, s.table))
    ]
    return markdown(header, rows)


def corrected_table(summaries: Sequence[Summary], contestant: str) -> str:
    """A correction, on the tables where it changed anything."""
    header = ["table", "worst group (rows)", "its loss", "change (SE)", "z", "accuracy, % (SE)", "all rows (SE)"]
    rows = [
        (
            s.table,
            f"{s.group} ({s.group_rows})",
            f"{s.base_loss:.3f}",
            with_error(s.change, s.change_error),
            signed(s.z, 1),
            with_error(100 * s.accuracy_change, 100 * s.accuracy_error, 1),
            with_error(s.overall_change, s.overall_error),
            f"{s.kept_folds} of 5",
        )
        for s in sorted(changed(of(summaries, contestant)), key=lambda s: (s.z, s.table))
    ]
    return markdown([*header, "left alone"], rows)


def all_tables(summaries: Sequence[Summary], cell: Cell, *, classes_only: bool = False) -> str:
    """A line for each table, a column for each contestant that is compared with the average model."""
    by_place = {(s.table, s.contestant): s for s in summaries if s.split == 0}
    lines = [s for s in of(summaries, "average") if s.classes or not classes_only]
    names = [name for name in BESIDE_AVERAGE if of(summaries, name)]
    rows = []
    for line in lines:
        entries = (by_place.get((line.table, name)) for name in names)
        rows.append((line.table, *(NOT_REACHED if s is None else cell(s) for s in entries)))
    return markdown(["table", *names], rows)


def change_cell(s: Summary) -> str:
    if s.same:
        return "no row changed"
    return f"{with_error(s.change, s.change_error, 3)}, all {signed(s.overall_change, 3)}"


def own_cell(s: Summary) -> str:
    return f"{s.own_loss:.3f}, {signed(s.worst_change, 3)}"


def accuracy_cell(s: Summary) -> str:
    return f"{100 * s.accuracy:.1f}, {with_error(100 * s.accuracy_change, 100 * s.accuracy_error, 1)}"
