"""Elements of SVG as text, and scales from data to percent of a chart's width or height.

Positions are percent of the chart, so that it fills a phone or a sheet of paper while its letters keep their size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

from ..formatting import write_number

LEAST_RANGE = 1e-100
"""Numbers that differ by less are drawn as one."""


def element(name: str, *children: str, **attributes: object) -> str:
    """An element whose children are elements already; ``text`` makes one of a text. Underscores stand for hyphens.

    >>> element("text", text("a < b"), x="5%", class_="label")
    '<text x="5%" class="label">a &lt; b</text>'
    """
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{shown}>{''.join(children)}</{name}>" if children else f"<{name}{shown}/>"


def text(words: str) -> str:
    """A text as it stands in SVG."""
    return escape(words)


def percent(position: float) -> str:
    """A position as an attribute, with as many digits as a screen can show."""
    return f"{position:.2f}".rstrip("0").rstrip(".") + "%"


@dataclass(frozen=True)
class Scale:
    """Data from ``low`` to ``high`` as percent from ``start`` to ``end``."""

    low: float
    high: float
    start: float = 0.0
    end: float = 100.0

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)


def scale_of(
    values: Iterable[float | None], *, from_zero: bool = False, start: float = 0.0, end: float = 100.0
) -> Scale:
    """A scale whose ends are ticks outside of all values."""
    known = [value for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low <= max(1e-12 * max(abs(low), abs(high)), LEAST_RANGE):
        width = abs(low) if abs(low) > LEAST_RANGE else 1.0
        low, high = low - width / 2, high + width / 2
        low = max(low, 0.0) if from_zero and min(known, default=0.0) >= 0.0 else low
    step = tick_step(low, high)
    return Scale(floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, start, end)


def tick_step(low: float, high: float, most: int = 6) -> float:
    """The round number that cuts an interval into at most ``most`` parts."""
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    return next((factor * power for factor in (1.0, 2.0, 2.5, 5.0) if factor * power >= rough * (1 - 1e-9)), 10 * power)


def ticks(scale: Scale, most: int = 6) -> list[tuple[float, str]]:
    """The positions of ticks in percent, and their labels."""
    step = tick_step(scale.low, scale.high, most)
    n_steps = floor((scale.high - scale.low) / step + 1e-6)
    first = ceil(scale.low / step - 1e-9)
    values = [(first + i) * step for i in range(n_steps + 1)]
    largest = max(abs(scale.low), abs(scale.high))
    if largest >= 1e6 or step < 1e-5:
        return [(scale(value), f"{value:.3g}") for value in values]
    decimals = max(-floor(log10(step) + 1e-9), 0) + (1 if f"{step:.1e}".startswith("2.5") else 0)
    return [(scale(value), write_number(value, f"f{decimals}")) for value in values]
