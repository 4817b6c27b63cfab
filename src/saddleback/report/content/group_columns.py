"""The columns of the group tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..blocks import Cell, Column, Number
from ..formatting import code_for
from .source import Entry, code_of_errors, code_of_intervals, with_error, with_interval


@dataclass(frozen=True)
class Measure:
    """A column: its key, its head, and whether it is a share of rows or a signed number."""

    key: str
    title: str
    percent: bool = False
    signed: bool = False
    error: str = ""


MEASURES = (
    Measure("rows", "Rows"),
    Measure("share", "Share, %", percent=True),
    Measure("loss", "Loss"),
    Measure("average_loss", "Loss of the baseline"),
    Measure("change", "Change (error)", signed=True, error="change_error"),
    Measure("accuracy", "Accuracy, %", percent=True),
    Measure("true_positive_rate", "True positive rate, %", percent=True),
    Measure("false_positive_rate", "False positive rate, %", percent=True),
    Measure("selection_rate", "Selection rate, %", percent=True),
    Measure("impact_ratio", "Impact ratio"),
    Measure("base_rate", "Base rate, %", percent=True),
    Measure("calibration", "Calibration", signed=True),
    Measure("mean_absolute_error", "Mean absolute error"),
    Measure("mean_error", "Mean error", signed=True),
)

WITHOUT_INTERVAL = ("rows", "share", "average_loss", "base_rate", "calibration")
"""Columns whose intervals are left to the JSON: they would hide those that matter."""


def columns_of(entries: Sequence[Entry]) -> list[tuple[Measure, str]]:
    """The columns that these rows have, with the codes of their numbers."""
    return [(measure, _code(measure, entries)) for measure in MEASURES if any(measure.key in row for row in entries)]


def head(measure: Measure, baseline: str) -> Column:
    return Column(f"Loss, {baseline.removeprefix('the ')}" if measure.key == "average_loss" else measure.title)


def cell(measure: Measure, code: str, entry: Entry, base: str) -> Cell:
    """The cell of a group in a column."""
    if measure.error:
        return with_error(entry, base, measure.key, measure.error, code)
    if measure.key in WITHOUT_INTERVAL:
        return Number((entry.get(measure.key),), (f"{base}/{measure.key}",), code)
    return with_interval(entry, base, measure.key, code)


def _code(measure: Measure, entries: Sequence[Entry]) -> str:
    if measure.key == "rows":
        return "d"
    if measure.key == "share":
        return code_for([], percent=True)
    if measure.error:
        return code_of_errors(entries, measure.key, measure.error, signed=measure.signed)
    if measure.key == "average_loss":
        # Beside the loss that it is compared with.
        return code_of_intervals(entries, "loss")
    return code_of_intervals(entries, measure.key, percent=measure.percent, signed=measure.signed)
