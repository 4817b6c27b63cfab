"""Dates and times written as text."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?( ?[ap]m)?( ?(z|utc|[+-][0-9]{2}:?[0-9]{2}))?"
_DATES = (
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}",
    r"[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{4}|[0-9]{2})",
    rf"[0-9]{{1,2}}[ -]{_MONTH}[ -][0-9]{{2,4}}",
    rf"{_MONTH} [0-9]{{1,2}},? [0-9]{{4}}",
)
PATTERN = rf"(?i)^(({'|'.join(_DATES)})([t ,]+({_CLOCK}|[0-9]{{2}}z?))?|{_CLOCK})$"
# Looked at first: most texts are ruled out by a few.
FEW = 100


def are_times(levels: pa.StringArray) -> bool:
    """Whether all of these texts are dates or times of day."""
    if len(levels) == 0 or not _match(levels[:FEW]):
        return False
    return _match(levels)


def _match(levels: pa.StringArray) -> bool:
    return bool(pc.all(pc.match_substring_regex(levels, PATTERN)).as_py())
