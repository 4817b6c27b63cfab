"""The Markdown of the project, as tests read it: pages, code blocks, links, anchors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# What `make docs` writes.
BUILT = (DOCS / "_build", DOCS / "gallery", DOCS / "api" / "generated")
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(page for page in DOCS.rglob("*.md") if not any(page.is_relative_to(folder) for folder in BUILT)),
]


@dataclass(frozen=True)
class Block:
    """A ```python block, and the ```text block right after it: what it prints."""

    code: str
    output: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    pattern = r"^```python\n(?P<code>.*?)^```\n(?:\n?^```text\n(?P<output>.*?)^```\n)?"
    return [
        Block(match["code"], match["output"] or "", text[: match.start()].count("\n") + 2)
        for match in re.finditer(pattern, text, re.MULTILINE | re.DOTALL)
    ]


def prose(page: Path) -> str:
    """The page without blocks of code, indented code and code in a line."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "code", re.sub(r"^    .*$", "", text, flags=re.MULTILINE))


def links(page: Path) -> list[str]:
    """The targets of links and pictures."""
    return re.findall(r"\]\(([^)\s]+)\)", prose(page))


def anchors(page: Path) -> set[str]:
    """The names by which headings can be linked to, as viewers of Markdown make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*?)\s*$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
