"""Data preparation and findings."""

from __future__ import annotations

from ..blocks import Block, Column, Details, Row, Section, Table
from .source import Source

MOST_ROWS = 3_000
"""Columns of the data that are listed; the JSON has the others."""


def data_section(source: Source) -> Section:
    data = source.evidence["data"]
    blocks: list[Block] = []
    if data["missing"]:
        blocks.append(source.paragraph(data["missing"]))
    if data["findings"]:
        blocks.append(_findings(source))
    else:
        blocks.append(source.paragraph("Nothing was noticed in the data that a reviewer should know of."))
    if data["columns"]:
        count = len(data["columns"])
        blocks.append(
            Details(
                f"How the {count:,} columns were read" if count > 1 else "How the column was read", (_columns(source),)
            )
        )
    elif data["columns"] is None:
        blocks.append(source.paragraph("The features were given as numbers; how they were made is not known here."))
    return Section("data", "Data preparation and findings", tuple(blocks))


def _findings(source: Source) -> Table:
    findings = sorted(
        source.evidence["data"]["findings"][:MOST_ROWS], key=lambda finding: finding["severity"] != "warning"
    )
    rows = [
        Row(
            (
                source.label(
                    finding["column"] or "all columns", *(("warning",) if finding["severity"] == "warning" else ())
                ),
                source.words(finding["kind"]),
                source.words(finding["message"]),
            ),
            style="warning" if finding["severity"] == "warning" else "",
        )
        for finding in findings
    ]
    columns = (Column("Column", "text"), Column("Finding", "text"), Column("In words", "text"))
    return Table("findings", "What was noticed in the data", columns, tuple(rows), filtered=len(rows) > 40)


def _columns(source: Source) -> Table:
    listed = source.evidence["data"]["columns"]
    rows = [
        Row((source.label(c["name"]), source.words(c["kind"]), source.words(c["rule"]))) for c in listed[:MOST_ROWS]
    ]
    columns = (Column("Column", "text"), Column("Kind", "text"), Column("Rule", "text"))
    note = (
        ""
        if len(rows) == len(listed)
        else f"The first {len(rows):,} of {len(listed):,} columns; the JSON report has all."
    )
    return Table("columns", "How columns were read", columns, tuple(rows), filtered=len(rows) > 40, note=note)
