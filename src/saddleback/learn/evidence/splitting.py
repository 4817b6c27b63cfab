"""The rows that judge the models of a page: outer folds, one split, or rows of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing

from ..._validation import whole
from ...errors import ProblemError
from ..data.folds import Split, is_count, make_splits, stratified_folds
from ..data.rows import Rows
from ..groups.levels import Levels
from .attributes import subset_of
from .copied_rows import copied_words
from .subject import Subject

OUTER_FOLDS = 5
SPLIT_ABOVE = 20_000
"""Rows above which one split takes the place of outer folds: a fifth of them leaves standard errors small."""
MOST_ROWS = 50_000
"""Rows that models are compared on at most; more are sampled. A boosted model of so many rows takes seconds."""

FOLDS, SPLIT, TEST = "outer folds", "split", "test file"


@dataclass(frozen=True, eq=False)
class Part:
    """One training of all models, and the rows that it leaves out."""

    train: NDArray[np.intp]
    """Among the rows of the subject."""
    test: NDArray[np.intp]
    """Among the held-out rows."""
    cv: list[Split] | None = None
    """The splits of the selection among ``train``, where the user has passed splits; else folds are drawn."""


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """Rows that have no part in the fits and selections that they judge."""

    rows: Rows
    X: Any
    given: Any
    attributes: dict[str, Levels]
    parts: list[Part]
    kind: str
    words: str
    sampled: str | None = None

    def __len__(self) -> int:
        return len(self.rows)


def split_rows(subject: Subject, folds: Any, random_state: Any) -> HeldOutRows:
    """Outer folds, or one split of many rows. Splits of the user, which keep rows together, are the outer folds."""
    n, rng = len(subject.rows), np.random.default_rng(random_state)
    auto = isinstance(folds, str) and folds == "auto"
    if not auto:
        folds = whole(folds, "folds", minimum=2)
        if folds > n:
            raise ProblemError(f"folds must be at most the number of rows, {n}; got {folds}.")
    index, sampled = _sample(subject.rows, rng)
    own = _splits_of_the_user(subject) if auto else None
    if own is not None:
        return _held_out(
            subject, own, FOLDS, f"The {len(own)} splits that were passed as cv; {_repeated(subject)}.", None
        )
    rows = subject.rows if sampled is None else subject.rows.subset(index)
    single = auto and n > SPLIT_ABOVE
    k = OUTER_FOLDS if auto else folds
    numbers = stratified_folds(rows.groups, rows.y, min(k, len(rows)), rng)
    last = 1 if single else int(numbers.max()) + 1
    parts = [(index[numbers != j], index[numbers == j], None) for j in range(last)]
    if single:
        words = (
            "One split, four fifths of the rows to train on and a fifth to judge by, stratified by group and target."
        )
        return _held_out(subject, parts, SPLIT, words, sampled)
    return _held_out(
        subject, parts, FOLDS, f"{last} folds, stratified by group and target; {_repeated(subject)}.", sampled
    )


def _repeated(subject: Subject) -> str:
    """What was done in every fold."""
    if subject.corrects and isinstance(subject.model.estimator, FrozenEstimator):
        return (
            "in each of them the correction was chosen and fitted on the other rows, while the model that is corrected "
            "stayed as it is, so that the rows must be new to it"
        )
    return "in each of them everything was repeated on the other rows, the choice included"


def _sample(rows: Rows, rng: np.random.Generator) -> tuple[NDArray[np.intp], str | None]:
    """At most ``MOST_ROWS`` of the rows, with every group and class as often as among all."""
    n = len(rows)
    if n <= MOST_ROWS:
        return np.arange(n), None
    order = np.lexsort((rng.random(n), rows.y, *rows.groups.numbers.T[::-1]))
    # One row, at random, of each of MOST_ROWS stretches of equal length.
    ends = np.linspace(0, n, MOST_ROWS + 1).astype(np.intp)
    chosen = np.sort(order[rng.integers(ends[:-1], ends[1:])])
    words = (
        f"Models are compared on {MOST_ROWS:,} of the {n:,} rows, drawn so that every group and target has its share."
    )
    return chosen, words


def sample_of(rows: Rows, random_state: Any) -> NDArray[np.intp]:
    """The numbers of at most ``MOST_ROWS`` rows, for models that take long."""
    return _sample(rows, np.random.default_rng(random_state))[0]


def _held_out(
    subject: Subject, parts: list[tuple[Any, Any, Any]], kind: str, words: str, sampled: str | None
) -> HeldOutRows:
    places = np.sort(np.concatenate([test for _, test, _ in parts]))
    made = [Part(train, np.searchsorted(places, test), cv) for train, test, cv in parts]
    everything = places.size == len(subject.rows)
    return HeldOutRows(
        subject.rows if everything else subject.rows.subset(places),
        subject.X if everything else _safe_indexing(subject.X, places),
        subject.given if everything else _safe_indexing(subject.given, places),
        subset_of(subject.attributes, places),
        made,
        kind,
        words + copied_words(subject.rows, parts),
        sampled,
    )


def _splits_of_the_user(subject: Subject) -> list[tuple[Any, Any, Any]] | None:
    """The splits of a ``cv`` that is no number: each row is held out where it is for the first time.

    Within the training rows of a split the other splits choose, without the rows that are held out.
    """
    cv = getattr(subject.model, "cv", None)
    if is_count(cv):
        return None
    splits = make_splits(cv, 1, subject.rows, None)
    parts, seen = [], np.zeros(len(subject.rows), dtype=np.bool_)
    for number, (train, test) in enumerate(splits):
        fresh = test[~seen[test]]
        seen[fresh] = True
        if fresh.size:
            others = splits[:number] + splits[number + 1 :]
            parts.append((train, fresh, _within(others, train, len(subject.rows))))
    return parts


def _within(splits: list[Split], train: NDArray[np.intp], n: int) -> list[Split] | None:
    """The splits among some rows, numbered anew; None where fewer than two are left."""
    number = np.full(n, -1)
    number[train] = np.arange(train.size)
    renumbered = [(number[a], number[b]) for a, b in splits]
    kept = [(a[a >= 0], b[b >= 0]) for a, b in renumbered if (a >= 0).any() and (b >= 0).any()]
    covered = np.zeros(train.size, dtype=np.bool_)
    for _, test in kept:
        covered[test] = True
    return kept if len(kept) > 1 and covered.all() else None
