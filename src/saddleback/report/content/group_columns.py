"""The columns of the group tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..blocks import Cell, Column, Fact, Number, Words
from ..formatting import code_for
from .source import Entry, code_of_errors, code_of_intervals, with_error, with_interval


@dataclass(frozen=True)
class Measure:
    """A column: its key, its head, what it means, and whether it is a share of rows or a signed number."""

    key: str
    title: str
    meaning: str
    percent: bool = False
    signed: bool = False
    error: str = ""


MEASURES = (
    Measure("rows", "Rows", "How many rows the group has."),
    Measure("share", "Share, %", "Its share of all rows.", percent=True),
    Measure("loss", "Loss", "The mean loss of its rows: what was optimized."),
    Measure("average_loss", "Loss of the baseline", "The same under {baseline}."),
    Measure("change", "Change (error)", "The difference of the two, row by row.", signed=True, error="change_error"),
    Measure("selection_rate", "Selection rate, %", "Rows predicted positive.", percent=True),
    Measure(
        "impact_ratio",
        "Impact ratio",
        "The selection rate, relative to the largest of a known group that is not small.",
    ),
    Measure("true_positive_rate", "True positive rate, %", "Of the positive rows, those predicted so.", percent=True),
    Measure("false_positive_rate", "False positive rate, %", "Of the others, those predicted positive.", percent=True),
    Measure("accuracy", "Accuracy, %", "Rows whose class was predicted.", percent=True),
    Measure("base_rate", "Base rate, %", "Rows that are positive.", percent=True),
    Measure("calibration", "Calibration", "The mean prediction minus the base rate.", signed=True),
    Measure("mean_absolute_error", "Mean absolute error", "How far predictions are from the target, on average."),
    Measure("mean_error", "Mean error", "The mean of prediction minus target.", signed=True),
)

LOSSES = ("rows", "share", "loss", "average_loss", "change")
"""The columns of the first table of a grouping; the others have the second one, with the rows again."""
WITHOUT_INTERVAL = ("rows", "share", "average_loss", "base_rate", "calibration")
"""Columns whose intervals are left to the JSON: they would hide those that matter."""


def columns_of(entries: Sequence[Entry]) -> list[tuple[Measure, str]]:
    """The columns that these rows have, with the codes of their numbers."""
    return [(measure, _code(measure, entries)) for measure in MEASURES if any(measure.key in row for row in entries)]


def losses_and_rates(columns: list[tuple[Measure, str]]) -> list[list[tuple[Measure, str]]]:
    """The columns in two tables, so that each fits a screen; the second begins with the rows as well."""
    losses = [pair for pair in columns if pair[0].key in LOSSES]
    rates = [pair for pair in columns if pair[0].key not in LOSSES]
    return [losses, [pair for pair in losses if pair[0].key == "rows"] + rates] if rates else [losses]


def head(measure: Measure, baseline: str) -> Column:
    return Column(f"Loss, {baseline.removeprefix('the ')}" if measure.key == "average_loss" else measure.title)


def meanings_of(entries: Sequence[Entry], baseline: str) -> tuple[Fact, ...]:
    """What the columns of these rows mean."""
    return tuple(
        Fact(head(measure, baseline).title, Words(measure.meaning.format(baseline=baseline)))
        for measure, _ in columns_of(entries)
    )


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
