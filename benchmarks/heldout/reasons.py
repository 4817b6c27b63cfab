"""Tables of when training for the worst group helps: noise, sizes of groups, majorities."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..writing import markdown
from .distribution import of
from .summary import Summary
from .table_text import BESIDE_AVERAGE, mean_of, signed

SIZES = (100, 400)
LINEAR = ("balanced", "worst-group", "selected")


def noise_table(summaries: Sequence[Summary]) -> str:
    """What the average model's worst group gains on the rows of the fits, and what is left of it on new rows."""
    rows = []
    for name in BESIDE_AVERAGE:
        own = of(summaries, name)
        if own:
            means = (mean_of(own, key, classes) for classes in (True, False) for key in ("training_change", "change"))
            rows.append((name, *map(signed, means)))
    header = ["model", "classes: training rows", "held-out rows", "numbers: training rows", "held-out rows"]
    return markdown(header, rows)


def size_of(s: Summary) -> str:
    """By the rows of the worst group."""
    low, high = SIZES
    return f"below {low}" if s.group_rows < low else f"{low} to {high}" if s.group_rows <= high else f"above {high}"


def rank_of(s: Summary) -> str:
    """By the place of the worst group among the groups."""
    return f"the {s.group_rank}" if s.group_rank != "between" else "neither"


def kinds_table(summaries: Sequence[Summary], title: str, kind: Callable[[Summary], str], kinds: Sequence[str]) -> str:
    """Gains by the kind of table: median change for the worst group, and tables better and worse by two errors."""
    rows = []
    for which in kinds:
        members = [[s for s in of(summaries, name) if kind(s) == which] for name in LINEAR]
        if members[0]:
            rows.append((which, len(members[0]), *map(_gain, members)))
    return markdown([title, "tables", *LINEAR], rows)


def size_table(summaries: Sequence[Summary]) -> str:
    low, high = SIZES
    kinds = (f"below {low}", f"{low} to {high}", f"above {high}")
    return kinds_table(summaries, "rows of the worst group", size_of, kinds)


def rank_table(summaries: Sequence[Summary]) -> str:
    return kinds_table(summaries, "the worst group is", rank_of, ("the largest", "neither", "the smallest"))


def _gain(members: Sequence[Summary]) -> str:
    better, worse = sum(s.z < -2 for s in members), sum(s.z > 2 for s in members)
    return f"{signed(float(np.median([s.change for s in members])))}, {better} better, {worse} worse"
