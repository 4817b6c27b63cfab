"""Copies of rows are told where chance does not explain them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GroupKFold

import saddleback as sb
from saddleback.learn.evidence.copied_rows import copied_rows

from .models import QUICK

RNG = np.random.default_rng(0)
N = 600


def spread(n=N, decimals=2):
    """Two measurements, rounded, and an age."""
    return np.column_stack([RNG.normal(size=(n, 2)).round(decimals), RNG.integers(18, 80, n)])


def labels(n=N):
    return [RNG.integers(2, size=n), RNG.integers(3, size=n)]


def with_copies(X, columns, share):
    extra = RNG.choice(len(X), int(share * len(X)), replace=False)
    index = RNG.permutation(np.concatenate([np.arange(len(X)), extra]))
    return X[index], [column[index] for column in columns]


@pytest.mark.parametrize("share", [0.05, 0.1, 1.0])
@pytest.mark.parametrize("decimals", [2, 15])
def test_copies_are_found(share, decimals):
    X, columns = with_copies(spread(decimals=decimals), labels(), share)
    found = copied_rows(X, columns)
    _, place, counts = np.unique(np.column_stack([X, *columns]), axis=0, return_inverse=True, return_counts=True)
    assert found.tolist() == (counts[place.ravel()] > 1).tolist()
    assert found.sum() >= 2 * int(share * N)


def test_a_row_with_another_target_or_group_is_no_copy():
    X, columns = with_copies(spread(decimals=15), labels(), 0.2)
    for changed in range(2):
        other = list(columns)
        other[changed] = np.arange(len(X))
        assert not copied_rows(X, other).any()


def test_few_copies_are_not_told():
    X, columns = with_copies(spread(), labels(), 0.005)
    assert not copied_rows(X, columns).any()


@pytest.mark.parametrize("n", [300, 3000, 30_000])
def test_rows_that_are_equal_by_chance_are_no_copies(n):
    """As in a table of ages, records and little else: most rows are equal to others."""
    records = np.minimum(RNG.geometric(0.4, n) - 1, 20)
    X = np.column_stack([RNG.integers(18, 70, n), records, RNG.poisson(0.1, n), RNG.poisson(0.2, n)])
    columns = labels(n)
    assert len(np.unique(np.column_stack([X, *columns]), axis=0)) < n
    assert not copied_rows(X, columns).any()


@pytest.mark.parametrize("n", [500, 5000])
def test_levels_of_a_category_are_one_column(n):
    """Two rows that differ in one category differ in two of its columns of zeros and ones."""
    X = np.column_stack([np.eye(k)[RNG.integers(k, size=n)] for k in (5, 4, 3, 6)])
    assert not copied_rows(X, labels(n)).any()


def test_what_is_not_looked_at():
    X, columns = with_copies(spread(), labels(), 1.0)
    assert not copied_rows(sparse.csr_array(X), columns).any()
    assert not copied_rows(X[:5], [column[:5] for column in columns]).any()


def fitted(X, group, **options):
    y = X[:, 0] + 0.5 * X[:, 1] + RNG.logistic(size=len(X)) > 0
    twice = np.concatenate([np.arange(len(X)), np.arange(0, len(X), 4)])
    person = twice.copy()
    cv = options.pop("cv", 3)
    if cv == "persons":
        cv = list(GroupKFold(3).split(X[twice], y[twice], person))
    model = sb.MinimaxClassifierCV(worst_weights=[0], priors=[0], l2s=[0.1], cv=cv, repeats=1)
    return model.fit(X[twice], y[twice], group[twice])


def test_held_out_rows_that_were_trained_on_are_told():
    X, group = spread(200), np.arange(200) % 2
    quick = {name: value for name, value in QUICK.items() if name != "folds"}
    words = fitted(X, group).evidence(**quick)["rows"]["held_out_words"]
    told = words.split(". ")[-1] if ". " in words else words
    assert told.endswith(
        "held-out rows are exact copies of rows that their models were trained on: held-out figures are too good."
    )
    assert 60 <= int(words.split(" of the 250 held-out rows")[0].split()[-1]) <= 100
    apart = fitted(X, group, cv="persons").evidence(**quick)["rows"]["held_out_words"]
    assert "copies" not in apart, "splits that keep copies together hold out rows that are new"
