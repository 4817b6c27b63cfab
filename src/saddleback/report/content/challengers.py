"""Challengers: other models on the same held-out rows."""

from __future__ import annotations

from ..blocks import Cell, Column, Drawing, Row, Section, Table
from ..charts.bars import dot_bar
from ..charts.svg import scale_of
from ..formatting import code_for, interval
from .source import Source, code_of_errors, number, with_error

PAIRS = ("worst_loss", "average_loss", "difference", "average_difference")


def challengers_section(source: Source) -> Section:
    entries = source.evidence["challengers"]
    title = "Challengers"
    if not entries:
        return Section("challengers", title, (source.paragraph("No other models were compared."),))
    codes = {key: code_of_errors(entries, key, f"{key}_error", signed=key.endswith("difference")) for key in PAIRS}
    losses = code_for(
        [entry[key] for entry in entries for key in PAIRS[:2]],
        [entry[f"{key}_error"] for entry in entries for key in PAIRS[:2]],
    )
    codes |= {"worst_loss": losses, "average_loss": losses}
    accuracy = any(entry.get("accuracy") is not None for entry in entries)
    ends = [interval(entry["difference"], entry["difference_error"]) for entry in entries]
    scale = scale_of(
        [0.0, *(entry["difference"] for entry in entries), *(end for pair in ends for end in pair)], start=3, end=97
    )
    columns = [
        Column("Model", "text"),
        Column("Largest loss (error)"),
        Column("Of group", "text"),
        Column("Average loss (error)"),
        Column("Difference for the worst-off group (error)"),
        Column("with 95 % interval", "drawing"),
        Column("Difference for everyone (error)"),
    ]
    if accuracy:
        columns.append(Column("Accuracy, %"))
    rows = []
    for i, entry in enumerate(entries):
        base = f"/challengers/{i}"
        cells: list[Cell] = [
            source.label(entry["name"], *(("this model",) if entry["chosen"] else ())),
            with_error(entry, base, "worst_loss", "worst_loss_error", codes["worst_loss"]),
            source.label(entry["worst_group"]) if entry["worst_group"] is not None else source.words(""),
            with_error(entry, base, "average_loss", "average_loss_error", codes["average_loss"]),
            with_error(entry, base, "difference", "difference_error", codes["difference"]),
            Drawing(dot_bar(scale, entry["difference"], *ends[i], zero=True)),
            with_error(entry, base, "average_difference", "average_difference_error", codes["average_difference"]),
        ]
        if accuracy:
            cells.append(number({"accuracy": None, **entry}, base, "accuracy", "p1"))
        rows.append(Row(tuple(cells), base, "chosen" if entry["chosen"] else ""))
    intro = (
        "All models on the same held-out rows. Differences are to the average model, row by row, in the group that the"
        " average model serves worst, and for everyone; below zero is better. Standard errors stand in brackets."
    )
    table = Table("challengers-table", "Models compared on the same held-out rows", tuple(columns), tuple(rows))
    words = tuple(
        source.paragraph(f"{source.names.name(entry['name'])}: {entry['words']}", "note")
        for entry in entries
        if entry["words"]
    )
    return Section("challengers", title, (source.paragraph(intro), table, *words))
