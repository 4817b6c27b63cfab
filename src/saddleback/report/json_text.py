"""The evidence as JSON, for a file and inside of a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .schema import check_evidence


def render_json(evidence: Mapping[str, Any]) -> str:
    """The evidence as JSON text with every digit.

    The keys of the report stand in its order. A list of numbers is one line, so that tables stay readable.

    Parameters
    ----------
    evidence : dict
        The evidence, as ``model.evidence()`` returns it.

    Returns
    -------
    str

    Examples
    --------
    >>> import json
    >>> from saddleback.report import render_json
    >>> with open("report.json") as file:               # doctest: +SKIP
    ...     same = render_json(json.load(file))
    """
    return _write(check_evidence(evidence), "") + "\n"


def script_json(data: Any) -> str:
    """JSON that may stand inside of a script element: no character of it can end the element or a line."""
    written = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return written


def _write(value: Any, indent: str) -> str:
    deeper = indent + " "
    if isinstance(value, dict) and value:
        entries = (f"{deeper}{_plain(key)}: {_write(entry, deeper)}" for key, entry in value.items())
        return "{\n" + ",\n".join(entries) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(entry, dict | list) for entry in value):
        return "[\n" + ",\n".join(f"{deeper}{_write(entry, deeper)}" for entry in value) + f"\n{indent}]"
    return _plain(value)


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
