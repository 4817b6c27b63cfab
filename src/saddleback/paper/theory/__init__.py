"""Does the theory describe what happens? Its rates and costs, measured next to what the paper predicts.

One module per statement: ``rate`` (the theorem on Algorithm 1: 1/T^2), ``newton_steps`` (the corollary on Algorithm 2:
sqrt(J) log(J G t) Newton steps) and ``costs`` (the table of complexities: d J^2 + J^3.5 per iteration).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from . import costs, newton_steps, rate
from .scaling import COLUMNS

SCALES = ("tiny", "small", "full")


class Check(Protocol):
    """What a module of this package offers: numbers, and three ways to show them."""

    @property
    def PANELS(self) -> tuple[str, ...]:
        """What the measured numbers are drawn against."""

    def measure(self, scale: str, seed: int, tick: Callable[[str], None]) -> dict[str, Any]:
        """The numbers, ready for JSON (None where there is none); ``tick`` is told what comes next."""

    def rows(self, data: dict[str, Any]) -> list[dict[str, Any]]:
        """One row per measured number, with the columns ``check, x_name, x, series, measured, predicted``."""

    def text(self, data: dict[str, Any]) -> str:
        """Markdown: what was found, and the table of slopes, ratios and exponents."""

    def draw(self, data: dict[str, Any], panels: Sequence[Any]) -> None:
        """One panel of matplotlib for each of ``PANELS``: measured as markers, theory dashed."""


CHECKS: dict[str, Check] = {"rate": rate, "newton_steps": newton_steps, "costs": costs}

__all__ = ["CHECKS", "COLUMNS", "SCALES", "Check"]
