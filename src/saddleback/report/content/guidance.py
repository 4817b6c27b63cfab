"""Limits, and which part of the report serves which public guidance."""

from __future__ import annotations

import re

from ..blocks import Bullets, Column, Links, Row, Section, Table
from .source import Source

ALIASES = {
    "What was optimized": "objective",
    "Groups": "groups",
    "Trade-off": "tradeoff",
    "Certificate": "certificate",
    "Calibration": "calibration",
}
"""Short names of sections, which guidance may use as well."""


def limits_section(source: Source) -> Section:
    items = tuple(source.names.prose(text) for text in source.evidence["limits"])
    return Section("limits", "Limits", (Bullets(items),) if items else (source.paragraph("No limits were named."),))


def guidance_section(source: Source, titles: dict[str, str]) -> Section:
    """``titles`` are the titles of the sections and their ids: where a title is named, it becomes a link."""
    title, entries = "Public guidance", source.evidence["guidance"]
    if not entries:
        return Section("guidance", title, (source.paragraph("No guidance was named."),))
    columns = (Column("Source", "text"), Column("What it asks for", "text"), Column("Where it is answered", "text"))
    rows = [
        Row(
            (
                source.words(entry["source"]),
                source.words(entry["asks"]),
                linked(source.names.prose(entry["where"]), titles),
            )
        )
        for entry in entries
    ]
    caption = "What public guidance asks for, and where this report answers"
    return Section("guidance", title, (Table("guidance-table", caption, columns, tuple(rows)),))


def linked(text: str, titles: dict[str, str]) -> Links:
    """A text with links at the titles of sections.

    >>> linked("see Limits.", {"Limits": "limits"}).parts
    (('see ', ''), ('Limits', 'limits'), ('.', ''))
    """
    titles = titles | {alias: id for alias, id in ALIASES.items() if id in titles.values()}
    longest_first = sorted(titles, key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, longest_first))})", text)
    return Links(tuple((part, titles.get(part, "")) for part in parts if part))
