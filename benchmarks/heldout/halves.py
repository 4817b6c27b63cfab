"""Which tables the selection rule was found on, and the figures of both halves."""

from __future__ import annotations

from collections.abc import Sequence

from ..writing import markdown
from .distribution import changed, of, without_gain, z_counts
from .recipes import FILES, WOOLDRIDGE
from .summary import Summary
from .table_text import signed

DEVELOPMENT = frozenset(
    {
        "adult by race x sex",
        "affairs by sex",
        "card by race x south",
        "catholic by race",
        "census2000 by state (wage)",
        "compas by race",
        "cps78_85 by sex x race (wage)",
        "crime1 by race",
        "drug by country",
        "econmath by sex",
        "fertil1 by race x farm (children)",
        "gpa2 by sex x race",
        "happiness by region",
        "heart by hospital",
        "htv by region (wage)",
        "injury by sex x marriage",
        "jtrain3 by race",
        "law school by race x sex",
        "loanapp by race",
        "recid by race x alcohol",
        "wagepan by race",
    }
)
VALIDATION = frozenset({*WOOLDRIDGE, *FILES} - DEVELOPMENT)


def halves_table(summaries: Sequence[Summary]) -> str:
    """The selected model on both halves, and for each drawing of the outer folds."""
    kinds = {"development": DEVELOPMENT, "validation": VALIDATION}
    rows = []
    for split in sorted({s.split for s in summaries}):
        for kind, names in kinds.items():
            members = [s for s in of(summaries, "selected", split) if s.table in names]
            if members:
                free = without_gain(members)
                price = f"{signed(free[0].overall_change)} ({free[0].table})" if free else "-"
                moved = changed(members)
                counts = z_counts(s.z for s in moved)
                rows.append((f"{kind}, drawing {split + 1}", len(members), len(moved), *counts.values(), price))
    return markdown(["half", "tables", "changed", *z_counts([]), "largest price without a gain"], rows)
