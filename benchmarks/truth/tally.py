"""Counts of violations, and their limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..writing import markdown

# Counted in every section: exceptions that the judge does not expect.
RAISED = "unexpected exceptions"


@dataclass(frozen=True)
class Outcome:
    """The findings of one run."""

    counts: Mapping[str, bool]
    """For each count that the run belongs to: whether it is counted."""
    row: str = ""
    """The kind of the run, a row of the table of endings; empty if there was no run."""
    ending: str = ""
    """How the run ended, a column of that table."""
    note: str = ""
    """Details for a failing case."""
    sums: Mapping[str, float] = field(default_factory=dict)
    """Numbers that are added up, for ratios."""


@dataclass(frozen=True)
class Share:
    """A count of at most this share of the runs; None if there is no limit."""

    name: str
    at_most: float | None = 0.0

    def row(self, tally: Tally) -> Row:
        found, of = tally.found[self.name], tally.of[self.name]
        if self.at_most is None:
            return Row(self.name, str(found), str(of), "-", True)
        most = int(self.at_most * of + 1e-9)
        allowed = f"{most}" if self.at_most == 0.0 else f"{most} ({100 * self.at_most:g} %)"
        return Row(self.name, str(found), str(of), allowed, found <= most)


@dataclass(frozen=True)
class Ratio:
    """The ratio of two sums, with an upper limit."""

    name: str
    top: str
    bottom: str
    at_most: float

    def row(self, tally: Tally) -> Row:
        top, bottom = tally.sums[self.top], tally.sums[self.bottom]
        of = f"{top:.0f} / {bottom:.0f}"
        if bottom == 0.0:
            return Row(self.name, "-", of, f"{self.at_most:g}", top == 0.0)
        return Row(self.name, f"{top / bottom:.3f}", of, f"{self.at_most:g}", top <= self.at_most * bottom)


Limit = Share | Ratio


@dataclass(frozen=True)
class Row:
    """One count as it is printed."""

    name: str
    found: str
    of: str
    allowed: str
    kept: bool

    def cells(self) -> tuple[str, ...]:
        verdict = "-" if self.allowed == "-" else "kept" if self.kept else "EXCEEDED"
        return self.name, self.found, self.of, self.allowed, verdict


HEADER = ("count", "found", "of", "allowed", "verdict")


@dataclass
class Tally:
    """The outcomes of one section, added up."""

    found: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    sums: Counter[str] = field(default_factory=Counter)
    endings: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            if outcome.row:
                self.endings.setdefault(outcome.row, Counter())[outcome.ending] += 1
            for name, counted in outcome.counts.items():
                self.of[name] += 1
                self.found[name] += bool(counted)
            for name, amount in outcome.sums.items():
                self.sums[name] += amount  # type: ignore[assignment]

    def rows(self, limits: Sequence[Limit]) -> list[Row]:
        """One row per limit, then the exceptions."""
        return [limit.row(self) for limit in (*limits, Share(RAISED))]

    def endings_table(self) -> str:
        """How runs ended, by their kind."""
        columns = sorted({ending for row in self.endings.values() for ending in row})
        rows = [[name, *(self.endings[name][c] or "" for c in columns)] for name in sorted(self.endings)]
        return markdown(["runs", *columns], rows)


def counts_table(rows: Iterable[Row]) -> str:
    """The counts as Markdown."""
    return markdown(HEADER, [row.cells() for row in rows])
