"""What may be passed as sensitive_features, and which groups it makes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import saddleback as sb
from saddleback.learn import MISSING, REST, read_sensitive_features, take_columns

RACE = ["w", "b", "w", "b", "w"]
SEX = ["m", "m", "f", "m", "f"]
PAIRS = [("b", "m"), ("w", "f"), ("w", "m")]


# --- forms ------------------------------------------------------------------------------------------------------------

VECTORS = {
    "list": RACE,
    "tuple": tuple(RACE),
    "array": np.array(RACE),
    "objects": np.array(RACE, dtype=object),
    "pandas": pd.Series(RACE, index=[9, 8, 7, 6, 5]),
    "Categorical": pd.Categorical(RACE),
    "categorical series": pd.Series(RACE, dtype="category"),
    "polars": pl.Series(RACE),
    "polars categorical": pl.Series(RACE, dtype=pl.Categorical),
    "matrix of one column": np.array(RACE)[:, np.newaxis],
    "frame of one column": pd.DataFrame({"race": RACE}),
}


@pytest.mark.parametrize("form", VECTORS)
def test_a_vector_of_labels(form):
    groups = read_sensitive_features(VECTORS[form], 5)
    assert groups.names == ["b", "w"]
    assert groups.codes.tolist() == [1, 0, 1, 0, 1]
    assert groups.sizes.tolist() == [2, 3]
    assert (groups.n_rows, groups.overlap, dict(groups.merged)) == (5, False, {})


COLUMNS = {
    "dict": {"race": RACE, "sex": np.array(SEX)},
    "pandas": pd.DataFrame({"race": RACE, "sex": SEX}),
    "polars": pl.DataFrame({"race": RACE, "sex": SEX}),
    "matrix": np.array([RACE, SEX]).T,
    "tuples": list(zip(RACE, SEX, strict=True)),
    "lists": list(map(list, zip(RACE, SEX, strict=True))),
    "series of tuples": pd.Series(list(zip(RACE, SEX, strict=True))),
    "MultiIndex": pd.MultiIndex.from_arrays([RACE, SEX]),
}


@pytest.mark.parametrize("form", COLUMNS)
def test_columns_are_crossed(form):
    groups = read_sensitive_features(COLUMNS[form], 5)
    assert groups.names == PAIRS
    assert groups.codes.tolist() == [2, 0, 1, 0, 1]


@pytest.mark.parametrize("form", COLUMNS)
def test_columns_overlap(form):
    groups = read_sensitive_features(COLUMNS[form], 5, crossed=False)
    race, sex = ("race", "sex") if form in ("dict", "pandas", "polars") else (0, 1)
    assert groups.columns == [race, sex]
    assert groups.names == [(race, "b"), (race, "w"), (sex, "f"), (sex, "m")]
    assert groups.sizes.tolist() == [2, 3, 2, 3]
    assert groups.rows.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert groups.groups.tolist() == [1, 3, 0, 3, 1, 2, 0, 3, 1, 2]
    with pytest.raises(sb.ProblemError, match="codes need one group per row; got 2 groups of each row"):
        _ = groups.codes


def test_levels_of_one_column_that_is_not_crossed():
    groups = read_sensitive_features({"race": RACE}, 5, crossed=False)
    assert groups.names == [("race", "b"), ("race", "w")]
    assert groups.codes.tolist() == [1, 0, 1, 0, 1]


class ArrowColumn:
    """A column as Arrow has it: nulls are counted by an attribute, and NumPy gets floats."""

    def __init__(self, values):
        self.values, self.null_count = values, values.count(None)

    def to_pylist(self):
        return self.values

    def __array__(self, dtype=None, copy=None):
        return np.array([np.nan if value is None else value for value in self.values])


class ArrowTable:
    """A table as Arrow has it: ``columns`` are the columns themselves."""

    def __init__(self, **columns):
        self.named, self.column_names, self.columns = columns, list(columns), list(columns.values())
        self.shape = (len(self.columns[0].values), len(columns))

    def __getitem__(self, name):
        return self.named[name]


def test_arrow():
    groups = read_sensitive_features(ArrowTable(a=ArrowColumn([2, None, 2**60, 2**60 + 1])), 4, missing_groups="group")
    assert groups.names == [2, 2**60, 2**60 + 1, MISSING]


# --- order ------------------------------------------------------------------------------------------------------------


def test_the_order_of_groups():
    assert read_sensitive_features([3, 1, 2], 3).names == [1, 2, 3]
    assert read_sensitive_features(["z", 1, None, "z"], 4, missing_groups="group").names == ["z", 1, MISSING]
    assert read_sensitive_features([True, False], 2).names == [False, True]
    assert read_sensitive_features(np.array([1.5, 0.5]), 2).names == [0.5, 1.5]
    sizes = pd.Categorical(["small", "large", "small"], categories=["small", "medium", "large"])
    assert read_sensitive_features(sizes, 3).names == ["small", "large"]
    assert read_sensitive_features({"size": sizes, "b": [0, 0, 1]}, 3).names == [
        ("small", 0),
        ("small", 1),
        ("large", 0),
    ]


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc"), st.booleans()), min_size=1, max_size=40))
def test_crossing_is_labelling_by_tuples(rows):
    groups = read_sensitive_features(rows, len(rows))
    assert groups.names == sorted(set(rows))
    assert [groups.names[code] for code in groups.codes] == rows


# --- missing labels ---------------------------------------------------------------------------------------------------

WITHOUT = {
    "None": ["a", None, "b", None],
    "nan": np.array([1.0, np.nan, 2.0, np.nan]),
    "NA": pd.Series([1, pd.NA, 2, pd.NA], dtype="Int64"),
    "string NA": pd.Series(["a", pd.NA, "b", pd.NA], dtype="string"),
    "NaT": pd.Series(pd.to_datetime(["2020-01-01", None, "2021-01-01", None])),
    "category": pd.Categorical(["a", None, "b", None]),
    "null": pl.Series(["a", None, "b", None]),
    "null number": pl.Series([1, None, 2, None]),
}


@pytest.mark.parametrize("form", WITHOUT)
def test_missing_labels(form):
    message = "must have a label in every row; got 2 of 4 rows without one, the first in row 1.*missing_groups="
    with pytest.raises(sb.ProblemError, match=message):
        read_sensitive_features(WITHOUT[form], 4)
    groups = read_sensitive_features(WITHOUT[form], 4, missing_groups="group")
    assert groups.names[2] == MISSING
    assert groups.codes.tolist() == [0, 2, 1, 2]
    with pytest.raises(sb.ProblemError, match=r"sensitive_features\['g'\] must have a label"):
        read_sensitive_features({"g": WITHOUT[form]}, 4)


def test_missing_labels_of_crossed_columns():
    groups = read_sensitive_features([("a", None), ("b", 1), (None, 1), ("a", np.nan)], 4, missing_groups="group")
    assert groups.names == [("a", MISSING), ("b", 1), (MISSING, 1)]
    assert groups.codes.tolist() == [0, 1, 2, 0]
    assert read_sensitive_features([None, None], 2, missing_groups="group").names == [MISSING]
    assert read_sensitive_features(pl.Series([1, None]), 2, missing_groups="group").names == [1, MISSING]


# --- small groups -----------------------------------------------------------------------------------------------------


def sized(**sizes):
    return [name for name, size in sizes.items() for _ in range(size)]


@pytest.mark.parametrize(
    ("sizes", "names", "merged"),
    [
        ({"a": 9, "b": 5, "c": 5}, ["a", "b", "c"], {}),
        ({"a": 9, "b": 3, "c": 2}, ["a", REST], {"b": 3, "c": 2}),
        # The rest of c and d would have 3 rows: it takes in b, the smallest of the others.
        ({"a": 9, "b": 5, "c": 1, "d": 2}, ["a", REST], {"b": 5, "c": 1, "d": 2}),
        ({"a": 9, "b": 1}, [REST], {"a": 9, "b": 1}),
        ({"a": 4, "b": 4}, [REST], {"a": 4, "b": 4}),
    ],
)
def test_small_groups_are_merged(sizes, names, merged):
    groups = read_sensitive_features(sized(**sizes), sum(sizes.values()), min_group_size=5)
    assert groups.names == names
    assert groups.merged == merged
    assert groups.sizes.sum() == groups.n_rows
    assert groups.sizes.min() >= 5


def test_small_groups_of_each_column():
    columns = {"a": sized(x=6, y=1, z=1), "b": sized(u=4, v=4)}
    groups = read_sensitive_features(columns, 8, crossed=False, min_group_size=2)
    assert groups.names == [("a", "x"), ("a", REST), ("b", "u"), ("b", "v")]
    assert groups.merged == {("a", "y"): 1, ("a", "z"): 1}
    assert groups.sizes.tolist() == [6, 2, 4, 4]
    crossed = read_sensitive_features(columns, 8, min_group_size=3)
    assert crossed.names == [("x", "u"), REST]


def test_fewer_rows_than_a_group_must_have():
    with pytest.warns(UserWarning, match="min_group_size=9 is more than the 3 rows that there are"):
        groups = read_sensitive_features(["a", "b", "b"], 3, min_group_size=9)
    assert (groups.names, groups.merged) == ([REST], {"a": 1, "b": 2})
    with pytest.warns(UserWarning, match="min_group_size"):
        groups = read_sensitive_features(["a", "a"], 2, min_group_size=9)
    assert (groups.names, groups.merged) == (["a"], {})


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(1, 60))
def test_merging_keeps_rows_and_reaches_the_size(labels, least):
    least = min(least, len(labels))
    groups = read_sensitive_features(labels, len(labels), min_group_size=least)
    assert groups.sizes.min() >= least
    for label, code in zip(labels, groups.codes, strict=True):
        assert groups.names[code] == (REST if label in groups.merged else label)
    sizes = np.bincount(labels)
    assert groups.merged == {label: sizes[label] for label in groups.merged}
    assert not groups.merged or (sizes[sizes > 0] < least).any()


# --- what groups can do -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("crossed", [True, False])
def test_counts_shares_and_means(crossed):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 3, 50), "b": rng.integers(0, 2, 50)})
    groups = read_sensitive_features(frame, 50, crossed=crossed)
    weights, values = rng.random(50), rng.standard_normal((50, 2))
    weights[7], values[7] = 0.0, np.inf
    dense = groups.matrix.toarray()
    assert dense.sum(axis=1).tolist() == [1.0 if crossed else 2.0] * 50
    np.testing.assert_allclose(groups.counts(), dense.sum(axis=0))
    np.testing.assert_allclose(groups.shares(weights), weights @ dense / weights.sum())
    finite = np.where(np.isfinite(values), values, 0.0)
    expected = (dense.T @ (weights[:, np.newaxis] * finite)) / (dense.T @ weights)[:, np.newaxis]
    np.testing.assert_allclose(groups.mean(values, weights), expected)
    np.testing.assert_allclose(groups.mean(values[:, 1], weights), expected[:, 1])


def test_the_rows_of_a_fold():
    groups = read_sensitive_features({"race": RACE, "sex": SEX}, 5, crossed=False)
    fold = groups.subset([0, 2, 4])
    assert fold.names == groups.names
    assert fold.sizes.tolist() == [0, 3, 2, 1]
    assert fold.groups.tolist() == [1, 3, 1, 2, 1, 2]
    np.testing.assert_array_equal(fold.mean([1.0, 2.0, 6.0]), [np.nan, 3.0, 4.0, 1.0])
    assert groups.subset(np.array([True, False, False, True, False])).n_rows == 2
    assert groups.subset([]).sizes.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("crossed", [True, False])
def test_grouped_linear_takes_the_membership(crossed):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((40, 2)), rng.integers(0, 2, 40)
    groups = read_sensitive_features({"a": np.arange(40) % 2, "b": np.arange(40) % 3}, 40, crossed=crossed)
    losses = sb.GroupedLinear(X, y, groups.membership, loss="logistic")
    assert losses.n_losses == len(groups.names)
    margins = np.log1p(np.exp(-np.where(y == 1, 1, -1) * (X @ [1.0, -1.0] + 0.5)))
    np.testing.assert_allclose(losses.evaluate(np.array([1.0, -1.0, 0.5]))[0], groups.mean(margins))


def test_ten_thousand_groups():
    labels = np.random.default_rng(2).integers(0, 10_000, 200_000)
    groups = read_sensitive_features({"a": labels // 100, "b": labels % 100}, labels.size)
    assert len(groups.names) == np.unique(labels).size
    assert groups.names[0] == (0, 0)
    np.testing.assert_allclose(groups.mean(labels), np.unique(labels))
    merged = read_sensitive_features(labels, labels.size, min_group_size=20)
    assert merged.sizes.min() >= 20
    assert sum(merged.merged.values()) == merged.sizes[-1]


# --- bad input --------------------------------------------------------------------------------------------------------

BAD = {
    "short": (["a"], {}, "sensitive_features must have one label per row, 2; got 1"),
    "column short": ({"a": ["x"]}, {}, r"sensitive_features\['a'\] must have one label per row, 2; got 1"),
    "text": ("ab", {}, "must be a vector of labels or columns of them; got str"),
    "set": ({"a", "b"}, {}, "got set. Pass a list, an array, a data frame"),
    "iterator": (iter("ab"), {}, "got str_ascii_iterator|got str_iterator"),
    "number": (3, {}, "must be a vector of labels; got int"),
    "None": (None, {}, "must be a vector of labels; got NoneType"),
    "dict of rows": ({0: "a", 1: "b"}, {}, r"sensitive_features\[0\] must be a vector of labels; got str"),
    "empty dict": ({}, {}, "must have at least one column; got dict without any"),
    "frame without columns": (pd.DataFrame(index=[0, 1]), {}, "must have at least one column; got DataFrame"),
    "twice": (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), {}, "columns of different names; got 'a', 'a'"),
    "sparse": (sp.csr_array(np.eye(2)), {}, "must be labels; got a sparse matrix"),
    "masked": (np.ma.masked_array([1, 2], [True, False]), {}, "must not hold masked entries"),
    "three axes": (np.zeros((2, 2, 2)), {}, r"got an array of shape \(2, 2, 2\)"),
    "columns as rows": ([["a", "b"], ["c", "d"], ["e", "f"]], {}, r"got 3 lines of 2 labels.*list\(zip\(\*sens"),
    "lists": ([["a"], ["b"]], {}, "must hold hashable labels"),
    "crossed": (["a", "b"], {"crossed": "no"}, "crossed must be True or False"),
    "missing": (["a", "b"], {"missing_groups": "drop"}, "missing_groups must be 'error' or 'group'; got 'drop'"),
    "min_group_size": (["a", "b"], {"min_group_size": 0}, "min_group_size must be a whole number >= 1; got 0"),
    "MISSING": ([MISSING, None], {"missing_groups": "group"}, r"has rows without a label and the label '\(missing\)'"),
    "REST": ([REST, "b"], {"min_group_size": 2}, r"has groups to be merged and the label '\(rest\)'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_sensitive_features(case):
    features, options, message = BAD[case]
    with pytest.raises(sb.ProblemError, match=message):
        read_sensitive_features(features, 2, **options)


def test_no_rows():
    with pytest.raises(sb.ProblemError, match="groups need rows; got none"):
        read_sensitive_features([], 0)


BAD_WEIGHTS = {
    "short": ([1.0], "sample_weight must have length 2; got length 1"),
    "negative": ([1.0, -1.0], "sample weights must be >= 0; got -1 in row 1"),
    "zero": ([0.0, 0.0], "sample weights must not all be 0"),
    "nan": ([1.0, np.nan], "sample_weight must be finite"),
}


@pytest.mark.parametrize("case", BAD_WEIGHTS)
def test_bad_weights(case):
    weights, message = BAD_WEIGHTS[case]
    with pytest.raises(sb.ProblemError, match=message):
        read_sensitive_features(["a", "b"], 2).shares(weights)


def test_bad_values():
    with pytest.raises(sb.ProblemError, match=r"one entry or one line per row, 2; got an array of shape \(3,\)"):
        read_sensitive_features(["a", "b"], 2).mean([1.0, 2.0, 3.0])


# --- columns of X -----------------------------------------------------------------------------------------------------

FRAME = {"race": RACE, "sex": SEX, "age": [1, 2, 3, 4, 5]}


@pytest.mark.parametrize("frame", [pd.DataFrame(FRAME), pl.DataFrame(FRAME)], ids=["pandas", "polars"])
@pytest.mark.parametrize("names", [["race", "sex"], ("race", "sex"), np.array(["race", "sex"])], ids=type)
def test_columns_by_name(frame, names):
    columns = take_columns(frame, names)
    assert read_sensitive_features(columns, 5).names == PAIRS
    assert list(take_columns(frame, "age")) == ["age"]


def test_columns_by_position():
    X = np.array([[1.0, 0.0, 5.0], [2.0, 1.0, 6.0]])
    assert take_columns(X, 2)[2].tolist() == [5.0, 6.0]
    for columns in (take_columns(X, [0, 1]), take_columns(sp.csr_array(X), [0, 1])):
        assert read_sensitive_features(columns, 2).names == [(1.0, 0.0), (2.0, 1.0)]
    named = pd.DataFrame(X, columns=[7, 8, 9])
    assert take_columns(named, 9)[9].tolist() == [5.0, 6.0]


BAD_NAMES = {
    "near": (pd.DataFrame(FRAME), ["Race", "sex"], "group_by must name columns of X; got 'Race'.*Did you mean 'race'"),
    "far": (pl.DataFrame(FRAME), "zzz", "got 'zzz', which is none of them. X has 'race', 'sex', 'age'"),
    "position in a frame": (pd.DataFrame(FRAME), 0, "must name columns of X; got 0"),
    "twice": (pd.DataFrame(FRAME), ["sex", "sex"], "must name each column once; got 'sex', 'sex'"),
    "ambiguous": (pd.DataFrame([[1, 2]], columns=["a", "a"]), "a", "got 'a', the name of 2 columns of X"),
    "none": (pd.DataFrame(FRAME), [], r"must be a column's name or a list of them; got \[\]"),
    "dict": (pd.DataFrame(FRAME), {"race": 1}, "must be a column's name or a list of them"),
    "not hashable": (pd.DataFrame(FRAME), [["race"]], "must be a column's name or a list of them"),
    "name in an array": (np.eye(2), "race", r"because X \(ndarray\) has no column names; got 'race'"),
    "out of range": (np.eye(2), 2, "from 0 to 1; got 2"),
    "negative": (np.eye(2), [-1], "from 0 to 1; got -1"),
    "ragged": ([[1], [1, 2]], 0, "X must be a data frame or a matrix; got list"),
    "vector": (np.ones(3), 0, r"X must have columns to choose from; got an array of shape \(3,\)"),
}


@pytest.mark.parametrize("case", BAD_NAMES)
def test_bad_names(case):
    X, names, message = BAD_NAMES[case]
    with pytest.raises(sb.ProblemError, match=message):
        take_columns(X, names)
