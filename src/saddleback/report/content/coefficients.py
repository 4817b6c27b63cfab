"""Coefficients by the names of the features."""

from __future__ import annotations

from ..blocks import Block, Cell, Column, Details, Drawing, Number, Row, Section, Table
from ..charts.bars import signed_bar
from ..charts.svg import Scale
from ..formatting import code_for
from .source import Entry, Source

TOP = 20
"""Features that are shown from the start."""
MOST_CELLS = 24_000
"""Numbers of the table of all features; the JSON has the others."""


def coefficients_section(source: Source) -> Section:
    coefficients = source.evidence["coefficients"]
    rows = coefficients["rows"]
    by_standard = all(row.get("standardized") is not None for row in rows)
    order = sorted(range(len(rows)), key=lambda i: -_size(rows[i], by_standard))
    blocks: list[Block] = [source.paragraph(coefficients["words"])]
    if rows:
        first = order[:TOP]
        what = "standardized coefficient" if by_standard else "coefficient"
        caption = (
            f"The {len(first)} features with the largest {what}"
            if len(rows) > TOP
            else "All features and the intercept"
        )
        blocks.append(_table(source, first, by_standard, "coefficients-top", caption))
    if len(rows) > TOP:
        parts = sum(_has(rows, key) for key in ("value", "standardized", "average_model"))
        most = max(MOST_CELLS // (parts * len(coefficients["intercept"])), TOP)
        kept = sorted(order[:most])
        caption = (
            f"All {len(rows):,} features"
            if len(kept) == len(rows)
            else f"The {len(kept):,} largest of {len(rows):,} features; the JSON report has all"
        )
        blocks.append(
            Details(
                f"{caption}, in the order of the model",
                (_table(source, kept, by_standard, "coefficients-all", caption),),
            )
        )
    return Section("coefficients", "Coefficients", tuple(blocks))


def _size(row: Entry, by_standard: bool) -> float:
    return max(
        (abs(value) for value in row["standardized" if by_standard else "value"] if value is not None), default=0.0
    )


def _has(rows: list[Entry], key: str) -> bool:
    return any(row.get(key) is not None for row in rows)


def _table(source: Source, listed: list[int], by_standard: bool, id: str, caption: str) -> Table:
    coefficients = source.evidence["coefficients"]
    rows, n_outputs = coefficients["rows"], len(coefficients["intercept"])
    keys = {"value": "Coefficient", "standardized": "Standardized", "average_model": "Average model"}
    keys = {key: title for key, title in keys.items() if _has(rows, key)}
    codes = {key: code_for([value for row in rows for value in row.get(key) or []], signed=True) for key in keys}
    names = [source.names.name(name) for name in coefficients["classes"] or []] if n_outputs > 1 else [""]
    names = names or [f"output {k + 1}" for k in range(n_outputs)]
    drawn = n_outputs == 1
    largest = max((_size(row, by_standard) for row in rows), default=0.0) or 1.0
    scale = Scale(-largest, largest, 2.0, 98.0)
    columns = [Column("Feature", "text")]
    columns += [Column(f"{title}, {name}" if name else title) for key, title in keys.items() for name in names]
    if drawn:
        columns.append(Column("standardized" if by_standard else "coefficient", "drawing"))
    lines = []
    for i in listed:
        base = f"/coefficients/rows/{i}"
        cells: list[Cell] = [source.label(rows[i]["feature"])]
        for key in keys:
            values = rows[i].get(key) or [None] * n_outputs
            cells += [
                Number((values[k],), (f"{base}/{key}/{k}",) if rows[i].get(key) else (f"{base}/{key}",), codes[key])
                for k in range(n_outputs)
            ]
        if drawn:
            cells.append(Drawing(signed_bar(scale, rows[i]["standardized" if by_standard else "value"][0])))
        lines.append(Row(tuple(cells), base))
    empty = [Number((None,), ("",), "f1")] * (n_outputs * (len(keys) - 1)) + [Drawing("")] * drawn
    intercept = [
        Number((value,), (f"/coefficients/intercept/{k}",), codes["value"])
        for k, value in enumerate(coefficients["intercept"])
    ]
    lines.append(Row((source.label("Intercept"), *intercept, *empty), "/coefficients/intercept", "everyone"))
    return Table(id, caption, tuple(columns), tuple(lines), filtered=len(lines) > 2 * TOP)
