"""Orders of growth, and the rows and tables of the checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._validation import lookup
from ..files import markdown

COLUMNS = ("check", "x_name", "x", "series", "measured", "predicted")


def order(x: ArrayLike, y: ArrayLike) -> float | None:
    """The slope of log y against log x by least squares; None for fewer than two points."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return float(np.polyfit(np.log(x), np.log(y), 1)[0]) if len(x) > 1 else None


def end_orders(x: Sequence[float], y: Sequence[float]) -> list[float | None]:
    """d log y / d log x between the first two and between the last two points."""
    return [order(x[:2], y[:2]), order(x[-2:], y[-2:])]


def sizes(table: Mapping[str, dict[str, Any]], scale: str) -> dict[str, Any]:
    """The sizes of a check at a scale, by name."""
    return lookup(table, scale, "scale")


def row(check: str, x_name: str, x: float, series: str, measured: float, predicted: float | None) -> dict[str, Any]:
    """One row of the CSV file."""
    return dict(zip(COLUMNS, (check, x_name, x, series, measured, predicted), strict=True))


def table(header: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """A Markdown table; numbers with three digits, None as a dash."""
    return markdown(header, [[_show(cell) for cell in line] for line in lines]).rstrip("\n")


def _show(cell: Any) -> str:
    if cell is None:
        return "-"
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)
