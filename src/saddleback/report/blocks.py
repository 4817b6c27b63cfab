"""What a page is made of: sections of paragraphs, tables and charts, which HTML and Markdown both write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .formatting import NOTHING, write_number

LONGEST_ON_PAPER = 45
"""Rows of a table in details that is printed: about a page."""


@dataclass(frozen=True)
class Number:
    """One or more numbers of the evidence in one cell, with their JSON pointers and the code of their form.

    ``form`` is "plain" for one number, "interval" for a number with its two ends, "error" for one with its standard
    error, which is written with the code of the number but without its sign.
    """

    values: tuple[float | None, ...]
    refs: tuple[str, ...]
    code: str
    form: str = "plain"
    kind: ClassVar[str] = "number"

    @property
    def main(self) -> str:
        """The number itself as text."""
        return write_number(self.values[0], self.code)

    @property
    def aside(self) -> str:
        """Its interval or error as text, or nothing where these are not known."""
        rest = [
            write_number(value, self.code.lstrip("+") if self.form == "error" else self.code) for value in self.rest
        ]
        if not rest or set(rest) == {NOTHING}:
            return ""
        return f"({rest[0]})" if self.form == "error" else f"{rest[0]} to {rest[1]}"

    @property
    def rest(self) -> tuple[float | None, ...]:
        return self.values[1:]


@dataclass(frozen=True)
class Label:
    """A name from the data, with marks such as "under 2 %"; ``full`` is the name as it is in the data."""

    text: str
    full: str
    marks: tuple[str, ...] = ()
    kind: ClassVar[str] = "label"


@dataclass(frozen=True)
class Words:
    """Text in a cell."""

    text: str
    kind: ClassVar[str] = "words"


@dataclass(frozen=True)
class Drawing:
    """A small chart in a cell: SVG of our own. The numbers that it shows stand in cells beside it."""

    svg: str
    kind: ClassVar[str] = "drawing"


@dataclass(frozen=True)
class Links:
    """Text whose parts may lead to a section: (text, id of the section or "")."""

    parts: tuple[tuple[str, str], ...]
    kind: ClassVar[str] = "links"


Cell = Number | Label | Words | Drawing | Links


@dataclass(frozen=True)
class Column:
    """The head of a column."""

    title: str
    kind: str = "number"


@dataclass(frozen=True)
class Row:
    """Cells; refs that begin with ``base`` are shortened by it."""

    cells: tuple[Cell, ...]
    base: str = ""
    style: str = ""


@dataclass(frozen=True)
class Table:
    """A table with a caption. ``filtered``: a box above it leaves only the rows that contain a text."""

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    filtered: bool = False
    note: str = ""
    kind: ClassVar[str] = "table"


@dataclass(frozen=True)
class Paragraph:
    text: str
    style: str = ""
    kind: ClassVar[str] = "paragraph"


@dataclass(frozen=True)
class Bullets:
    items: tuple[str, ...]
    style: str = ""
    kind: ClassVar[str] = "bullets"


@dataclass(frozen=True)
class Code:
    """Text to copy, such as a command."""

    text: str
    label: str
    kind: ClassVar[str] = "code"


@dataclass(frozen=True)
class Legend:
    """An entry of a chart's legend: a class of lines and a name."""

    style: str
    label: Label


@dataclass(frozen=True)
class Chart:
    """SVG of our own with its caption; the data stand in a table near it, and Markdown leaves the chart out."""

    id: str
    svg: str
    caption: str
    legend: tuple[Legend, ...] = ()
    kind: ClassVar[str] = "chart"


@dataclass(frozen=True)
class Gallery:
    """Small charts side by side, each with a name."""

    charts: tuple[tuple[Label, str], ...]
    caption: str
    kind: ClassVar[str] = "gallery"


@dataclass(frozen=True)
class Fact:
    """A term and its value. A value of None is a field that is to be filled in."""

    term: str
    value: Cell | None


@dataclass(frozen=True)
class Facts:
    items: tuple[Fact, ...]
    style: str = ""
    kind: ClassVar[str] = "facts"


@dataclass(frozen=True)
class Heading:
    """A heading below that of the section."""

    id: str
    text: str
    kind: ClassVar[str] = "heading"


@dataclass(frozen=True)
class Slider:
    """The slider over worst_weight: the blocks that it moves are the table and the chart that follow it.

    ``data`` is what the script needs, already in the form of text, so that the script formats nothing.
    """

    labels: tuple[str, ...]
    start: int
    chosen: int | None
    sentence: str
    data: dict[str, Any] = field(repr=False)
    kind: ClassVar[str] = "slider"


@dataclass(frozen=True)
class Details:
    """Blocks behind a line that opens them."""

    summary: str
    blocks: tuple[Block, ...]
    kind: ClassVar[str] = "details"

    @property
    def on_screen(self) -> bool:
        """Whether it is too long for paper: there it stays closed, unless the reader has opened it."""
        return any(isinstance(block, Table) and len(block.rows) > LONGEST_ON_PAPER for block in self.blocks)


Block = Paragraph | Bullets | Code | Chart | Gallery | Facts | Heading | Slider | Details | Table


@dataclass(frozen=True)
class Section:
    id: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Page:
    """A report before it is written."""

    title: str
    outcome: str
    subtitle: str
    sections: tuple[Section, ...]
