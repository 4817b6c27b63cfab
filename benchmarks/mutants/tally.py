"""The results of all mutants: counts by area, survivors with their reasons, and the verdict of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .mutant import Mutant
from .workspace import Answer, Verdict

LEAST_KILLED = 0.95


@dataclass(frozen=True)
class Result:
    """A mutant, the area that it is from, and the answer of its tests."""

    area: str
    mutant: Mutant
    answer: Answer

    @property
    def verdict(self) -> Verdict:
        return self.answer.verdict


@dataclass
class Tally:
    """The results so far."""

    results: list[Result] = field(default_factory=list)

    def of(self, verdict: Verdict, area: str | None = None) -> list[Result]:
        return [r for r in self.results if r.verdict is verdict and area in (None, r.area)]

    @property
    def unexplained(self) -> list[Result]:
        """Survivors without a reason."""
        return [r for r in self.of(Verdict.SURVIVED) if not r.mutant.survives]

    @property
    def stale(self) -> list[Result]:
        """Mutants that were killed, although a reason says why they survive."""
        return [r for r in self.of(Verdict.KILLED) if r.mutant.survives]

    @property
    def share_killed(self) -> float:
        return len(self.of(Verdict.KILLED)) / max(1, len(self.results))

    @property
    def kept(self) -> bool:
        """Whether enough are killed, every survivor is explained, and every mutant was tested."""
        return self.share_killed >= LEAST_KILLED and not self.unexplained and not self.of(Verdict.INVALID)

    def table(self) -> str:
        """Counts by area, as Markdown."""
        lines = ["| area | mutants | killed | survived |", "| --- | ---: | ---: | ---: |"]
        areas = list(dict.fromkeys(r.area for r in self.results))
        lines += [_row(area, [r for r in self.results if r.area == area]) for area in areas]
        return "\n".join([*lines, _row("all", self.results)])

    def remarks(self) -> list[str]:
        """What else is to be said: survivors, invalid mutants, reasons that no longer hold."""
        explained = [r.mutant for r in self.of(Verdict.SURVIVED) if r.mutant.survives]
        told = [f"survived: {mutant.name}: {mutant.survives}" for mutant in explained]
        told += [f"SURVIVED WITHOUT A REASON: {r.mutant.name}: {r.mutant.why}" for r in self.unexplained]
        told += [f"INVALID: {r.mutant.name}: {r.answer.note}" for r in self.of(Verdict.INVALID)]
        return told + [f"killed, so that its reason to survive is obsolete: {r.mutant.name}" for r in self.stale]


def _row(title: str, results: Sequence[Result]) -> str:
    killed = sum(r.verdict is Verdict.KILLED for r in results)
    survived = sum(r.verdict is Verdict.SURVIVED for r in results)
    return f"| {title} | {len(results)} | {killed} | {survived} |"
