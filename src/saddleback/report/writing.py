"""Writing a report to a file: the page, the model card or the JSON, by the suffix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ..machine.destination import check_place as check_any_place
from ..machine.destination import write_file
from .html import render_html
from .json_text import render_json
from .markdown import render_markdown

WRITERS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    ".html": render_html,
    ".htm": render_html,
    ".md": render_markdown,
    ".json": render_json,
}
SUFFIXES = {".html": "a page", ".htm": "a page", ".md": "a model card", ".json": "the numbers"}
"""What the writers write."""


def write_report(evidence: Mapping[str, Any], path: str | PathLike[str]) -> Path:
    """Write a report of a model to a file.

    The file is complete or not there: it is written beside its place and then moved.

    Parameters
    ----------
    evidence : dict
        The evidence, as ``model.evidence()`` returns it.
    path : path
        Where to write: .html for a page, .md for a model card, .json for the numbers.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    ProblemError
        If the evidence is not evidence, the suffix is unknown, or the file cannot be written.

    Examples
    --------
    >>> from saddleback.report import write_report
    >>> write_report(model.evidence(), "report.html")       # doctest: +SKIP
    """
    place = check_place(path)
    written = WRITERS[place.suffix.lower()](evidence)
    write_file(place, lambda file: file.write(written.encode()))
    return place


def check_place(path: str | PathLike[str]) -> Path:
    """Refuse a path that no report can be written to, before anything is computed."""
    return check_any_place(path, "path", suffixes=SUFFIXES)
