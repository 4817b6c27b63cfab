"""Challengers: other models on the same held-out rows."""

from __future__ import annotations

from collections.abc import Sequence

from ..blocks import Block, Cell, Column, Details, Drawing, Fact, Facts, Number, Row, Section, Table
from ..charts.bars import dot_bar
from ..charts.svg import scale_of
from ..formatting import code_for, interval
from .source import Entry, Source, code_of_errors, number, with_error

TITLE = "Challengers"
LOSSES = ("worst_loss", "average_loss")
MOST_ROWS = 1_000
"""Groups of the table of all losses; the JSON has the others."""


def challengers_section(source: Source) -> Section:
    entries = source.evidence["challengers"]
    if not entries:
        return Section("challengers", TITLE, (source.paragraph("No other models were compared."),))
    intro = (
        f"All models on the same held-out rows. Differences are to {source.baseline}, row by row: in the group that it"
        " serves worst, and for all rows. Below zero is better. Standard errors stand in brackets."
    )
    blocks: list[Block] = [source.paragraph(intro), _table(source, entries)]
    words = tuple(
        Fact(source.names.name(entry["name"]), source.words(entry["words"])) for entry in entries if entry["words"]
    )
    if words:
        blocks.append(Facts(words, "notes"))
    names = _group_names(source, entries)
    if names:
        blocks.append(Details("The loss of every group under every model", (_losses(source, entries, names),)))
    return Section("challengers", TITLE, tuple(blocks))


def _table(source: Source, entries: Sequence[Entry]) -> Table:
    losses = code_for(
        [entry[key] for entry in entries for key in LOSSES],
        [entry[f"{key}_error"] for entry in entries for key in LOSSES],
    )
    difference, of_everyone = (
        code_of_errors(entries, key, f"{key}_error", signed=True) for key in ("difference", "average_difference")
    )
    ends = [interval(entry["difference"], entry["difference_error"]) for entry in entries]
    values = [0.0, *(entry["difference"] for entry in entries), *(end for pair in ends for end in pair)]
    scale = scale_of(values, start=3.0, end=97.0)
    has_accuracy = any(entry.get("accuracy") is not None for entry in entries)
    columns = [
        Column("Model", "text"),
        Column("Largest loss (error)"),
        Column("Of group", "text"),
        Column("Average loss (error)"),
        Column("Worst-off group: difference (error)"),
        Column("and its interval of 95 %", "drawing"),
        Column("All rows: difference (error)"),
        *([Column("Accuracy, %")] if has_accuracy else []),
    ]
    rows = []
    for i, entry in enumerate(entries):
        base = f"/challengers/{i}"
        cells: list[Cell] = [
            source.label(entry["name"], *(("chosen",) if entry["chosen"] else ())),
            with_error(entry, base, "worst_loss", "worst_loss_error", losses),
            source.label(entry["worst_group"]) if entry["worst_group"] is not None else source.words(""),
            with_error(entry, base, "average_loss", "average_loss_error", losses),
            with_error(entry, base, "difference", "difference_error", difference),
            Drawing(dot_bar(scale, entry["difference"], *ends[i], zero=True)),
            with_error(entry, base, "average_difference", "average_difference_error", of_everyone),
        ]
        if has_accuracy:
            cells.append(number({"accuracy": None, **entry}, base, "accuracy", "p1"))
        rows.append(Row(tuple(cells), base, "chosen" if entry["chosen"] else ""))
    return Table("challengers-table", "Models compared on the same held-out rows", tuple(columns), tuple(rows))


def _group_names(source: Source, entries: Sequence[Entry]) -> list[str]:
    """The groups that the models' lists of losses are about: those of the path, or none where the lengths differ."""
    tradeoff = source.evidence["tradeoff"]
    names: list[str] = tradeoff["groups"] if tradeoff is not None else []
    return names if all(len(entry.get("group_losses") or []) == len(names) for entry in entries) else []


def _losses(source: Source, entries: Sequence[Entry], names: list[str]) -> Table:
    code = code_for([loss for entry in entries for loss in entry["group_losses"]])
    columns = (Column("Group", "text"), *(Column(source.names.name(entry["name"])) for entry in entries))
    rows = []
    for j, name in enumerate(names[:MOST_ROWS]):
        cells = [
            Number((entry["group_losses"][j],), (f"/challengers/{i}/group_losses/{j}",), code)
            for i, entry in enumerate(entries)
        ]
        rows.append(Row((source.label(name), *cells), "/challengers"))
    note = (
        "" if len(rows) == len(names) else f"The first {len(rows):,} of {len(names):,} groups; the JSON report has all."
    )
    caption = "Held-out loss of every group under every model"
    return Table("challengers-losses", caption, columns, tuple(rows), filtered=len(rows) > 40, note=note)
