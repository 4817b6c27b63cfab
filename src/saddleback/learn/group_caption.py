"""What is said above a group table: how its columns were computed, and what they leave open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..losses.grouped.input.labels import listed

WHAT = {"probability": "probabilities", "label": "predicted labels", "value": "predicted values"}


def caption_of(attributes: Mapping[str, Any]) -> str:
    """The caption of a table with these attributes."""
    overall = ", ".join(f"{name} {attributes['overall'][name]:.4g}" for name in _headline(attributes["overall"]))
    lines = [
        f"Groups of {attributes['rows']} rows, judged by {WHAT[attributes['kind']]}; loss is the mean "
        f"{attributes['loss']} loss. Over all rows: {overall}.",
        f"Intervals of {100 * attributes['level']:g} %: {attributes['intervals']}.",
    ]
    if "unseen_labels" in attributes:
        lines.append(f"Predicted labels that y never has: {listed(attributes['unseen_labels'])}.")
    if "positive" in attributes:
        selected = f"Selected: predicted to be {attributes['positive']!r}"
        if "threshold" in attributes:
            selected += f", with a probability of at least {attributes['threshold']:g}"
        lines.append(f"{selected}.")
    if "reference" in attributes:
        named = ", ".join(map(repr, attributes["reference"]))
        lines.append(
            f"Impact ratio: selection rate relative to that of {named}, the largest among groups that are known and "
            "not small."
        )
    lines.append(f"Small: less than {100 * attributes['small_share']:g} % of the rows.")
    if attributes["rows_without_label"]:
        lines.append(f"Rows without a label of their group: {attributes['rows_without_label']}.")
    if attributes["merged"]:
        lines.append(f"Merged into (rest): {listed(list(attributes['merged']))}.")
    return "\n".join(lines)


def _headline(overall: Mapping[str, float]) -> list[str]:
    return [name for name in ("loss", "accuracy", "mean_absolute_error") if name in overall]
