"""Losses of the groups along the path from the average model to the worst-group model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..formatting import interval
from .frame import band, draw_frame, line
from .svg import element, percent, scale_of

BANDS = 1
"""Groups with a band of 95 %: more would hide each other. The bars beside the chart have the bands of all."""
COLORS = 5
"""Groups with a color and a dash of their own; the style sheet has as many. The others are thin and gray."""


def draw_tradeoff(
    tradeoff: Mapping[str, Any], colored: Sequence[int], gray: Sequence[int], at: int, description: str
) -> str:
    """Lines over worst_weight with bands of 95 % of everyone and of the first group, and a line at the point shown."""
    weights = tradeoff["worst_weights"]
    shown = [*colored, *gray]
    ends = [band_of(tradeoff, i, j) for i in range(len(weights)) for j in colored[:BANDS]]
    values = [tradeoff["losses"][i][j] for i in range(len(weights)) for j in shown]
    x = scale_of([*weights, 0.0, 1.0])
    y = scale_of([*values, *tradeoff["average"], *(end for pair in ends for end in pair)], start=100.0, end=0.0)

    def of_group(j: int | None) -> list[tuple[Any, ...]]:
        losses = tradeoff["average"] if j is None else [line[j] for line in tradeoff["losses"]]
        return [(p, losses[i], *band_of(tradeoff, i, j)) for i, p in enumerate(weights)]

    everyone = of_group(None)
    paths = [_line(of_group(j), x, y, "curve gray") for j in gray]
    paths.append(_band(everyone, x, y, "area everyone"))
    paths += [_band(of_group(j), x, y, f"area c{k}") for k, j in enumerate(colored[:BANDS])]
    paths += [_line(of_group(j), x, y, f"curve c{k}") for k, j in enumerate(colored)]
    paths.append(_line(everyone, x, y, "curve everyone"))
    place = percent(x(weights[at] or 0.0))
    cursor = element("line", class_="cursor", id="tradeoff-cursor", x1=place, x2=place, y1="0", y2="100%")
    return draw_frame(
        "tradeoff-curve", "Held-out loss of the groups at every worst weight", description, x, y,
        labels=("worst weight p", tradeoff["unit"]), height=300, paths="".join(paths), over=cursor,
    )  # fmt: skip


def cursor_places(weights: Sequence[float | None]) -> list[str]:
    """Where the line at the point shown stands, for every worst weight."""
    x = scale_of([*weights, 0.0, 1.0])
    return [percent(x(weight or 0.0)) for weight in weights]


def band_of(tradeoff: Mapping[str, Any], i: int, j: int | None) -> tuple[float | None, float | None]:
    """The interval of 95 % of a group, or of all rows, at a worst weight; from the error in old evidence."""
    index = (i,) if j is None else (i, j)
    names = ("average_lows", "average_highs") if j is None else ("lows", "highs")
    if all(tradeoff.get(name) is not None for name in names):
        low, high = (_at(tradeoff[name], index) for name in names)
        return (None, None) if low is None or high is None else (low, high)
    names = ("average", "average_errors") if j is None else ("losses", "errors")
    return interval(*(_at(tradeoff[name], index) for name in names))


def _at(values: Any, index: tuple[int, ...]) -> Any:
    for k in index:
        values = values[k]
    return values


def _line(entries: Sequence[tuple[Any, ...]], x: Any, y: Any, class_: str) -> str:
    points = [(p, value) for p, value, *_ in entries if p is not None and value is not None]
    return line(points, x, y, class_) if points else ""


def _band(entries: Sequence[tuple[Any, ...]], x: Any, y: Any, class_: str) -> str:
    known = [entry for entry in entries if None not in entry]
    low, high = ([(p, ends[k]) for p, _, *ends in known] for k in (0, 1))
    return band(low, high, x, y, class_) if known else ""
