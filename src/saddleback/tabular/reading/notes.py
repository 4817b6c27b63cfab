"""What was noticed while a file was read, kept with its table."""

from __future__ import annotations

import json

import pyarrow as pa

# The key of the notes in the metadata of a table's schema.
KEY = b"saddleback.notes"


def with_notes(table: pa.Table, notes: list[str]) -> pa.Table:
    """The table with notes in its metadata, and nothing else there."""
    return table.replace_schema_metadata({KEY: json.dumps(notes).encode()} if notes else None)


def notes_of(table: pa.Table) -> list[str]:
    """The notes of a table that `read_table` made; none of other tables."""
    try:
        notes = json.loads((table.schema.metadata or {}).get(KEY, b"[]"))
    except ValueError:
        return []
    return [note for note in notes if isinstance(note, str)] if isinstance(notes, list) else []
