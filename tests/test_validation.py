"""Shared checks of numbers."""

from __future__ import annotations

from array import array
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import saddleback as sb
from saddleback._validation import all_finite, finite_vector, flag, number, real_array


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 4)])
def test_one_bad_entry_is_found_wherever_it_is(shape, bad):
    for order in "CF":
        for where in range(int(np.prod(shape))):
            x = np.zeros(shape, order=order)
            assert all_finite(x)
            x.flat[where] = bad
            assert not all_finite(x)
            assert not all_finite(np.stack([x, -x], axis=-1)[..., 0])


def test_the_largest_numbers_and_none_at_all_are_finite():
    assert all_finite(np.full(4, np.finfo(np.float64).max))
    assert all_finite(np.zeros(0))
    assert all_finite(np.zeros((0, 3)))


MASKED = np.ma.masked_array([1.0, 2.0], mask=[False, True])
NO_NUMBERS = {
    "masked": MASKED,
    "the masked constant": np.ma.masked,
    "masked constant in a list": [1.0, np.ma.masked],
    "masked row in a list": [np.ones(2), MASKED],
    "masked row in a list of tuples": [(np.ones(2), MASKED)],
    "text": "1.5",
    "bytes": b"12",
    "bytearray": bytearray(b"12"),
    "list of text": ["1.5", "2"],
    "objects of text": np.array(["1.5", "2"], dtype=object),
    "one text among numbers": np.array([1.5, "2"], dtype=object),
    "objects of bytes": np.array([b"1"], dtype=object),
    "NumPy text in objects": np.array([np.str_("1")], dtype=object),
    "series of text": pd.Series(["1.5", "2"]),
    "categories": pd.Categorical([1.0, 2.0]),
    "series of categories": pd.Series([1.0, 2.0], dtype="category"),
    "None": None,
    "None in a list": [1.0, None],
    "NA in objects": np.array([1.0, pd.NA], dtype=object),
    "NaT in objects": np.array([1.0, pd.NaT], dtype=object),
    "complex": [1.0, 1j],
    "complex in objects": np.array([1.0, 1j], dtype=object),
    "NumPy complex in objects": np.array([np.complex64(1)], dtype=object),
    "dates": [date(2020, 1, 1)],
    "durations": [timedelta(1)],
    "datetime64": np.array(["2020-01-01"], dtype="M8[D]"),
    "timedelta64": np.array([1], dtype="m8[s]"),
    "datetime64 in objects": np.array([np.datetime64("2020-01-01")], dtype=object),
    "timedelta64 in objects": np.array([np.timedelta64(1, "s")], dtype=object),
    "dict": {"a": 1.0},
    "dict of rows": {0: 1.0, 1: 2.0},
    "dict views": {0: 1.0}.values(),
    "set": {1.0, 2.0},
    "generator": (x for x in (1.0, 2.0)),
    "iterator": iter([1.0]),
    "ragged": [[1.0], [1.0, 2.0]],
    "arrays in objects": np.array([np.ones(1), None], dtype=object)[:1],
    "records": np.zeros(2, dtype=[("a", float)]),
    "larger than any float": [10**400],
    "a function": np.sin,
}


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_what_is_no_number_is_refused(name):
    with pytest.raises((TypeError, ValueError)):
        real_array(NO_NUMBERS[name])
    with pytest.raises(sb.ProblemError, match="x must be a vector of numbers; got"):
        finite_vector(NO_NUMBERS[name], "x")
    with pytest.raises(sb.ProblemError, match="x must be a number; got"):
        number(NO_NUMBERS[name], "x")


@pytest.mark.parametrize(
    "x",
    [
        [1, 2.0],
        (1.0, 2.0),
        range(1, 3),
        array("d", [1.0, 2.0]),
        np.array([1.0, 2.0], dtype=np.float16),
        np.array([1, 2], dtype=np.uint8),
        np.ma.masked_array([1.0, 2.0]),
        np.array([1, 2.0], dtype=object),
        [Decimal(1), Decimal(2)],
        [Fraction(1), Fraction(2)],
        [np.array(1.0), np.array(2.0)],
        pd.Series([1.0, 2.0]),
        pd.Index([1, 2]),
        pd.array([1, 2], dtype="Int64"),
        pd.array([1.0, 2.0], dtype="Float64"),
        pd.arrays.SparseArray([1.0, 2.0]),
    ],
)
def test_what_holds_numbers_is_read(x):
    np.testing.assert_array_equal(finite_vector(x, "x"), [1.0, 2.0])


@pytest.mark.parametrize("x", [True, np.True_, [0.1], np.ones(1), np.ones((1, 1)), []])
def test_one_number_is_neither_a_truth_value_nor_a_list(x):
    with pytest.raises(sb.ProblemError, match="tol must be a number; got"):
        number(x, "tol")


def test_one_number():
    for x in (0.1, np.float64(0.1), np.array(0.1), Decimal("0.1")):
        assert number(x, "tol") == 0.1


@pytest.mark.parametrize("x", ["no", "yes", "False", 0, 1, 1.0, None, [], [True], np.array([True])])
def test_a_flag_is_true_or_false(x):
    with pytest.raises(sb.ProblemError, match="fit_intercept must be True or False; got"):
        flag(x, "fit_intercept")


def test_flags():
    assert (flag(True, "x"), flag(np.True_, "x"), flag(False, "x"), flag(np.False_, "x")) == (True, True, False, False)
