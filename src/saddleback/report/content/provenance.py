"""Provenance: when, with what, from which data, and for what purpose."""

from __future__ import annotations

import json
from typing import Any

from ..blocks import Block, Cell, Code, Column, Details, Fact, Facts, Row, Section, Table
from .source import Source, number


def provenance_section(source: Source) -> Section:
    provenance = source.evidence["provenance"]
    print_, place = provenance["fingerprint"], "/provenance/fingerprint"
    facts = [
        Fact("Purpose", _given(source, provenance["purpose"])),
        Fact("Owner", _given(source, provenance["owner"])),
        Fact("Made on", source.words(provenance["created"])),
        Fact("Rows of the data", number(print_, place, "rows", "d")),
        *_columns(source),
        Fact("Features after encoding", number(print_, place, "columns", "d")),
    ]
    print_of = f"How the fingerprint is computed: {print_['of']}."
    blocks: list[Block] = [Facts(tuple(facts)), Code(print_["sha256"], "Fingerprint of the rows")]
    blocks.append(source.paragraph(print_of, "note"))
    for file in source.evidence["data"].get("files") or []:
        what = "test file" if file["role"] == "test" else "data file"
        blocks.append(Code(file["sha256"], f"SHA-256 of the {what} {source.isolated(file['name'])} (sha256sum)"))
    if provenance["command"]:
        blocks.append(Code(provenance["command"], "Run it again"))
    versions = tuple(
        Row((source.label(name), source.words(version))) for name, version in provenance["versions"].items()
    )
    columns = (Column("Package", "text"), Column("Version", "text"))
    blocks.append(
        Details("Versions of the software", (Table("versions", "Versions of the software", columns, versions),))
    )
    if isinstance(provenance["settings"], dict) and provenance["settings"]:
        settings = tuple(
            Row((source.label(name), source.words(_brief(value)))) for name, value in provenance["settings"].items()
        )
        columns = (Column("Setting", "text"), Column("Value", "text"))
        blocks.append(
            Details("Settings", (Table("settings", "Settings of the model and of this report", columns, settings),))
        )
    return Section("provenance", "Provenance", tuple(blocks))


def _columns(source: Source) -> list[Fact]:
    files = source.evidence["data"].get("files") or []
    return [Fact("Columns of the data file", number(files[0], "/data/files/0", "columns", "d"))] if files else []


def _given(source: Source, text: str | None) -> Cell | None:
    return source.words(text) if text and text.strip() else None


def _brief(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
