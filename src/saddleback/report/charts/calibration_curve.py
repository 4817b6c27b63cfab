"""Calibration of one group: what was predicted against what came true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .svg import Scale, element, percent, scale_of, text, ticks


def calibration_scale(calibration: list[Mapping[str, Any]], *, probabilities: bool) -> Scale:
    """The scale that all small charts share: 0 to 1 for probabilities."""
    if probabilities:
        return Scale(0.0, 1.0)
    keys = ("predicted", "observed", "low", "high")
    return scale_of([bin[key] for entry in calibration for bin in entry["bins"] for key in keys])


def draw_calibration(id: str, name: str, bins: list[Mapping[str, Any]], scale: Scale) -> str:
    """Dots with intervals; on the diagonal, predictions came true as often as they said."""
    marks = [element("line", class_="diagonal", x1="0", y1="100%", x2="100%", y2="0")]
    known = [bin for bin in bins if bin["predicted"] is not None and bin["observed"] is not None]
    most = max((bin["rows"] for bin in known), default=1) or 1
    for bin in known:
        x = percent(scale(bin["predicted"]))
        if bin["low"] is not None and bin["high"] is not None:
            ends = (percent(100 - scale(bin["low"])), percent(100 - scale(bin["high"])))
            marks.append(element("line", class_="whisker", x1=x, x2=x, y1=ends[0], y2=ends[1]))
        radius = f"{2.0 + 3.0 * (bin['rows'] / most) ** 0.5:.1f}"
        marks.append(element("circle", class_="dot", cx=x, cy=percent(100 - scale(bin["observed"])), r=radius))
    for at, label in ticks(scale, 2):
        marks.append(
            element("text", text(label), class_="tick", x="-6", y=percent(100 - at), dy="0.32em", text_anchor="end")
        )
        marks.append(
            element("text", text(label), class_="tick", x=percent(at), y="100%", dy="1.4em", text_anchor="middle")
        )
    description = f"{len(known)} bins of predictions; the table below has their numbers."
    return element(
        "svg",
        element("title", text(f"Calibration of {name}"), id=f"{id}-title"),
        element("desc", text(description), id=f"{id}-desc"),
        element("rect", class_="ground", x="0", y="0", width="100%", height="100%"),
        *marks,
        class_="plot",
        width="100%",
        height="132",
        role="img",
        overflow="visible",
        aria_labelledby=f"{id}-title {id}-desc",
    )
