"""What cannot be right is refused at construction: what, got, expected, remedy."""

from __future__ import annotations

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
    return {"X": X, "y": y, "groups": groups, **changes}


def with_entry(array, place, value):
    array = np.array(array, dtype=np.float64)
    array[place] = value
    return array


def corrupt(part, place, value):
    X = sp.csr_array(arguments()["X"])
    getattr(X, part)[place] = value
    return X


MATRIX = np.eye(3)[np.resize([0, 1, 2], N)]
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
    "frame with strings": ({"X": pd.DataFrame({"a": ["x"] * N})}, r"real numbers; got entries of type"),
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
    "empty sparse column": ({"groups": sp.csr_array(np.column_stack([MATRIX, np.zeros(N)]))}, "none for group 3"),
    "ragged memberships": ({"groups": [[1, 0], [1]] * 6}, "groups must be labels or a membership matrix"),
    "no groups": ({"groups": None}, "groups must be a vector of labels; got NoneType"),
    "matrix too short": ({"groups": MATRIX[:-1]}, r"membership matrix of shape \(12, J\); got shape \(11, 3\)"),
    "matrix of labels": ({"groups": LABELS[:, None]}, "Labels are a vector, not a matrix"),
    "column of labels": ({"groups": np.resize([0, 1, 2], N)[:, None]}, "If these are labels, pass a vector"),
    "negative membership": ({"groups": MATRIX - 2}, "memberships must be finite and >= 0; got -1 in row 0, column 0"),
    "nan membership": ({"groups": MATRIX * np.nan}, "memberships must be finite and >= 0; got nan"),
    "corrupt memberships": ({"groups": corrupt("indices", 4, 9)}, "groups has a corrupt index"),
    "weights short": ({"sample_weight": [1.0]}, r"sample_weight must have one weight per row of X, shape \(12,\)"),
    "negative weight": ({"sample_weight": with_entry(np.ones(N), 6, -2)}, "finite and >= 0; got -2 in row 6"),
    "nan weight": ({"sample_weight": with_entry(np.ones(N), 6, np.nan)}, "finite and >= 0; got nan in row 6"),
    "text weight": ({"sample_weight": ["a"] * N}, "sample_weight must be a vector of numbers"),
    "group without weight": ({"sample_weight": (LABELS != "b").astype(float)}, "weight 0 for all rows of group 'b'"),
    "weights overflow": ({"groups": 1e200 * MATRIX, "sample_weight": [1e200] * N}, "got an overflow. Rescale"),
    "no weight": ({"sample_weight": np.zeros(N)}, "weight 0 for all rows of group 'a'"),
    "unknown loss": ({"loss": "hinge"}, "unknown loss 'hinge'; expected one of 'logistic', 'squared'"),
    "loss a function": ({"loss": np.square}, "unknown loss"),
    "loss a class": ({"loss": Huber}, "unknown loss"),
    "negative l2": ({"l2": -1.0}, "l2 must be a finite number >= 0; got -1.0"),
    "nan l2": ({"l2": np.nan}, "l2 must be a finite number >= 0; got nan"),
    "text l2": ({"l2": "a"}, "l2 must be a number; got 'a'"),
    "no threads": ({"n_threads": 0}, "n_threads must be a whole number >= 1, or None for all cores; got 0"),
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
    """Their sum overflows, and they do not."""
    X = np.full((N, 3), 1e308)
    assert sb.GroupedLinear(**arguments(X=X)).n_losses == 3
    assert sb.GroupedLinear(**arguments(X=X.clip(max=3e38).astype(np.float32))).n_losses == 3


@pytest.mark.parametrize("name", ["X", "y", "groups", "sample_weight"])
def test_masked_entries_are_refused(name):
    """NumPy would read what is behind the mask."""
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
