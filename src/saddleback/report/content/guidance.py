"""Limits, and which part of the report serves which public guidance."""

from __future__ import annotations

from ..blocks import Bullets, Column, Row, Section, Table
from .source import Source


def limits_section(source: Source) -> Section:
    return Section(
        "limits", "Limits", (Bullets(tuple(source.names.prose(text) for text in source.evidence["limits"])),)
    )


def guidance_section(source: Source) -> Section:
    entries = source.evidence["guidance"]
    if not entries:
        return Section("guidance", "Public guidance", (source.paragraph("No guidance was named."),))
    columns = (Column("Source", "text"), Column("What it asks for", "text"), Column("Where it is answered", "text"))
    rows = tuple(Row(tuple(source.words(entry[key]) for key in ("source", "asks", "where"))) for entry in entries)
    return Section(
        "guidance",
        "Public guidance",
        (Table("guidance-table", "What public guidance asks for, and where this report answers", columns, rows),),
    )
