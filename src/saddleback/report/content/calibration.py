"""Calibration of every group: do predictions come true as often as they say?"""

from __future__ import annotations

from ..blocks import Column, Details, Gallery, Row, Section, Table
from ..charts.calibration_curve import calibration_scale, draw_calibration
from ..formatting import code_for, spread
from .source import Source, number, with_interval

TITLE = "Calibration by group"
DRAWN = 24
"""Groups with a chart and a table: those with the most rows. The JSON has all."""


def calibration_section(source: Source) -> Section:
    calibration = source.evidence["calibration"]
    if not calibration:
        return Section("calibration", TITLE, (source.paragraph("Calibration is not computed for this kind of model."),))
    probabilities = source.evidence["task"] == "classification"
    kept = sorted(sorted(range(len(calibration)), key=lambda i: -calibration[i]["rows"])[:DRAWN])
    scale = calibration_scale([calibration[i] for i in kept], probabilities=probabilities)
    charts = []
    for i in kept:
        name, bins = source.names.name(calibration[i]["group"]), calibration[i]["bins"]
        charts.append((source.label(calibration[i]["group"]), draw_calibration(f"calibration-{i}", name, bins, scale)))
    what = "the share of rows that were positive" if probabilities else "the mean of the target"
    intro = f"Rows are put into bins by their prediction; in every bin the mean prediction is compared with {what}."
    if len(kept) < len(calibration):
        intro += (
            f" Shown are the {len(kept)} groups with the most rows of {len(calibration):,}; the JSON report has all."
        )
    caption = (
        "Held-out rows: predicted (across) and observed (up), with intervals of 95 %. On the dotted line predictions"
        " come true as they say. A larger dot has more rows."
    )
    details = Details("The numbers of these charts", (_table(source, kept, probabilities),))
    return Section("calibration", TITLE, (source.paragraph(intro), Gallery(tuple(charts), caption), details))


def _table(source: Source, kept: list[int], probabilities: bool) -> Table:
    calibration = source.evidence["calibration"]
    bins = [bin for i in kept for bin in calibration[i]["bins"]]
    values = [bin[key] for bin in bins for key in ("predicted", "observed")]
    code = code_for(values, [spread(bin["low"], bin["high"]) for bin in bins])
    columns = (Column("Group", "text"), Column("Rows"), Column("Predicted"), Column("Observed"))
    rows = []
    for i in kept:
        for k, bin in enumerate(calibration[i]["bins"]):
            base = f"/calibration/{i}/bins/{k}"
            entry = {"observed": bin["observed"], "observed_low": bin["low"], "observed_high": bin["high"]}
            observed = with_interval(entry, base, "observed", code)
            refs = tuple(f"{base}/{key}" for key in ("observed", "low", "high"))[: len(observed.values)]
            cells = (
                source.label(calibration[i]["group"]),
                number(bin, base, "rows", "d"),
                number(bin, base, "predicted", code),
                type(observed)(observed.values, refs, observed.code, observed.form),
            )
            rows.append(Row(cells, base))
    return Table(
        "calibration-table",
        "Predicted and observed by bins of the prediction, held-out rows",
        columns,
        tuple(rows),
        filtered=len(rows) > 40,
    )
