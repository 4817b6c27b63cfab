"""A line search for convex functions with kinks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar


class OnLine(Protocol):
    """A point of the line: its value and its slope along the line."""

    @property
    def value(self) -> float: ...
    @property
    def slope(self) -> float: ...


P = TypeVar("P", bound=OnLine)


@dataclass(frozen=True)
class LineSearchControl:
    """The numbers of `convex_line_search`."""

    sufficient_decrease: float = 1e-4
    """Armijo's constant (Nocedal and Wright, section 3.1)."""
    flatter: float = 0.9
    """A step shorter than 1 must end where the slope is at most this share of the first one (Wolfe's condition): a
    shorter step would not pass the kink that made the step too long."""
    bisect_every: int = 3
    """Every third point divides the bracket instead: tangents alone converge slowly where the function is curved."""
    shrink: float = 0.1
    """The share of the bracket at which it is divided as long as it begins at 0; later in the middle."""
    max_points: int = 40
    """Points after which the search gives up: rounding errors hide the decrease."""


CONTROL = LineSearchControl()


def convex_line_search(start: P, at: Callable[[float], P], rounding: float) -> tuple[float, P] | None:
    """A step t in (0, 1] with sufficient decrease, and the point ``at(t)``; None where there is none beyond rounding.

    Tries t = 1. Then t is where the tangents at the ends of the bracket meet: the minimizer of a function with one
    kink, however near to 0 that is.
    """
    control, slope = CONTROL, start.slope
    if not slope < 0.0:
        return None
    lo, hi, low, high = 0.0, 1.0, start, start
    t = 1.0
    for k in range(control.max_points):
        point = at(t)
        decreased = point.value <= start.value + control.sufficient_decrease * t * slope + rounding
        if decreased and (t == 1.0 or point.slope >= control.flatter * slope):
            return t, point
        if decreased and point.slope < 0.0:
            lo, low = t, point
        else:
            hi, high = t, point
        width, bend = hi - lo, high.slope - low.slope
        meeting = lo + (low.value - high.value + high.slope * width) / bend if bend > 0.0 else hi
        if not lo < meeting < hi or k % control.bisect_every == control.bisect_every - 1:
            meeting = lo + (0.5 if lo > 0.0 else control.shrink) * width
        if not lo < meeting < hi:
            break
        t = meeting
    return (lo, low) if lo > 0.0 else None
