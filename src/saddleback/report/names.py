"""Names from data as text that is safe to show: no invisible commands, and long ones shortened."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

LONGEST_NAME = 64
"""Characters of a name in a table or a chart; longer ones are shortened and listed in full once."""
LONGEST_PROSE = 1_500
"""Characters of a paragraph; longer ones hold a name of thousands."""
IN_FULL = 40
"""Long names that are listed in full; the JSON has all of them."""
FULL_LENGTH = 12_000
"""Characters of a name in the list of full names."""

# Direction overrides and embeddings make text read otherwise than it is written (Unicode Technical Report 36).
OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e")
ISOLATES = frozenset("\u2066\u2067\u2068\u2069")


@dataclass
class Names:
    """Writes names and paragraphs, and remembers those that it has shortened."""

    shortened: dict[str, int] = field(default_factory=dict)

    def name(self, text: str) -> str:
        """A name for a table or a chart: one line of at most LONGEST_NAME characters."""
        clean = visible(text, OVERRIDES | ISOLATES)
        if not clean:
            return "(empty)"
        if len(clean) <= LONGEST_NAME:
            return clean
        return f"{clean[:36]}…{clean[-12:]} {self._mark(text)}"

    def prose(self, text: str) -> str:
        """A paragraph; one that holds a name of thousands of characters is shortened in its middle."""
        clean = visible(text, OVERRIDES)
        if len(clean) <= LONGEST_PROSE:
            return clean
        return f"{clean[: LONGEST_PROSE // 2]} … {clean[-LONGEST_PROSE // 4 :]} {self._mark(text)}"

    def _mark(self, text: str) -> str:
        return f"[long text {self.shortened.setdefault(text, len(self.shortened) + 1)}]"


def visible(text: str, controls: frozenset[str] = OVERRIDES | ISOLATES) -> str:
    """Text on one line, with control characters written out.

    >>> visible("a" + chr(10) + "b" + chr(0) + chr(0x202E) + "c")
    'a b[U+0000][U+202E]c'
    """
    spaced = " ".join(text.split())
    if spaced.isprintable() and spaced.isascii():
        return spaced
    return "".join(f"[U+{ord(c):04X}]" if _is_hidden(c, controls) else c for c in spaced)


def _is_hidden(character: str, controls: frozenset[str]) -> bool:
    return character in controls or unicodedata.category(character) in ("Cc", "Cs", "Cn", "Zl", "Zp")
