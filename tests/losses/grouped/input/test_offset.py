"""Offsets that are refused; messages say what, got, expected, remedy."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import saddleback as sb

N = 12
PLAIN = np.linspace(-1.0, 1.0, N)
CLASSES = np.tile(PLAIN[:, None], 3)


def with_entry(array, place, value):
    array = array.copy()
    array[place] = value
    return array


BAD = {
    "a number": (3.0, r"offset must have one number per row of X, shape \(12,\); got shape \(\)"),
    "too short": (PLAIN[:5], r"one number per row of X, shape \(12,\); got shape \(5,\)"),
    "a row": (PLAIN[None], r"shape \(12,\); got shape \(1, 12\)"),
    "two columns": (CLASSES[:, :2], r"shape \(12,\); got shape \(12, 2\)"),
    "frame of two columns": (pd.DataFrame(CLASSES[:, :2]), r"shape \(12,\); got shape \(12, 2\)"),
    "nan": (with_entry(PLAIN, 4, np.nan), "offset must be finite; got nan in row 4. Margins.*clip its probabilities"),
    "inf": (with_entry(PLAIN, 7, -np.inf), "offset must be finite; got -inf in row 7"),
    "null": (pl.Series([None, *PLAIN[1:]]), "offset must be finite; got nan in row 0"),
    "NA": (pd.Series([None, *PLAIN[1:]]), "offset must be finite; got nan in row 0"),
    "NA in integers": (pd.array([None, *range(11)], dtype="Int64"), "offset must"),
    "too large": (with_entry(PLAIN, 3, -1e101), r"up to 1e\+100 in absolute value.*got -1e\+101 in row 3. Clip"),
    "masked": (np.ma.masked_greater(PLAIN, 0.5), "offset must not hold masked entries; got a masked array"),
    "masked in a list": ([*PLAIN[1:], np.ma.masked_greater(PLAIN, 0.5)], "offset must not hold masked entries"),
    "text": (["1.0"] * N, "offset must hold numbers; got list"),
    "None": ([None] * N, r"offset must hold numbers; got list \(it holds None\)"),
    "ragged": ([[1.0], [1.0, 2.0]] * 6, "offset must hold numbers; got list"),
    "complex": (PLAIN + 1j, "offset must hold numbers; got ndarray"),
    "dates": (pd.Series(pd.date_range("2020", periods=N)), "offset must hold numbers; got Series"),
    "categories": (pd.Series(pd.Categorical([1, 2] * 6)), r"offset must hold numbers; got Series \(it holds categ"),
    "frame of text": (pd.DataFrame({"o": ["x"] * N}), "column 'o' of offset must hold real numbers"),
    "sparse": (sp.csr_array(PLAIN[:, None]), "offset must hold numbers; got csr_array"),
    "dict": ({"a": 1.0}, "offset must hold numbers; got dict"),
    "infinite decimal": ([Decimal("inf")] * N, "offset must be finite; got inf in row 0"),
}
BAD_OF_CLASSES = {
    "a vector": (PLAIN, r"per row of X and class, in the order of the classes 'a', 'b', 'c': shape \(12, 3\)"),
    "a column": (PLAIN[:, None], r"shape \(12, 3\); got shape \(12, 1\)"),
    "two classes": (CLASSES[:, :2], r"shape \(12, 3\); got shape \(12, 2\)"),
    "transposed": (CLASSES.T, r"shape \(12, 3\); got shape \(3, 12\)"),
    "nan": (with_entry(CLASSES, (5, 2), np.nan), "offset must be finite; got nan in row 5"),
    "too large": (with_entry(CLASSES, (5, 2), 2e100), r"got 2e\+100 in row 5"),
    "columns in another order": (
        pd.DataFrame(CLASSES, columns=["c", "a", "b"]),
        r"in the order of the classes, 'a', 'b', 'c'; got 'c', 'a', 'b'. Pass offset\[losses.classes\]",
    ),
    "polars in another order": (pl.DataFrame(CLASSES, ["b", "a", "c"]), "in the order of the classes"),
}


def losses_of(loss, offset):
    X = np.random.default_rng(0).standard_normal((N, 3))
    y = np.resize(["a", "b", "c"] if loss == "softmax" else [0, 1], N)
    return sb.GroupedLinear(X, y, np.arange(N) % 2, loss=loss, offset=offset)


@pytest.mark.parametrize("name", BAD)
def test_refused(name):
    offset, message = BAD[name]
    with pytest.raises(sb.ProblemError, match=message):
        losses_of("logistic", offset)


@pytest.mark.parametrize("name", BAD_OF_CLASSES)
def test_refused_for_classes(name):
    offset, message = BAD_OF_CLASSES[name]
    with pytest.raises(sb.ProblemError, match=message):
        losses_of("softmax", offset)


@pytest.mark.parametrize("name", BAD)
def test_refused_for_other_rows(name):
    offset, message = BAD[name]
    losses = losses_of("logistic", PLAIN)
    with pytest.raises(sb.ProblemError, match=message):
        losses.on(np.ones((N, 3)), np.resize([0, 1], N), np.arange(N) % 2, offset=offset)


def test_integers_and_booleans_are_numbers():
    for offset in (np.arange(N), [True] * N, np.ones(N, dtype=np.float16), pd.Series(range(N), dtype="Int64")):
        expected = losses_of("logistic", np.asarray(offset, dtype=float)).values(np.zeros(4))
        np.testing.assert_array_equal(losses_of("logistic", offset).values(np.zeros(4)), expected)
