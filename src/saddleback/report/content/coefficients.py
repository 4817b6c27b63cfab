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

TITLES = {"standardized": "Standardized", "value": "Coefficient", "average_model": "Average model's coefficient"}
NO_NUMBER = Number((None,), ("",), "g")


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
    keys = [key for key in TITLES if _has(rows, key)]
    standardized = code_for([value for row in rows for value in row.get("standardized") or []], signed=True)
    names = [source.names.name(name) for name in coefficients["classes"] or []] if n_outputs > 1 else [""]
    names = names or [f"output {k + 1}" for k in range(n_outputs)]
    columns = [Column("Feature", "text"), *([Column("Size", "drawing")] if n_outputs == 1 else [])]
    columns += [Column(f"{TITLES[key]}, {name}" if name else TITLES[key]) for key in keys for name in names]
    largest = max((_size(row, by_standard) for row in rows), default=0.0) or 1.0
    scale = Scale(-largest, largest, 2.0, 98.0)
    lines = []
    for i in listed:
        base, row = f"/coefficients/rows/{i}", rows[i]
        # Units differ from row to row, and so do the digits.
        own = code_for([value for key in ("value", "average_model") for value in row.get(key) or []], signed=True)
        cells: list[Cell] = [source.label(row["feature"])]
        if n_outputs == 1:
            cells.append(Drawing(signed_bar(scale, row["standardized" if by_standard else "value"][0])))
        for key in keys:
            cells += _numbers(row.get(key), f"{base}/{key}", n_outputs, standardized if key == "standardized" else own)
        lines.append(Row(tuple(cells), base))
    last = [number for key in keys for number in _intercepts(coefficients, key, n_outputs)]
    drawing = [Drawing("")] if n_outputs == 1 else []
    lines.append(Row((source.label("Intercept"), *drawing, *last), "/coefficients", "everyone"))
    return Table(id, caption, tuple(columns), tuple(lines), filtered=len(lines) > 2 * TOP)


def _intercepts(coefficients: Entry, key: str, n_outputs: int) -> list[Number]:
    """The intercepts in a column: those of the model, or of the average model where they are known."""
    name = {"value": "intercept", "average_model": "average_intercept"}.get(key, "")
    if coefficients.get(name) is None:
        return [NO_NUMBER] * n_outputs
    both = [value for of in ("intercept", "average_intercept") for value in coefficients.get(of) or []]
    return _numbers(coefficients[name], f"/coefficients/{name}", n_outputs, code_for(both, signed=True))


def _numbers(values: list[float | None] | None, place: str, n_outputs: int, code: str) -> list[Number]:
    if values is None:
        return [Number((None,), (place,), code)] * n_outputs
    return [Number((value,), (f"{place}/{k}",), code) for k, value in enumerate(values)]
