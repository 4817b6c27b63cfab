"""Groups as they are written in sentences and pictures: column=label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .groups import Groups


def titles_of(groups: Groups) -> list[str | None]:
    """Each group as column=label, crossed columns joined by commas; None where its columns have no names."""
    return [title_of(name, groups.columns, overlap=groups.overlap) for name in groups.names]


def title_of(name: Any, columns: Sequence[Any], *, overlap: bool) -> str | None:
    """One group by its name; ``overlap``: the columns are not crossed, and a name is (column, label)."""
    if not columns or not all(isinstance(column, str) for column in columns):
        return None
    if isinstance(name, tuple) and len(name) == 2 and (overlap or (name[0] == columns[0] and len(columns) == 1)):
        return f"{name[0]}={name[1]}"
    if len(columns) == 1:
        return f"{columns[0]}={name}"
    if isinstance(name, tuple) and len(name) == len(columns):
        return ", ".join(f"{column}={label}" for column, label in zip(columns, name, strict=True))
    # The rest of crossed columns.
    return str(name)
