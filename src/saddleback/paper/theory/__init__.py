"""Measured rates and costs next to those that the theorems of the paper predict.

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
    """The functions of each module of this package: measurements, and their rows, text and plots."""

    @property
    def PANELS(self) -> tuple[str, ...]:
        """The quantity on the horizontal axis of each panel."""

    def measure(self, scale: str, seed: int, tick: Callable[[str], None]) -> dict[str, Any]:
        """The measurements in the types of JSON, None for missing ones; ``tick`` gets a message before each."""

    def rows(self, data: dict[str, Any]) -> list[dict[str, Any]]:
        """One row per measured number, with the columns ``check, x_name, x, series, measured, predicted``."""

    def text(self, data: dict[str, Any]) -> str:
        """Markdown: what was found, and the table of slopes, ratios and exponents."""

    def draw(self, data: dict[str, Any], panels: Sequence[Any]) -> None:
        """One panel of matplotlib for each of ``PANELS``: measured as markers, theory dashed."""


CHECKS: dict[str, Check] = {"rate": rate, "newton_steps": newton_steps, "costs": costs}

__all__ = ["CHECKS", "COLUMNS", "SCALES", "Check"]
