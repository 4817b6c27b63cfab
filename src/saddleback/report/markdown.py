"""The report as Markdown: a model card with the tables of the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .blocks import (
    Block,
    Bullets,
    Cell,
    Code,
    Details,
    Drawing,
    Fact,
    Facts,
    Heading,
    Label,
    Links,
    Number,
    Page,
    Paragraph,
    Slider,
    Table,
)
from .content.page import make_page
from .schema import check_evidence

MARKUP = re.compile(r"[\\`*\[\]|~$#!{}]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|(?<=[a-z]):(?=//)|(?<=www)\.")
BLOCK_START = re.compile(r"^([-+=]|\d+(?=[.)]))")
BLANK = "(not filled in)"


def render_markdown(evidence: Mapping[str, Any]) -> str:
    """The evidence as a model card in Markdown (with the tables of GitHub).

    Parameters
    ----------
    evidence : dict
        The evidence, as ``model.evidence()`` returns it.

    Returns
    -------
    str

    Examples
    --------
    >>> from saddleback.report import render_markdown
    >>> print(render_markdown(model.evidence()))       # doctest: +SKIP
    """
    page = make_page(check_evidence(evidence))
    return "\n\n".join(_page(page)) + "\n"


def escape(text: str) -> str:
    """Text that Markdown shows as it is.

    >>> escape("a|b <i> [x](y) snake_case 3 * 4")
    'a\\\\|b &lt;i&gt; \\\\[x\\\\](y) snake_case 3 \\\\* 4'
    """
    safe = MARKUP.sub(lambda found: "\\" + found[0], text)
    return safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _page(page: Page) -> Iterable[str]:
    yield f"# {escape(page.title)}"
    yield f"**{escape(page.outcome)}.** {escape(page.subtitle)}."
    for i, section in enumerate(page.sections, start=1):
        yield f"## {i}. {escape(section.title)}"
        for block in section.blocks:
            yield from _block(block)


def _block(block: Block) -> Iterable[str]:
    if isinstance(block, Paragraph):
        yield _line(block.text)
    elif isinstance(block, Slider):
        yield _line(block.sentence)
    elif isinstance(block, Heading):
        yield f"### {escape(block.text)}"
    elif isinstance(block, Bullets) and block.style == "answer":
        yield from (_line(item) for item in block.items)
    elif isinstance(block, Bullets):
        yield "\n".join(f"- {_line(item)}" for item in block.items) or "None."
    elif isinstance(block, Code):
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", block.text)), default=0))
        yield f"{escape(block.label)}:"
        yield f"{fence}text\n{block.text}\n{fence}"
    elif isinstance(block, Facts):
        yield "\n".join(_fact(fact) for fact in block.items)
    elif isinstance(block, Table):
        yield f"*{escape(block.caption)}*"
        yield _table(block)
        if block.note:
            yield _line(block.note)
    elif isinstance(block, Details):
        yield f"**{escape(block.summary)}**"
        for inner in block.blocks:
            yield from _block(inner)


def _line(text: str) -> str:
    return BLOCK_START.sub(r"\\\1" if not text[:1].isdigit() else r"\1\\", escape(text))


def _fact(fact: Fact) -> str:
    return f"- {escape(fact.term)}: {BLANK if fact.value is None else _cell(fact.value)}"


def _table(table: Table) -> str:
    kept = [k for k, column in enumerate(table.columns) if column.kind != "drawing"]
    lines = [
        [escape(table.columns[k].title) for k in kept],
        [":--" if table.columns[k].kind == "text" else "--:" for k in kept],
        *([_cell(row.cells[k]) for k in kept] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    if isinstance(cell, Number):
        return (
            f"{cell.main} {cell.aside}"
            if cell.form == "error" and cell.aside
            else cell.main + (f" [{cell.aside}]" if cell.aside else "")
        )
    if isinstance(cell, Drawing):
        return ""
    if isinstance(cell, Label):
        shown = cell.text if cell.text.isascii() else f"\u2068{cell.text}\u2069"
        return escape(shown) + "".join(f" ({mark})" for mark in cell.marks)
    if isinstance(cell, Links):
        return escape("".join(text for text, _ in cell.parts))
    return escape(cell.text)
