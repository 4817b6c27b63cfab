"""Bars in the rows of a table. Their numbers stand in the cells beside them, so screen readers skip the bars."""

from __future__ import annotations

from .svg import Scale, element, percent


def _bar(*children: str, class_: str) -> str:
    return element("svg", *children, class_=class_, width="100%", height="18", aria_hidden="true", focusable="false")


def bar_places(scale: Scale, value: float | None, low: float | None, high: float | None) -> tuple[str, str, str]:
    """The length of a bar, and the start and the length of its band; nothing where a number is not known."""
    start = scale(low) if low is not None else 0.0
    end = scale(high) if high is not None else start
    return percent(scale(value) if value is not None else 0.0), percent(start), percent(end - start)


def loss_bar(scale: Scale, value: float | None, low: float | None, high: float | None, mark: float | None) -> str:
    """A bar from zero to a loss, its band of 95 %, and a mark at the loss of another model."""
    length, start, width = bar_places(scale, value, low, high)
    parts = [
        element("rect", class_="track", x="0", y="4", width="100%", height="10"),
        element("rect", class_="fill", x="0", y="4", width=length, height="10"),
        element("rect", class_="band", x=start, y="1", width=width, height="16"),
    ]
    if mark is not None:
        place = percent(scale(mark))
        parts.append(element("line", class_="reference", x1=place, x2=place, y1="0", y2="18"))
    return _bar(*parts, class_="bar")


def dot_bar(scale: Scale, value: float | None, low: float | None, high: float | None, *, zero: bool = False) -> str:
    """A dot with its interval, and a line at zero."""
    parts = [element("line", class_="axis", x1="0", x2="100%", y1="9", y2="9")]
    if zero:
        parts.append(element("line", class_="zero", x1=percent(scale(0.0)), x2=percent(scale(0.0)), y1="0", y2="18"))
    if low is not None and high is not None:
        parts.append(element("line", class_="whisker", x1=percent(scale(low)), x2=percent(scale(high)), y1="9", y2="9"))
    if value is not None:
        parts.append(element("circle", class_="dot", cx=percent(scale(value)), cy="9", r="4.5"))
    return _bar(*parts, class_="bar")


def signed_bar(scale: Scale, value: float | None) -> str:
    """A bar from zero to the left or to the right."""
    zero = scale(0.0)
    at = scale(value) if value is not None else zero
    return _bar(
        element(
            "rect",
            class_="fill" if at >= zero else "fill negative",
            x=percent(min(at, zero)),
            y="4",
            width=percent(abs(at - zero)),
            height="10",
        ),
        element("line", class_="zero", x1=percent(zero), x2=percent(zero), y1="0", y2="18"),
        class_="bar",
    )


def share_bar(share: float | None) -> str:
    """A bar from 0 to 100 %."""
    return _bar(
        element("rect", class_="track", x="0", y="4", width="100%", height="10"),
        element(
            "rect", class_="fill", x="0", y="4", width=percent(100.0 * min(max(share or 0.0, 0.0), 1.0)), height="10"
        ),
        class_="bar",
    )
