"""A finding on groups that have too few rows to confirm anything."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..selection.one_se import FEWEST_ROWS
from .attributes import group_texts
from .plain import in_sentence
from .subject import Subject

MOST_NAMED = 5
ENOUGH = 50
"""Rows that are proposed for the smallest group: with as many a standard error is a guide."""


def few_rows_findings(subject: Subject) -> list[dict[str, Any]]:
    """One note, where there are such groups; rows of unequal weight count as Kish's effective number of them."""
    groups, weight = subject.rows.groups, subject.rows.weight
    if subject.one_group:
        return []
    w = np.ones(len(subject.rows)) if weight is None else weight
    effective = (groups.matrix.T @ w) ** 2 / np.maximum(groups.matrix.T @ w**2, np.finfo(float).tiny)
    few = np.flatnonzero(np.round(effective, 6) < FEWEST_ROWS)
    if few.size == 0:
        return []
    texts = group_texts(groups)
    names = ", ".join(in_sentence(texts[j]) for j in few[:MOST_NAMED]) + (", ..." if few.size > MOST_NAMED else "")
    have = f"{few.size} groups have" if few.size > 1 else "1 group has"
    message = (
        f"{have} fewer than {FEWEST_ROWS} rows and can confirm nothing: {names}. --min-group-size {ENOUGH} "
        f"(min_group_size={ENOUGH}) merges them."
    )
    return [{"column": None, "kind": "group", "severity": "note", "message": message}]
