"""Columns as text: number formats, intervals beside their values, and three forms of a table."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = Mapping[str, NDArray[Any]]

WIDTH = 120
"""Columns of a line of text; wider tables are continued below."""
ROWS = 60
"""Rows that are shown of a table before it is cut."""
NOTHING = "-"
"""What is shown for nan and None."""


def as_text(columns: Columns, caption: str) -> str:
    """Aligned text, cut after ROWS rows, in blocks of at most WIDTH characters that repeat the first column."""
    n_rows = next(iter(columns.values())).size
    names, cells, right = _shown({name: column[:ROWS] for name, column in columns.items()})
    padded = []
    for name, column, to_right in zip(names, cells, right, strict=True):
        width = max(map(len, [name, *column]))
        padded.append([text.rjust(width) if to_right else text.ljust(width) for text in [name, *column]])
    lines = []
    for block in _blocks(padded):
        lines += ["  ".join(parts).rstrip() for parts in zip(*block, strict=True)] + [""]
    if n_rows > ROWS:
        lines += [f"... {n_rows - ROWS} more rows", ""]
    return "\n".join([*caption.splitlines(), *lines[:-1]])


def as_markdown(columns: Columns, caption: str) -> str:
    """A Markdown table of all rows."""
    names, cells, right = _shown(columns)
    lines = [names, ["--:" if to_right else ":--" for to_right in right], *zip(*cells, strict=True)]
    rule = 1
    texts = [
        "| " + " | ".join(parts if i == rule else [_markdown(part) for part in parts]) + " |"
        for i, parts in enumerate(lines)
    ]
    return "\n".join([caption, "", *texts] if caption else texts)


def as_html(columns: Columns, caption: str) -> str:
    """An HTML table of all rows."""
    names, cells, right = _shown(columns)
    styles = [' style="text-align: right"' if to_right else ' style="text-align: left"' for to_right in right]
    head = "".join(f"<th{style}>{escape(name)}</th>" for style, name in zip(styles, names, strict=True))
    body = "\n".join(
        "<tr>" + "".join(f"<td{style}>{escape(cell)}</td>" for style, cell in zip(styles, line, strict=True)) + "</tr>"
        for line in zip(*cells, strict=True)
    )
    title = f"<caption>{escape(caption)}</caption>\n" if caption else ""
    return f"<table>\n{title}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _blocks(padded: list[list[str]]) -> list[list[list[str]]]:
    """The columns in blocks that fit into WIDTH, each with the first column."""
    blocks, used = [[padded[0]]], len(padded[0][0])
    for column in padded[1:]:
        if len(blocks[-1]) > 1 and used + 2 + len(column[0]) > WIDTH:
            blocks.append([padded[0]])
            used = len(padded[0][0])
        blocks[-1].append(column)
        used += 2 + len(column[0])
    return blocks


def _shown(columns: Columns) -> tuple[list[str], list[list[str]], list[bool]]:
    """The names that are shown, their cells, and whether these stand to the right, as numbers do."""
    bounds = {f"{name}_{end}" for name in columns for end in ("low", "high") if _has_interval(columns, name)}
    names = [name for name in columns if name not in bounds]
    cells = [_cells_with_interval(columns, name) for name in names]
    return names, cells, [columns[name].dtype.kind in "iuf" for name in names]


def _has_interval(columns: Columns, name: str) -> bool:
    return f"{name}_low" in columns and f"{name}_high" in columns


def _cells_with_interval(columns: Columns, name: str) -> list[str]:
    if not _has_interval(columns, name):
        return _cells(columns[name], _decimals(columns[name]))
    with_ends = [columns[key] for key in (name, f"{name}_low", f"{name}_high")]
    decimals = _decimals(np.concatenate(with_ends))
    parts = [_cells(column, decimals) for column in with_ends]
    shown = [x if low == high == NOTHING else f"{x} [{low}, {high}]" for x, low, high in zip(*parts, strict=True)]
    # Values stay below each other where an interval is missing.
    width = max(map(len, shown), default=0)
    lead = max(map(len, parts[0]), default=0)
    return [f"{x:>{lead}}{text[len(x) :]}".ljust(width) for x, text in zip(parts[0], shown, strict=True)]


def _decimals(column: NDArray[Any]) -> int | None:
    """The digits after the point that give the largest number of a column four; None for the form 1.234e+06."""
    if column.dtype.kind != "f":
        return 0
    largest = np.abs(column[np.isfinite(column)]).max(initial=0.0)
    if largest == 0:
        return 1
    digits = int(np.floor(np.log10(largest)))
    return None if not -3 <= digits < 7 else min(max(3 - digits, 0), 5)


def _cells(column: NDArray[Any], decimals: int | None) -> list[str]:
    return [_cell(value, decimals) for value in column.tolist()]


def _cell(value: Any, decimals: int | None) -> str:
    if value is None or (isinstance(value, float) and isnan(value)):
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3e}" if decimals is None and np.isfinite(value) else f"{value:.{decimals or 0}f}"
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in value)
    return " ".join(str(value).split())


def _markdown(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").strip()
