"""Bootstrap resamples of the rows, stratified by group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..._types import Matrix
from ..data.retained import Trained
from ..data.rows import Rows
from ..fitting.candidate import Candidate
from ..groups import Groups
from ..selection.choosing import best_average, choose_candidate


@dataclass(frozen=True, eq=False)
class Strata:
    """The rows in the order of their groups, so that every resample has as many rows of each group."""

    order: NDArray[np.intp]
    first: NDArray[np.intp]
    size: NDArray[np.intp]

    @classmethod
    def of(cls, groups: Groups) -> Strata:
        """Strata are groups; where these overlap, their combinations."""
        codes = np.unique(groups.numbers, axis=0, return_inverse=True)[1].reshape(-1)
        order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)
        return cls(order, np.repeat(np.cumsum(sizes) - sizes, sizes), np.repeat(sizes, sizes))

    def draw(self, rng: np.random.Generator) -> NDArray[np.intp]:
        """The numbers of n rows, drawn with replacement within each stratum."""
        return self.order[self.first + (rng.random(self.order.size) * self.size).astype(np.intp)]

    def counted(self, rng: np.random.Generator) -> NDArray[np.uint8]:
        """How often each row is drawn, for large tables: 255 times at most, which is more than any row will be."""
        return np.bincount(self.draw(rng), minlength=self.order.size).astype(np.uint8)


def scored_rows(trained: Trained) -> Rows:
    """The targets, groups and weights of the rows that have out-of-fold scores; without features."""
    rows, index = trained.rows, trained.index
    if index is None:
        return Rows(np.empty((len(rows), 0)), rows.y, rows.groups, rows.weight)
    return Rows(np.empty((index.size, 0)), rows.y[index], rows.groups.subset(index), trained.weight)


def resampled_choices(
    scores: Matrix,
    candidates: list[Candidate],
    rows: Rows,
    rule: str,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    average: int | None = None,
) -> tuple[list[int], list[bool]]:
    """What the rule takes on resamples of the out-of-fold scores, and whether it keeps the average model.

    A resample repeats rows, and the rule takes its n rows for independent: then its standard errors are those of the
    resample. Multiplicities as weights would not do: the errors of a weighted mean are sqrt(2) times as large, because
    weights m of mean 1 and variance 1 have the mean square 2. Nothing is fitted. ``average`` is the model that is kept;
    by default an average model of any penalty, compared from that of the penalty that is best on the resample. ``rows``
    need no features.
    """
    strata, chosen, kept = Strata.of(rows.groups), [], []
    for _ in range(n_resamples):
        index = strata.draw(rng)
        drawn, resampled = scores[index], rows.subset(index)
        base = best_average(drawn, candidates, resampled) if average is None else average
        choice = choose_candidate(drawn, resampled, base, rule)
        chosen.append(choice.chosen)
        kept.append(candidates[choice.chosen].is_average if average is None else choice.chosen == average)
    return chosen, kept
