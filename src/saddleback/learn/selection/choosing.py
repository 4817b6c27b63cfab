"""From out-of-fold scores to a choice: the rules by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..._types import Matrix
from ...errors import ProblemError
from ...losses.grouped.memberships import Memberships
from ..data.rows import Rows
from ..fitting.candidate import Candidate
from .one_se import Choice, choose_one_se

ONE_SE, BEST = "one_se", "best"
RULES = (ONE_SE, BEST)


def read_rule(rule: Any) -> str:
    """ "one_se" or "best"."""
    if not (isinstance(rule, str) and rule in RULES):
        raise ProblemError(f"rule must be one of {', '.join(map(repr, RULES))}; got {rule!r}.")
    return rule


def memberships_of(rows: Rows) -> Memberships:
    """The pairs (row, group) with the sample weights of the rows."""
    groups = rows.groups
    weight = np.ones(groups.rows.size) if rows.weight is None else rows.weight[groups.rows]
    return Memberships.of(len(rows), groups.names, groups.rows, groups.groups, weight)


def choose_candidate(scores: Matrix, rows: Rows, average: int, rule: str) -> Choice:
    """The choice by out-of-fold scores (n, C); ``average`` is kept where nothing is to be gained.

    "one_se" is `choose_one_se`. "best" takes the least score of the worst group, whatever its noise and its price.
    """
    _check_scored(~np.isnan(scores[:, average]))
    choice = choose_one_se(scores, memberships_of(rows), average, row_weights=rows.weight)
    return choice if rule == ONE_SE or len(rows.groups.names) == 1 else replace(choice, chosen=choice.best)


def best_average(scores: Matrix, candidates: list[Candidate], rows: Rows) -> int:
    """The ordinary model of the penalty with the least average score; of equal ones the largest penalty."""
    counted = ~np.isnan(scores).any(axis=1)
    _check_scored(counted)
    weight = None if rows.weight is None else rows.weight[counted]
    averages = np.flatnonzero([candidate.is_average for candidate in candidates])
    means = np.average(scores[:, averages][counted], axis=0, weights=weight)
    return int(averages[np.argmin(means)])


def _check_scored(counted: Any) -> None:
    if not counted.any():
        raise ProblemError("scoring must give a number for some rows; got none for every row.")
