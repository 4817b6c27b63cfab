"""What was noticed about the columns of a table."""

from __future__ import annotations

from dataclasses import dataclass

SEVERITIES = ("note", "warning")


@dataclass(frozen=True)
class Finding:
    """Something about a column that its owner should know.

    Attributes
    ----------
    column : str
        The column, or "" where it is about the whole table.
    kind : str
        A word: "identifier", "leakage", "constant", "missing", "rare", "text", "proxy", "numbers", "target", "file",
        "unseen", "group", "label", "copies", "sample", "memory".
    severity : {"note", "warning"}
        A warning asks for a decision, a note only tells.
    message : str
        One or two sentences.
    """

    column: str
    kind: str
    severity: str
    message: str


def note(column: str, kind: str, message: str) -> Finding:
    return Finding(column, kind, "note", message)


def warning(column: str, kind: str, message: str) -> Finding:
    return Finding(column, kind, "warning", message)
