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
    """A ```python block with the ```text block right after it, what it prints; or a ```console block.

    The code of a console block are its commands, the lines with a dollar sign; ``shown`` is what each of them prints.
    """

    language: str
    code: str
    output: str
    line: int
    shown: tuple[str, ...] = ()


BLOCK = re.compile(
    r"^```(?P<language>python|console)\n(?P<code>.*?)^```\n(?:\n?^```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


def blocks(page: Path) -> list[Block]:
    """The blocks that run, in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        _block(match["language"], match["code"], match["output"] or "", text[: match.start()].count("\n") + 2)
        for match in BLOCK.finditer(text)
    ]


def _block(language: str, code: str, output: str, line: int) -> Block:
    if language == "python":
        return Block(language, code, output, line)
    before, *parts = re.split(r"^\$ ", code, flags=re.MULTILINE)
    assert before == "", f"line {line}: a console block begins with a command"
    commands, shown = zip(*(part.partition("\n")[::2] for part in parts), strict=True)
    return Block(language, "\n".join(commands), "".join(shown), line, shown)


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
