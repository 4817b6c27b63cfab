"""Writing a report to a file: the page, the model card or the JSON, by the suffix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import ProblemError
from ..machine.files import atomic
from .html import render_html
from .json_text import render_json
from .markdown import render_markdown

WRITERS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    ".html": render_html,
    ".htm": render_html,
    ".md": render_markdown,
    ".json": render_json,
}


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
    try:
        with atomic(place) as file:
            file.write(written.encode())
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise ProblemError(f"the report cannot be written to {str(path)!r}: {reason}.") from error
    return place


def check_place(path: str | PathLike[str]) -> Path:
    """Refuse a path that no report can be written to, before anything is computed."""
    try:
        place = Path(path)
    except TypeError as error:
        raise ProblemError(f"the path of a report must be a text or a path; got {type(path).__name__}.") from error
    name = str(path)
    if place.suffix.lower() not in WRITERS:
        known = "'.html' (a page), '.md' (a model card) or '.json' (the numbers)"
        raise ProblemError(f"the path of a report must end in {known}; got {name!r}.")
    try:
        is_directory, has_directory = place.is_dir(), place.parent.is_dir()
    except (OSError, ValueError) as error:
        raise ProblemError(f"the report cannot be written to {name!r}: {error}.") from error
    if is_directory:
        raise ProblemError(f"the report cannot be written to {name!r}: it is a directory; name a file in it.")
    if not has_directory:
        raise ProblemError(f"the report cannot be written to {name!r}: there is no directory {str(place.parent)!r}.")
    return place
