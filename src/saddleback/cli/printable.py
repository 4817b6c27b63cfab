"""Text of names, labels and paths, as it may be shown on a terminal."""

from __future__ import annotations

import re

ISOLATED = re.compile("\u2068([^\u2066-\u2069]*)\u2069")
"""A name of another script in a sentence of the report, which keeps its direction inside (U+2068 and U+2069)."""


def printable(text: str) -> str:
    """The text with control characters escaped, as ``\\x1b`` or ``\\u202e``, in one line.

    Sequences that begin with ESC move the cursor and rewrite what stands there, line breaks add lines that the program
    has not said, marks of direction and characters without width make two different names look the same. Data must be
    able to do none of this.
    """
    return "".join(map(_shown, ISOLATED.sub(r"\1", text)))


def printable_json(text: str) -> str:
    """JSON in which such characters stand as JSON escapes them, so that it is read as the same values."""
    return "".join(c if c == "\n" or c.isprintable() else _in_json(c) for c in text)


def _shown(c: str) -> str:
    return c if c.isprintable() else c.encode("unicode_escape").decode("ascii")


def _in_json(c: str) -> str:
    units = c.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
