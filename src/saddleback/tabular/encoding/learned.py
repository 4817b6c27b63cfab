"""What is learned of one column."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..names import quoted, to_type
from .finding import Finding, note, warning
from .leakage import Sample
from .rules import ColumnRule, DroppedRule


@dataclass(frozen=True, eq=False)
class Learned:
    """A rule, what was noticed, and sampled values to compare with the target.

    There is no sample where the column is left out. ``is_time``: it holds dates or times, and must be refused.
    """

    rule: ColumnRule
    findings: list[Finding] = field(default_factory=list)
    sample: Sample | None = None
    is_time: bool = False


def left_out(name: str, why: str) -> Learned:
    """A column of one value."""
    return Learned(
        DroppedRule(name, f"left out: {why}"), [note(name, "constant", f"{quoted(name)} is left out: {why}.")]
    )


def identifier(name: str, why: str) -> Learned:
    """A column that names the rows."""
    keep = f"If it describes the rows, keep it: {to_type('--keep', [name])} (keep=)."
    told = f"{quoted(name)} is left out as an identifier: {why}. {keep}"
    return Learned(DroppedRule(name, f"left out: an identifier ({why})"), [warning(name, "identifier", told)])
