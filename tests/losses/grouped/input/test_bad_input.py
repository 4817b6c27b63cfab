"""Invalid arguments are refused at construction; messages say what, got, expected, remedy."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import saddleback as sb
from saddleback.losses.grouped import Huber, Quantile

N = 12


def arguments(**changes):
    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((N, 3)), np.resize([0, 1], N), np.resize(["a", "b", "c"], N)
    return {"X": X, "y": y, "groups": groups, "fit_intercept": False, **changes}


def with_entry(array, place, value):
    array = np.array(array, dtype=np.float64)
    array[place] = value
    return array


def corrupt(part, place, value):
    X = sp.csr_array(arguments()["X"])
    getattr(X, part)[place] = value
    return X


def frame(**columns):
    """Numbers, and other columns beside them."""
    return pd.DataFrame({"a": np.ones(N), **columns})


class NoArray:
    """A container with ``__array__`` that raises."""

    def __array__(self, dtype=None, copy=None):
        raise TypeError("not today")


MATRIX = np.eye(3)[np.resize([0, 1, 2], N)]
CODES = np.column_stack([np.resize([0, 1, 2], N), np.resize([1, 0], N)])
BINARY = np.column_stack([np.resize([0, 1], N), np.resize([0, 0, 1], N)])
LABELS = np.resize(["a", "b", "c"], N).astype(object)
BAD = {
    "a vector": ({"X": np.ones(N)}, r"X must be a matrix, one row per sample; got an array of shape \(12,\)"),
    "three dimensions": ({"X": np.ones((N, 2, 2))}, r"X must be a matrix.*\(12, 2, 2\)"),
    "ragged": ({"X": [[1.0, 2.0], [3.0]] * 6}, "X must be a matrix, one row per sample; got list"),
    "nothing": ({"X": None}, r"X must be a matrix.*got an array of shape \(\)"),
    "no rows": ({"X": np.ones((0, 3))}, r"at least one row and one column; got shape \(0, 3\)"),
    "no columns": ({"X": np.ones((N, 0))}, r"at least one row and one column; got shape \(12, 0\)"),
    "sparse without columns": ({"X": sp.csr_array((N, 0))}, "at least one row and one column"),
    "complex": ({"X": np.ones((N, 2), dtype=complex)}, r"real numbers; got entries of type complex128"),
    "objects": ({"X": np.ones((N, 2), dtype=object)}, r"real numbers; got entries of type object.*X.astype"),
    "strings": ({"X": np.full((N, 2), "a")}, r"real numbers; got entries of type <U1"),
    "frame with strings": (
        {"X": pd.DataFrame({"a": np.ones(N), "b": ["x"] * N})},
        r"column 'b' of X must hold real numbers; got str \(it holds 'x'\)\. Encode",
    ),
    "frame with numbers as text": ({"X": frame(b=np.array(["1.5"] * N, dtype=object))}, "column 'b' of X.*holds '1.5'"),
    "frame with categories": ({"X": frame(b=pd.Categorical([1, 2] * 6))}, "column 'b' of X.*holds categories"),
    "frame of categories": ({"X": frame(b=[1, 2] * 6).astype("category")}, "column 'a' of X.*holds categories"),
    "frame with dates": ({"X": frame(b=pd.date_range("2020", periods=N))}, r"column 'b' of X.*datetime64"),
    "frame with None": ({"X": frame(b=np.array([None] * N))}, "column 'b' of X.*holds None"),
    "frame with NA": (
        {"X": frame(b=pd.array([1, None] * 6, dtype="Int64"))},
        "X must be finite; got nan in row 1, col",
    ),
    "frame with NA flags": ({"X": frame(b=pd.array([True, None] * 6, dtype="boolean"))}, "column 'b' of X.*<NA>"),
    "frame without columns": ({"X": pd.DataFrame(index=range(N))}, "at least one row and one column"),
    "series": ({"X": pd.Series(np.ones(N))}, r"X must be a matrix.*\(12,\)"),
    "dict of columns": ({"X": {"a": np.ones(N)}}, "X must be a matrix, one row per sample; got dict"),
    "set of rows": ({"X": {1.0, 2.0}}, "X must be a matrix.*got set"),
    "generator of rows": ({"X": ([1.0, 2.0] for _ in range(N))}, "X must be a matrix.*got generator"),
    "text": ({"X": "1 2"}, "'1 2' cannot be read: No such file"),
    "bytes": ({"X": b"12"}, "X must be a matrix.*got bytes"),
    "no matrix": ({"X": NoArray()}, r"X must be a matrix, one row per sample; got NoArray \(not today\)"),
    "rows of text": ({"X": [["1.5", "2"]] * N}, "real numbers; got entries of type <U3"),
    "rows with None": ({"X": [[1.0, None]] * N}, "real numbers; got entries of type object"),
    "dates": ({"X": np.full((N, 2), "2020-01-01", dtype="M8[D]")}, "real numbers; got entries of type datetime64"),
    "records": ({"X": np.zeros((N, 1), dtype=[("a", float)])}, "real numbers; got entries of type"),
    "masked rows in a list": ({"X": [np.ma.masked_array([1.0, 2.0], [0, 1])] * N}, "X must not hold masked entries"),
    "masked": ({"X": np.ma.masked_greater(arguments()["X"], 0.0)}, "masked"),
    "nan in X": ({"X": with_entry(arguments()["X"], (7, 2), np.nan)}, "X must be finite; got nan in row 7, column 2"),
    "inf in X": ({"X": with_entry(arguments()["X"], (0, 1), -np.inf)}, "got -inf in row 0, column 1"),
    "nan in sparse X": ({"X": corrupt("data", 7, np.nan)}, "got nan in row 2, column 1"),
    "index too large": ({"X": corrupt("indices", 4, 3)}, "corrupt index: it must be between 0 and 2; got 3"),
    "index negative": ({"X": corrupt("indices", 4, -(2**31))}, "corrupt index.*got -2147483648.*integer overflow"),
    "indptr decreases": ({"X": corrupt("indptr", 5, 3)}, "corrupt indptr.*never decrease"),
    "indptr too long": ({"X": corrupt("indptr", N, 40)}, "corrupt indptr: it ends at 40, but there are 36 indices"),
    "indptr negative": ({"X": corrupt("indptr", 0, -1)}, "corrupt indptr: it must start at 0"),
    "y short": ({"y": [0, 1]}, "y must have one entry per row of X, 12; got 2"),
    "y a matrix": ({"y": np.zeros((N, 1))}, r"y must be a vector with one label per row; got.*\(12, 1\)"),
    "y a number": ({"y": 1.0}, "y must be a vector of labels; got float"),
    "three classes": (
        {"y": np.resize([1, 2, 3], N)},
        r"two classes for this loss; got 3: 1, 2, 3\. Take loss='softmax'",
    ),
    "numbers for logistic": ({"y": np.arange(N) / 7}, "two classes for this loss; got 12"),
    "one class": ({"y": np.ones(N)}, "at least two classes; got only 1.0"),
    "one class softmax": ({"y": ["a"] * N, "loss": "softmax"}, "at least two classes; got only 'a'"),
    "nan class": (
        {"y": with_entry(np.resize([0, 1], N), 3, np.nan)},
        "y must not hold missing labels; got .*nan.* row 3",
    ),
    "None class": ({"y": ["a", None] * 6}, "y must not hold missing labels; got None in row 1"),
    "unhashable class": ({"y": [[1], [2]] * 6}, "hashable"),
    "nan response": ({"y": with_entry(np.ones(N), 3, np.nan), "loss": "squared"}, "y must be finite; got nan in row 3"),
    "inf response": ({"y": with_entry(np.ones(N), 3, np.inf), "loss": "huber"}, "y must be finite; got inf in row 3"),
    "text response": ({"y": ["a"] * N, "loss": "squared"}, "y must hold numbers for this loss"),
    "None response": ({"y": [None] * N, "loss": "quantile"}, "y must hold numbers for this loss"),
    "response matrix": ({"y": np.ones((N, 1)), "loss": "squared"}, r"one entry per row of X, shape \(12,\); got shape"),
    "numbers as text": ({"y": ["1.5"] * N, "loss": "squared"}, "y must hold numbers for this loss; got list"),
    "numbers as objects of text": (
        {"y": np.array(["1.5"] * N, dtype=object), "loss": "squared"},
        r"y must hold numbers for this loss; got ndarray \(it holds '1.5'\)",
    ),
    "series of text": (
        {"y": pd.Series(["1.5"] * N), "loss": "huber"},
        "y must hold numbers.*got Series .it holds '1.5'",
    ),
    "one text among numbers": (
        {"y": np.array([1.5, "2"] * 6, dtype=object), "loss": "squared"},
        r"y must hold numbers.*\(it holds '2'\)",
    ),
    "bytes for numbers": ({"y": bytearray(N), "loss": "squared"}, "y must hold numbers.*got bytearray"),
    "complex response": ({"y": np.ones(N) + 0j, "loss": "squared"}, "y must hold numbers.*complex128"),
    "dates for numbers": (
        {"y": pd.date_range("2020", periods=N), "loss": "squared"},
        "y must hold numbers.*datetime64",
    ),
    "durations": ({"y": np.ones(N, dtype="m8[s]"), "loss": "squared"}, r"y must hold numbers.*timedelta64\[s\]"),
    "categories for numbers": (
        {"y": pd.Categorical([1.0, 2.0] * 6), "loss": "squared"},
        "y must hold numbers.*it holds categories",
    ),
    "NA response": (
        {"y": pd.Series([1, None] * 6, dtype="Int64"), "loss": "squared"},
        "y must be finite; got nan in row 1",
    ),
    "NA in objects": ({"y": np.array([1.0, pd.NA] * 6), "loss": "squared"}, "y must hold numbers.*it holds <NA>"),
    "response in a dict": ({"y": dict.fromkeys(range(N), 1.0), "loss": "squared"}, "y must hold numbers.*got dict"),
    "responses in a set": ({"y": set(range(N)), "loss": "squared"}, "y must hold numbers.*got set"),
    "responses to come": ({"y": (1.0 for _ in range(N)), "loss": "squared"}, "y must hold numbers.*got generator"),
    "a number for all": (
        {"y": np.array(1.0), "loss": "squared"},
        r"one entry per row of X, shape \(12,\); got shape \(\)",
    ),
    "sparse response": ({"y": sp.csr_array(np.ones((N, 1))), "loss": "squared"}, "y must hold numbers.*got csr_array"),
    "response without squares": (
        {"y": [1.0, -1e140] * 6, "loss": "huber"},
        r"y must hold numbers up to 1e\+100 in absolute value.*got -1e\+140 in row 1. Divide y by a constant",
    ),
    "huge response": ({"y": [10**400] * N, "loss": "squared"}, "y must hold numbers.*too large"),
    "classes in a dict": ({"y": dict.fromkeys(range(N), 1)}, "y must be a vector of labels; got dict. Pass a list"),
    "classes in a set": ({"y": set(range(N))}, "y must be a vector of labels; got set"),
    "no classes": ({"y": NoArray()}, r"y must be a vector of labels; got NoArray \(not today\)"),
    "classes to come": ({"y": (i % 2 for i in range(N))}, "y must be a vector of labels; got generator"),
    "bytes for classes": ({"y": b"abababababab"}, "y must be a vector of labels; got bytes"),
    "sparse classes": ({"y": sp.csr_array(np.ones((N, 1)))}, "y must be a vector of labels; got csr_array"),
    "one class for all": ({"y": np.array(1)}, r"one label per row; got an array of shape \(\)"),
    "frame of classes": ({"y": frame(b=[0, 1] * 6)}, r"one label per row; got an array of shape \(12, 2\)\. Pass one"),
    "series of classes": ({"y": [pd.Series([0]), pd.Series([1])] * 6}, "one plain label per row; got a list of Series"),
    "NaN in a tuple": (
        {"y": [("a", 1.0), ("a", np.nan)] * 6},
        r"y must not hold missing labels; got \('a', nan\) in row 1",
    ),
    "missing category": ({"y": pd.Categorical(["a", None] * 6)}, "y must not hold missing labels; got nan in row 1"),
    "negative count": ({"y": with_entry(np.ones(N), 5, -1), "loss": "poisson"}, "counts >= 0.*got -1 in row 5"),
    "groups short": ({"groups": ["a"]}, "groups must have one entry per row of X, 12; got 1"),
    "groups a string": ({"groups": "abcabcabcabc"}, "groups must be a vector of labels; got str"),
    "groups a number": ({"groups": 3}, "groups must be a vector of labels; got int"),
    "nan group": ({"groups": with_entry(np.zeros(N), 4, np.nan)}, "missing labels; got .*nan.* row 4"),
    "None group": ({"groups": [None, *LABELS[1:]]}, "got None in row 0"),
    "NA group": ({"groups": pd.Series([pd.NA, *LABELS[1:]])}, "missing labels; got .*row 0"),
    "NaT group": ({"groups": np.array(["NaT", *["2020-01-01"] * 11], dtype="M8[D]")}, "missing labels.*row 0"),
    "unused category": (
        {"groups": pd.Categorical(LABELS, ["a", "b", "c", "d"])},
        "none for group 'd'.*unused category",
    ),
    "empty column": (
        {"groups": np.column_stack([MATRIX, np.zeros(N)])},
        "every group must have rows; got none for group 3",
    ),
    "a sparse matrix of 2^40 groups": (
        {"groups": sp.coo_array((np.ones(N), (np.arange(N), np.arange(N) % 3)), shape=(N, 2**40))},
        "every group must have rows; got a membership matrix of 1099511627776 groups with 12 entries",
    ),
    "empty sparse column": ({"groups": sp.csr_array(np.column_stack([MATRIX, np.zeros(N)]))}, "none for group 3"),
    "ragged memberships": ({"groups": [[1, 0], [1]] * 6}, "groups must be labels or a membership matrix"),
    "no groups": ({"groups": None}, "groups must be a vector of labels; got NoneType"),
    "matrix too short": ({"groups": MATRIX[:-1]}, r"membership matrix of shape \(12, J\); got shape \(11, 3\)"),
    "matrix of labels": ({"groups": LABELS[:, None]}, "booleans or weights >= 0; got entries of type object. To cross"),
    "matrix of text": (
        {"groups": [["a", "x"], ["b", "y"]] * 6},
        r"got entries of type <U1. To cross.*list\(map\(tuple",
    ),
    "label codes": (
        {"groups": CODES},
        r"a membership matrix of integers must hold 0 and 1; got 2 in row 2, column 0\. To cross columns of labels, "
        r"pass a data frame of them, or one tuple per row: list\(map\(tuple, groups\)\)\. Weights must be floats",
    ),
    "label codes in lists": ({"groups": CODES.tolist()}, "integers must hold 0 and 1; got 2 in row 2, column 0"),
    "label codes unsigned": ({"groups": CODES.astype(np.uint8)}, "integers must hold 0 and 1; got 2"),
    "label codes in a sparse matrix": ({"groups": sp.csr_array(CODES)}, "integers must hold 0 and 1; got 2"),
    "no array": ({"groups": NoArray()}, r"groups must be labels or a membership matrix; got NoArray \(not today\)"),
    "missing strings": (
        {"groups": np.array(["a", None] * 6, dtype=np.dtypes.StringDType(na_object=None))},
        "groups must not hold missing labels; got None in row 1",
    ),
    "signaling NaN": ({"groups": [Decimal(1), Decimal("sNaN")] * 6}, "groups must not hold missing labels.*row 1"),
    "negative codes": ({"groups": CODES - 1}, "memberships must be finite and >= 0; got -1 in row 0"),
    "two attributes of 0 and 1": (
        {"groups": BINARY},
        r"zeros and ones, with only zeros in row 0: its columns may be groups that overlap, or attributes to be "
        r"crossed\. For groups, pass booleans, groups.astype\(bool\).*to cross attributes, list\(map\(tuple, groups",
    ),
    "frame of two attributes": (
        {"groups": pd.DataFrame(BINARY, columns=["female", "black"])},
        r"data frame of zeros and ones, with only zeros in row 0.*groups.to_numpy\(bool\).*groups.astype\('category'\)",
    ),
    "frame of two flags": ({"groups": pd.DataFrame(BINARY.astype(bool))}, "only zeros in row 0"),
    "frame of two flags as floats": ({"groups": pd.DataFrame(BINARY.astype(float))}, "only zeros in row 0"),
    "frame of codes as floats": (
        {"groups": pd.DataFrame(CODES + 1.0)},
        r"whole numbers as floats: they may be weights.*to_numpy\(\); to cross labels, groups.astype\('category'\)",
    ),
    "frame of codes with NaN": ({"groups": pd.DataFrame(with_entry(CODES, 3, np.nan))}, "whole numbers as floats"),
    "frame of weights with NaN": (
        {"groups": pd.DataFrame(with_entry(MATRIX / 2, 3, np.nan))},
        "memberships must be finite and >= 0; got nan in row 3, column 0",
    ),
    "frame without groups": ({"groups": pd.DataFrame(index=range(N))}, "at least one column; got a data frame without"),
    "frame too short": (
        {"groups": pd.DataFrame({"a": ["x"], "b": ["y"]})},
        r"groups\['a'\] must have one entry per row of X",
    ),
    "weights too short": ({"groups": pd.DataFrame({"a": [0.5], "b": [0.5]})}, r"shape \(12, J\); got shape \(1, 2\)"),
    "frame with a missing label": (
        {"groups": pd.DataFrame({"a": LABELS, "b": [1.0, np.nan] * 6})},
        r"groups\['b'\] must not hold missing labels; got .*nan.* in row 1",
    ),
    "two columns of one name": (
        {"groups": pd.DataFrame(MATRIX[:, :2] + 0.5, columns=["a", "a"])},
        "columns of different names; got 'a', 'a'",
    ),
    "frame with an empty group": (
        {"groups": pd.DataFrame({"a": np.ones(N, bool), "b": np.zeros(N, bool)})},
        "every group must have rows; got none for group 'b'",
    ),
    "unused category in a frame": (
        {"groups": pd.DataFrame({"a": pd.Categorical(LABELS, ["a", "b", "c", "d"])})},
        "none for group 'd'.*unused category",
    ),
    "two columns in a list": (
        {"groups": [LABELS, LABELS]},
        r"of shape \(12, J\); got shape \(2, 12\)\. Pass groups.T; or, for columns of labels, list\(zip\(\*groups\)\)",
    ),
    "two series in a list": (
        {"groups": [pd.Series(LABELS), pd.Series(LABELS)]},
        r"groups must hold one plain label per row; got a list of Series.*list\(zip\(a, b\)\)",
    ),
    "groups in a dict": ({"groups": {"race": LABELS, "sex": LABELS}}, "groups must be a vector of labels; got dict"),
    "labels in a dict": (
        {"groups": dict(enumerate(LABELS))},
        "groups must be a vector of labels; got dict. Pass a list",
    ),
    "labels in a set": ({"groups": set(range(N))}, "groups must be a vector of labels; got set"),
    "labels to come": ({"groups": iter(LABELS)}, "groups must be a vector of labels; got .*iterator"),
    "labels in bytes": ({"groups": b"abcabcabcabc"}, "groups must be a vector of labels; got bytes"),
    "NaN in tuples": (
        {"groups": list(zip(LABELS, [1.0, np.nan] * 6, strict=True))},
        "missing labels; got .'b', nan. in row 1",
    ),
    "None in tuples": (
        {"groups": list(zip(LABELS, [1, None] * 6, strict=True))},
        "missing labels; got .'b', None. in row 1",
    ),
    "masked tuple": ({"groups": [np.ma.masked_array([1.0, 2.0], [0, 1])] * N}, "groups must not hold masked entries"),
    "column of labels": ({"groups": np.resize([0, 1, 2], N)[:, None]}, "If these are labels, pass a vector"),
    "negative membership": ({"groups": MATRIX - 2}, "memberships must be finite and >= 0; got -1 in row 0, column 0"),
    "nan membership": ({"groups": MATRIX * np.nan}, "memberships must be finite and >= 0; got nan"),
    "corrupt memberships": ({"groups": corrupt("indices", 4, 9)}, "groups has a corrupt index"),
    "weights short": ({"sample_weight": [1.0]}, r"sample_weight must have one weight per row of X, shape \(12,\)"),
    "negative weight": ({"sample_weight": with_entry(np.ones(N), 6, -2)}, "finite and >= 0; got -2 in row 6"),
    "nan weight": ({"sample_weight": with_entry(np.ones(N), 6, np.nan)}, "finite and >= 0; got nan in row 6"),
    "text weight": ({"sample_weight": ["a"] * N}, "sample_weight must be a vector of numbers"),
    "weights as text": (
        {"sample_weight": np.array(["1"] * N, dtype=object)},
        r"sample_weight must be a vector of numbers; got ndarray \(it holds '1'\)",
    ),
    "weights in a dict": ({"sample_weight": dict.fromkeys(range(N), 1.0)}, "sample_weight must be a vector.*got dict"),
    "complex weights": ({"sample_weight": np.ones(N) + 0j}, "sample_weight must be a vector of numbers.*complex"),
    "one weight for all": ({"sample_weight": 1.0}, r"one weight per row of X, shape \(12,\); got shape \(\)"),
    "group without weight": ({"sample_weight": (LABELS != "b").astype(float)}, "weight 0 for all rows of group 'b'"),
    "weights overflow": ({"groups": 1e200 * MATRIX, "sample_weight": [1e200] * N}, "got an overflow. Rescale"),
    "no weight": ({"sample_weight": np.zeros(N)}, "weight 0 for all rows of group 'a'"),
    "unknown loss": ({"loss": "hinge"}, "unknown loss 'hinge'; expected one of 'logistic', 'squared'"),
    "loss a function": ({"loss": np.square}, "unknown loss"),
    "loss a class": ({"loss": Huber}, "got the class Huber. Pass an instance"),
    "negative l2": ({"l2": -1.0}, "l2 must be a finite number >= 0; got -1.0"),
    "nan l2": ({"l2": np.nan}, "l2 must be a finite number >= 0; got nan"),
    "text l2": ({"l2": "a"}, "l2 must be a number; got 'a'"),
    "l2 as text": ({"l2": "0.1"}, "l2 must be a number; got '0.1'"),
    "l2 a truth value": ({"l2": True}, "l2 must be a number; got True"),
    "l2 a list": ({"l2": [0.1]}, r"l2 must be a number; got \[0.1\]"),
    "intercept no": ({"fit_intercept": "no"}, "fit_intercept must be True or False; got 'no'"),
    "intercept 0": ({"fit_intercept": 0}, "fit_intercept must be True or False; got 0"),
    "intercept None": ({"fit_intercept": None}, "fit_intercept must be True or False; got None"),
    "intercepts": ({"fit_intercept": [True]}, r"fit_intercept must be True or False; got \[True\]"),
    "threads true": ({"n_threads": True}, "n_threads must be a whole number"),
    "no threads": (
        {"n_threads": 0},
        "n_threads must be a whole number between 1 and 1024, or None for all cores; got 0",
    ),
    "a thousand million threads": ({"n_threads": 10**9}, "between 1 and 1024, or None for all cores; got 1000000000"),
    "threads beyond int64": ({"n_threads": 10**30}, "between 1 and 1024, or None for all cores; got 10000"),
    "half a thread": ({"n_threads": 1.5}, "n_threads must be a whole number"),
}


@pytest.mark.parametrize("name", BAD)
def test_refused(name):
    changes, message = BAD[name]
    with pytest.raises(sb.ProblemError, match=message):
        sb.GroupedLinear(**arguments(**changes))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Huber(delta=0.0), "delta must be a finite number > 0"),
        (lambda: Huber(delta="a"), "delta must be a number"),
        (lambda: Quantile(q=1.0), "q must be a quantile between 0 and 1; got 1"),
        (lambda: Quantile(q=np.nan), "q must be a finite number"),
        (lambda: Quantile(smoothing=-1.0), "smoothing must be a finite number > 0"),
    ],
)
def test_refused_options(make, message):
    with pytest.raises(sb.ProblemError, match=message):
        make()


@pytest.mark.parametrize("method", ["evaluate", "values"])
@pytest.mark.parametrize(
    "w",
    [
        ["1", "2", "3"],
        np.array(["1", "2", "3"], dtype=object),
        np.ones(3) + 0j,
        [1, 2, None],
        np.ma.masked_less([0, 1, 2], 1),
    ],
)
def test_parameters_that_are_no_numbers(method, w):
    with pytest.raises(sb.ProblemError, match="w must be a vector of numbers; got"):
        getattr(sb.GroupedLinear(**arguments()), method)(w)


@pytest.mark.parametrize("method", ["evaluate", "values"])
@pytest.mark.parametrize("w", [np.zeros(2), np.zeros((3, 1)), np.zeros(4), 0.0])
def test_wrong_shape_of_w(method, w):
    with pytest.raises(sb.ProblemError, match=r"w must have shape \(3,\); got"):
        getattr(sb.GroupedLinear(**arguments()), method)(w)


def test_wrong_shape_of_lam():
    with pytest.raises(sb.ProblemError, match="lam must have length 3; got length 2"):
        sb.GroupedLinear(**arguments()).hessian(np.zeros(3), np.ones(2))


def test_too_many_columns():
    X = sp.csr_array((np.ones(N), np.zeros(N, dtype=np.int64), np.arange(N + 1)), shape=(N, 2**33))
    with pytest.raises(sb.ProblemError, match="at most 2\\^32 columns; got 8589934592"):
        sb.GroupedLinear(**arguments(X=X))


def test_large_finite_entries_are_fine():
    """Finite entries whose sum overflows are accepted."""
    X = np.full((N, 3), 1e308)
    assert sb.GroupedLinear(**arguments(X=X)).n_losses == 3
    assert sb.GroupedLinear(**arguments(X=X.clip(max=3e38).astype(np.float32))).n_losses == 3


@pytest.mark.parametrize("name", ["X", "y", "groups", "sample_weight"])
def test_masked_entries_are_refused(name):
    """NumPy would read masked entries as numbers."""
    arguments = {"X": np.ones((6, 2)), "y": np.arange(6) % 2, "groups": np.arange(6) % 3, "sample_weight": np.ones(6)}
    arguments[name] = np.ma.masked_array(arguments[name], mask=np.zeros(arguments[name].shape, dtype=bool))
    sb.GroupedLinear(**arguments)
    arguments[name].mask.flat[1] = True
    with pytest.raises(sb.ProblemError, match=f"{name} must not hold masked entries"):
        sb.GroupedLinear(**arguments)


@pytest.mark.parametrize(("axis", "index"), [("row", 500), ("row", 10**9), ("col", -2), ("col", 4)])
def test_corrupt_coordinates_are_refused(axis, index):
    """SciPy would write outside of its arrays when it converts them."""
    A = sp.coo_matrix(np.ones((30, 4)))
    getattr(A, axis)[3] = index
    with pytest.raises(sb.ProblemError, match="X has a corrupt index"):
        sb.GroupedLinear(A, np.arange(30) % 2, np.arange(30) % 3)
