"""Runs the contestants on the tables, table by table, and keeps what is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .contestants import Contestant
from .nested import Judged, fingerprint, judge
from .store import load, path_of, save
from .summary import Summary, summarize
from .tables import Table

REPEATED = ("average", "selected")
"""What is fitted for further drawings of the outer folds: the rule is judged by them, the others are not."""


@dataclass(frozen=True)
class Plan:
    """What is run: tables by name, read when their turn comes; contestants; seeds of the outer folds."""

    tables: Mapping[str, Callable[[], Table]]
    contestants: Mapping[str, Contestant]
    splits: Iterable[int]
    directory: Path
    fresh: bool = False
    """Whether what is stored is computed again."""


def carry_out(plan: Plan, tell: Callable[[str], None] = print) -> list[Summary]:
    """The figures of all contestants on all tables, split by split."""
    return [
        summary
        for split in plan.splits
        for name, read in plan.tables.items()
        for summary in study_table(plan, split, name, read(), tell)
    ]


def study_table(plan: Plan, split: int, name: str, table: Table, tell: Callable[[str], None]) -> list[Summary]:
    """Every contestant that applies to the table, from its file where there is one."""
    judged: dict[str, Judged] = {}
    mark = fingerprint(table, split)
    entered = [c for c in plan.contestants.values() if enters(c, table, split)]
    for contestant in entered:
        path = path_of(plan.directory, name, split, contestant.name)
        stored = None if plan.fresh else load(path, mark)
        if stored is None:
            stored = judge(table, contestant, split)
            save(path, stored, mark)
            tell(f"{name}, split {split}: {contestant.name}, {stored.seconds:.1f} s")
        judged[contestant.name] = stored
    return [summarize(name, split, table, contestant, judged) for contestant in entered]


def enters(contestant: Contestant, table: Table, split: int) -> bool:
    """Whether the contestant applies to the table, and to this drawing of the folds."""
    return (table.classes or not contestant.classes_only) and (split == 0 or contestant.name in REPEATED)
