"""The frame of a chart: axes with ticks, lines and bands in data coordinates, and its title and description."""

from __future__ import annotations

from collections.abc import Sequence

from .svg import Scale, element, percent, text, ticks

Points = Sequence[tuple[float, float]]


def draw_frame(
    id: str,
    title: str,
    description: str,
    x: Scale,
    y: Scale,
    *,
    labels: tuple[str, str],
    height: int,
    paths: str,
    over: str = "",
) -> str:
    """A chart of a height in pixels, as wide as its place. ``paths`` are drawn in percent, ``over`` above them.

    Letters stand outside of the plot, where the style sheet leaves room for them.
    """
    grid = [element("line", class_="grid", x1="0", x2="100%", y1=percent(at), y2=percent(at)) for at, _ in ticks(y, 5)]
    marks = [
        element("text", text(label), class_="tick", x="-8", y=percent(at), dy="0.32em", text_anchor="end")
        for at, label in ticks(y, 5)
    ]
    marks += [
        element("text", text(label), class_="tick", x=percent(at), y="100%", dy="1.5em", text_anchor="middle")
        for at, label in ticks(x, 5)
    ]
    marks.append(element("text", text(labels[0]), class_="name", x="50%", y="100%", dy="3em", text_anchor="middle"))
    marks.append(element("text", text(labels[1]), class_="name", x="-8", y="0", dy="-0.9em", text_anchor="start"))
    # Lines are drawn in a square of 100 x 100 that is stretched to the plot; their widths are not.
    plot = element(
        "svg", paths, width="100%", height="100%", viewBox="0 0 100 100", preserveAspectRatio="none", overflow="visible"
    )
    base = element("line", class_="base", x1="0", x2="100%", y1="100%", y2="100%")
    return element(
        "svg",
        element("title", text(title), id=f"{id}-title"),
        element("desc", text(description), id=f"{id}-desc"),
        *grid, base, plot, over, *marks,
        class_="plot", width="100%", height=height, role="img", overflow="visible",
        aria_labelledby=f"{id}-title {id}-desc",
    )  # fmt: skip


def line(points: Points, x: Scale, y: Scale, class_: str) -> str:
    """A line through points."""
    return element(
        "polyline", class_=class_, points=_points(points, x, y), fill="none", vector_effect="non-scaling-stroke"
    )


def band(low: Points, high: Points, x: Scale, y: Scale, class_: str) -> str:
    """The area between two lines."""
    return element("polygon", class_=class_, points=_points([*low, *reversed(high)], x, y))


def _points(points: Points, x: Scale, y: Scale) -> str:
    return " ".join(f"{x(a):.2f},{y(b):.2f}" for a, b in points)
