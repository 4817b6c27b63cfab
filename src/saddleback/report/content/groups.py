"""How every group is served: each attribute alone and crossed, on held-out and on training rows."""

from __future__ import annotations

from collections.abc import Sequence

from ..blocks import Block, Column, Details, Facts, Heading, Row, Section, Table
from .group_columns import Measure, cell, columns_of, head, losses_and_rates, meanings_of
from .source import Entry, Source

SHOWN_GROUPS = 40
"""Groups of a table that is open from the start: those with the largest loss. All of them are in a second table."""
MOST_ROWS = 1_000
"""Rows of any table of the page; the JSON has the others. An estimator takes at most as many groups."""

ROWS = {"held_out": "Held-out rows", "train": "Training rows"}


def groups_section(source: Source) -> Section:
    intro = (
        "Ranges (x to y) are intervals of 95 %, numbers in round brackets standard errors. The change is that of the"
        f" loss against {source.baseline} on the same rows: below zero the group is better served."
    )
    meanings = meanings_of([row for entry in source.evidence["groups"] for row in entry["held_out"]], source.baseline)
    blocks: list[Block] = [source.paragraph(intro), Details("What the columns mean", (Facts(meanings, "notes"),))]
    tables = [(i, entry) for i, entry in enumerate(source.evidence["groups"]) if entry["kind"] != "all"]
    everyone = next((i for i, entry in enumerate(source.evidence["groups"]) if entry["kind"] == "all"), None)
    if not tables and everyone is not None:
        tables = [(everyone, source.evidence["groups"][everyone])]
        everyone = None
    for i, entry in tables:
        blocks.append(Heading(f"groups-{i}", _title(source, entry)))
        blocks += _blocks(source, i, everyone)
    return Section("groups", "How every group is served", tuple(blocks))


def _title(source: Source, entry: Entry) -> str:
    name = source.names.name(entry["attribute"])
    alone = {other["attribute"] for other in source.evidence["groups"] if other["kind"] == "alone"}
    if entry["kind"] == "crossed" and entry["attribute"] in alone:
        return f"By {name}, small groups merged"
    return {"all": "Everyone", "alone": f"By {name}", "crossed": f"By {name}, crossed"}[entry["kind"]]


def _blocks(source: Source, i: int, everyone: int | None) -> list[Block]:
    entry = source.evidence["groups"][i]
    blocks: list[Block] = []
    caption = source.names.prose(entry["caption"])
    for key, words in ROWS.items():
        listed = list(enumerate(entry[key]))
        full = f"{words}. {caption}"
        worst = sorted(listed, key=lambda pair: -(pair[1]["loss"] if pair[1]["loss"] is not None else -1e308))
        inner: list[Block] = []
        if len(listed) > SHOWN_GROUPS:
            cut = f"{words}: the {SHOWN_GROUPS} groups with the largest loss. {caption}"
            inner += _tables(source, i, key, sorted(worst[:SHOWN_GROUPS]), everyone, f"groups-{i}-{key}-worst", cut)
            more = f"{words}: all {len(listed):,} groups"
            if len(listed) > MOST_ROWS:
                listed = sorted(worst[:MOST_ROWS])
                more = f"{words}: the {MOST_ROWS:,} groups with the largest loss; the others are in the JSON report"
            inner.append(Details(more, tuple(_tables(source, i, key, listed, everyone, f"groups-{i}-{key}", more))))
        else:
            inner += _tables(source, i, key, listed, everyone, f"groups-{i}-{key}", full)
        if key == "train":
            blocks.append(Details("The same on the rows that the model was fitted to", tuple(inner)))
        else:
            blocks += inner
    return blocks


def _tables(
    source: Source, i: int, key: str, listed: Sequence[tuple[int, Entry]], everyone: int | None, id: str, caption: str
) -> list[Block]:
    """Losses, then rates where there are any."""
    entries = [(f"/groups/{i}/{key}/{k}", entry, "") for k, entry in listed]
    parts = losses_and_rates(columns_of([entry for _, entry, _ in entries]))
    if everyone is not None:
        whole = enumerate(source.evidence["groups"][everyone][key])
        entries = [(f"/groups/{everyone}/{key}/{k}", entry, "everyone") for k, entry in whole] + entries
    tables: list[Block] = []
    for n, columns in enumerate(parts):
        rows = tuple(_row(source, base, entry, columns, style) for base, entry, style in entries)
        heads = (Column("Group", "text"), *(head(measure, source.baseline) for measure, _ in columns))
        title = caption if n == 0 else f"{ROWS[key]}: {_second(source)} of the same groups."
        own = id if n == 0 else f"{id}-rates"
        tables.append(Table(own, title, heads, rows, filtered=len(rows) > SHOWN_GROUPS + 1))
    return tables


def _second(source: Source) -> str:
    return "rates" if source.evidence["task"] == "classification" else "errors"


def _row(source: Source, base: str, entry: Entry, columns: list[tuple[Measure, str]], style: str = "") -> Row:
    marks = (("under 2 % of rows",) if entry["small"] else ()) + (("unknown",) if entry["unknown"] else ())
    cells = [cell(measure, code, entry, base) for measure, code in columns]
    return Row((source.label(entry["group"], *marks), *cells), base, style)
