"""The whole report: its sections in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..blocks import Bullets, Details, Page, Section
from ..formatting import write_number
from ..names import FULL_LENGTH, IN_FULL, visible
from .answer import OUTCOMES, answer_section
from .calibration import calibration_section
from .certificate import certificate_section
from .challengers import challengers_section
from .coefficients import coefficients_section
from .data import data_section
from .groups import groups_section
from .guidance import guidance_section, limits_section
from .objective import objective_section
from .provenance import provenance_section
from .source import Source
from .stability import stability_section
from .tradeoff import tradeoff_section

SECTIONS = (
    answer_section,
    objective_section,
    groups_section,
    tradeoff_section,
    challengers_section,
    certificate_section,
    stability_section,
    coefficients_section,
    calibration_section,
    data_section,
    limits_section,
    provenance_section,
)
"""All sections but that of the guidance, which links to the others and stands before the last."""


def make_page(evidence: Mapping[str, Any]) -> Page:
    """The report of some evidence, which has been checked."""
    source = Source(evidence)
    sections = [make(source) for make in SECTIONS]
    titles = {section.title: section.id for section in sections}
    sections.insert(-1, guidance_section(source, titles))
    title = source.names.prose(evidence["title"]) or "Report of a model"
    subtitle = "Classification" if evidence["task"] == "classification" else "Regression"
    if evidence["positive"] is not None:
        subtitle += f"; positive class: {source.isolated(evidence['positive'])}"
    if evidence["threshold"] is not None:
        subtitle += f", from a probability of {write_number(evidence['threshold'], 'g')} on"
    if source.names.shortened:
        last = sections[-1]
        sections[-1] = Section(last.id, last.title, (*last.blocks, _in_full(source)))
    outcome = OUTCOMES[evidence["outcome"]].format(baseline=source.baseline)
    return Page(title, outcome, subtitle, tuple(sections))


def _in_full(source: Source) -> Details:
    listed = list(source.names.shortened.items())
    items = tuple(f"[long text {k}] {visible(text)[:FULL_LENGTH]}" for text, k in listed[:IN_FULL])
    rest = f"; {len(listed) - IN_FULL:,} more are in the JSON report" if len(listed) > IN_FULL else ""
    return Details(f"Texts that are shortened above, in full{rest}", (Bullets(items, "long"),))
