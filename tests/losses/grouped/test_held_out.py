"""GroupedLinear.on: names and order are kept, the penalty is left out, unknown labels are refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import saddleback as sb
from saddleback.losses.grouped.tables import mapped_table

from .cases import LOSSES, ROUNDING, assert_same, make
from .own_losses import Foreign
from .reference import POINTWISE

N, J = 203, 4


def on_disk(X, tmp_path):
    np.save(tmp_path / "X.npy", X)
    return np.load(tmp_path / "X.npy", mmap_mode="r")


LAYOUTS = {
    "C": lambda X, path: X,
    "Fortran": lambda X, path: np.asfortranarray(X),
    "single": lambda X, path: X.astype(np.float32),
    "half": lambda X, path: X.astype(np.float16),
    "integers": lambda X, path: (4 * X).astype(np.int16),
    "every other row": lambda X, path: np.repeat(X, 2, axis=0)[::2],
    "lists": lambda X, path: X.tolist(),
    "CSR": lambda X, path: sp.csr_array(X),
    "CSC, single": lambda X, path: sp.csc_matrix(X.astype(np.float32)),
    "COO": lambda X, path: sp.coo_array(X),
    "LIL": lambda X, path: sp.lil_array(X),
    "frame": lambda X, path: pd.DataFrame(X),
    "on disk": on_disk,
    "on disk, single, Fortran": lambda X, path: on_disk(np.asfortranarray(X.astype(np.float32)), path),
}


def expected_rows(case, X, w, *, fit_intercept=True):
    """The pointwise losses of all rows in plain NumPy."""
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    n_outputs = case.n_classes or 1
    W = w[: n_outputs * X.shape[1]].reshape(n_outputs, -1)
    eta = X @ W.T + (w[W.size :] if fit_intercept else 0.0)
    return POINTWISE[case.loss](eta if case.n_classes else eta[:, 0], case.numbers), eta


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("d", [7, 150])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_rows_and_groups_are_those_of_numpy(loss, d, fit_intercept):
    case, other = make(loss, d=d), make(loss, n=90, d=d, seed=1)
    losses = case.losses(l2=0.7, fit_intercept=fit_intercept)
    w, weight = case.point(losses), other.rng.random(90)
    held_out = losses.on(other.X, other.y, other.groups, sample_weight=weight)
    rows, eta = expected_rows(other, other.X, w, fit_intercept=fit_intercept)
    assert_same(held_out.rows(w), rows)
    assert_same(held_out.margins(w), eta if other.n_classes else eta[:, 0])
    reference = other.reference(fit_intercept=fit_intercept, sample_weight=weight)
    assert_same(held_out.values(w), reference.values(w))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_layouts(layout, loss, tmp_path, monkeypatch):
    monkeypatch.setattr(mapped_table, "PIECE_BYTES", 16 * 1024)
    case, other = make(loss, d=9), make(loss, n=1001, d=9, seed=1)
    X = LAYOUTS[layout](other.X, tmp_path)
    losses = case.losses(l2=0.7, fit_intercept=True)
    w = case.point(losses)
    held_out = losses.on(X, other.y, other.groups)
    rows, eta = expected_rows(other, X, w)
    # A loss near 0 is a difference of margins, and has their rounding errors.
    np.testing.assert_allclose(held_out.rows(w), rows, rtol=ROUNDING, atol=ROUNDING * np.abs(eta).max())
    assert_same(
        held_out.values(w),
        other.reference(np.asarray(X.toarray() if sp.issparse(X) else X), fit_intercept=True).values(w),
    )


def test_on_the_rows_of_the_fit_only_the_penalty_is_missing():
    case = make("logistic", d=5)
    losses = case.losses(l2=0.7, fit_intercept=True)
    held_out = losses.on(case.X, case.y, case.groups)
    w = case.point(losses)
    assert_same(held_out.values(w) + 0.35 * w[:5] @ w[:5], losses.values(w))
    assert held_out.group_names == losses.group_names
    np.testing.assert_array_equal(held_out.group_sizes, losses.group_sizes)
    np.testing.assert_array_equal(held_out.group_weights, losses.group_weights)
    assert held_out.n_samples == N
    assert repr(held_out) == "HeldOut(203 x 5, 4 groups, loss=Logistic())"


def test_a_group_without_rows_shifts_nothing():
    case = make("squared")
    names = np.array(["a", "b", "c", "d"])
    losses = case.losses(groups=names[case.groups])
    some = np.flatnonzero(case.groups != 1)
    held_out = losses.on(case.X[some], case.y[some], names[case.groups[some]])
    w = case.point(losses)
    assert held_out.group_names == ["a", "b", "c", "d"]
    assert held_out.group_sizes[1] == held_out.group_weights[1] == 0
    expected = losses.values(w)
    expected[1] = np.nan
    np.testing.assert_allclose(held_out.values(w), expected, rtol=1e-13)


def test_a_group_without_weight_is_without_rows():
    case = make("squared")
    losses = case.losses()
    held_out = losses.on(case.X, case.y, case.groups, sample_weight=(case.groups != 2).astype(float))
    w = case.point(losses)
    assert np.flatnonzero(np.isnan(held_out.values(w))).tolist() == [2]
    assert held_out.group_sizes[2] == 0
    assert np.isfinite(held_out.rows(w)).all(), "rows know nothing of weights"


@pytest.mark.parametrize("label", ["no", "yes"])
def test_one_class_is_enough(label):
    """The one class may be the positive or the negative one: the training set says which."""
    case = make("logistic")
    losses = case.losses()
    some = np.flatnonzero(case.y == label)
    held_out = losses.on(case.X[some], case.y[some], case.groups[some])
    w = case.point(losses)
    sign = 1.0 if label == "yes" else -1.0
    assert_same(held_out.rows(w), np.logaddexp(0.0, -sign * (case.X[some] @ w)))


@pytest.mark.parametrize("classes", [["a"], ["c"], ["c", "a"]])
def test_some_classes_of_softmax(classes):
    case = make("softmax")
    losses = case.losses(fit_intercept=True)
    some = np.flatnonzero(np.isin(case.y, classes))
    w = case.point(losses)
    held_out = losses.on(case.X[some], case.y[some], case.groups[some])
    assert_same(held_out.rows(w), expected_rows(case, case.X, w)[0][some])


def test_one_row():
    case = make("logistic")
    losses = case.losses()
    w = case.point(losses)
    value = losses.on(case.X[:1], ["no"], [case.groups[0]]).values(w)
    assert np.isfinite(value).tolist() == [True, False, False, False]


def test_numbers_of_other_types_are_the_same_labels():
    case = make("logistic")
    y, groups = (case.y == "yes").astype(int), case.groups
    losses = sb.GroupedLinear(case.X, y, groups)
    w = case.point(losses)
    expected = losses.on(case.X, y, groups).values(w)
    for kind in (float, np.int8, np.uint64, object):
        np.testing.assert_array_equal(losses.on(case.X, y.astype(kind), groups.astype(kind)).values(w), expected)
    np.testing.assert_array_equal(losses.on(case.X, y == 1, pd.Series(groups)).values(w), expected)


def test_crossed_columns():
    case = make("squared")
    race, code = np.array(["a", "b", "c", "d"])[case.groups], case.rng.integers(0, 3, N)
    losses = case.losses(groups=pd.DataFrame({"race": race, "code": code}))
    some = np.flatnonzero((code < 2) & (race != "b"))
    labels = list(zip(race[some].tolist(), code[some].tolist(), strict=True))
    # Alone, these codes of 0 and 1 would be refused.
    codes = pd.DataFrame({"race": pd.Categorical(race[some]), "code": code[some]})
    w = case.point(losses)
    for groups in (codes, labels):
        held_out = losses.on(case.X[some], case.y[some], groups)
        assert held_out.group_names == losses.group_names == [(r, c) for r in "abcd" for c in range(3)]
        by_hand = [
            np.mean(((case.X @ w - case.y) ** 2)[(race == r) & (code == c)]) if r != "b" and c < 2 else np.nan
            for r, c in losses.group_names
        ]
        np.testing.assert_allclose(held_out.values(w), by_hand, rtol=1e-13)


def test_columns_of_zero_and_one_are_crossed_where_the_training_set_says_so():
    case = make("squared")
    codes = pd.DataFrame({"a": case.groups, "b": np.arange(N) % 2})
    losses = case.losses(groups=codes)
    some = np.flatnonzero(case.groups < 2)
    held_out = losses.on(case.X[some], case.y[some], codes.iloc[some])
    assert np.flatnonzero(held_out.group_sizes).tolist() == [0, 1, 2, 3]


def test_unused_categories_do_no_harm():
    case = make("squared")
    names = np.array(["a", "b", "c", "d"])
    losses = case.losses(groups=pd.Categorical(names[case.groups], ["d", "c", "b", "a"]))
    groups = pd.Categorical(names[case.groups], ["z", "a", "b", "c", "d", "x"])
    held_out = losses.on(case.X, case.y, groups)
    w = case.point(losses)
    assert held_out.group_names == ["d", "c", "b", "a"]
    assert_same(held_out.values(w), losses.values(w))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, lambda m: pd.DataFrame(m, columns=list("abcd"))])
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_memberships(kind, named, weighted):
    case = make("squared")
    m = case.rng.random((N, J)) < 0.5
    m[:, 0] |= ~m.any(axis=1)
    if weighted:
        m = m * case.rng.random((N, J))
    losses = case.losses(groups=pd.DataFrame(m, columns=list("abcd")) if named else m)
    test = m[:50].copy()
    test[:, 2] = 0
    test[7] = 0
    weight = case.rng.random(50)
    held_out = losses.on(case.X[:50], case.y[:50], kind(test), sample_weight=weight)
    w = case.point(losses)
    assert held_out.group_names == (list("abcd") if named else [0, 1, 2, 3])
    total = test * weight[:, None]
    with np.errstate(invalid="ignore"):
        expected = total.T @ (case.X[:50] @ w - case.y[:50]) ** 2 / total.sum(axis=0)
    np.testing.assert_allclose(held_out.values(w), expected, rtol=1e-12)
    np.testing.assert_array_equal(held_out.group_sizes, (total > 0).sum(axis=0))


def test_dummies_are_matched_by_name():
    """A test set without the group b has no column for it, and its columns may be in another order."""
    case = make("squared")
    names = np.array(["a", "b", "c", "d"])[case.groups]
    losses = case.losses(groups=pd.get_dummies(pd.Series(names)))
    some = np.flatnonzero(names != "b")
    dummies = pd.get_dummies(pd.Series(names[some]))[["d", "a", "c"]]
    w = case.point(losses)
    expected = np.where(np.array(losses.group_names) == "b", np.nan, losses.values(w))
    np.testing.assert_allclose(losses.on(case.X[some], case.y[some], dummies).values(w), expected, rtol=1e-13)


def frame(columns, n=6):
    return pd.DataFrame(np.ones((n, len(columns))), columns=columns)


LABELS = ["a", "b", "c"] * 2
PLAIN = {"X": np.ones((6, 2)), "y": [0, 1] * 3, "groups": LABELS}
MATRIX = {**PLAIN, "groups": np.eye(3, dtype=bool)[[0, 1, 2] * 2]}
NAMED = {**PLAIN, "groups": pd.get_dummies(pd.Series(LABELS))}
FRAME = {**PLAIN, "X": frame(["age", "sex"])}
CROSSED = {**PLAIN, "groups": pd.DataFrame({"race": LABELS, "sex": LABELS[::-1]})}
BAD = {
    "unknown group": (
        PLAIN,
        {"groups": ["a", "b", "x", "a", "y", "b"]},
        r"losses were made with, 'a', 'b', 'c'; got 'x' in row 2. Drop",
    ),
    "unknown type of group": (PLAIN, {"groups": [0, 1, 2] * 2}, "losses were made with, 'a', 'b', 'c'; got 0 in row 0"),
    "missing group": (
        PLAIN,
        {"groups": ["a", None, *LABELS[2:]]},
        "groups must not hold missing labels; got None in row 1",
    ),
    "unknown class": (
        PLAIN,
        {"y": [0, 1, 1, 2, 0, 1]},
        "y must hold the classes that the losses were made with, 0, 1; got 2 in row 3",
    ),
    "text for a class": (PLAIN, {"y": ["0", "1"] * 3}, "with, 0, 1; got '0' in row 0"),
    "missing class": (PLAIN, {"y": [0, None] * 3}, "y must not hold missing labels; got None in row 1"),
    "y short": (PLAIN, {"y": [0, 1]}, "y must have one entry per row of X, 6; got 2"),
    "groups short": (PLAIN, {"groups": ["a"]}, "groups must have one entry per row of X, 6; got 1"),
    "more columns": (PLAIN, {"X": np.ones((6, 3))}, "X must have 2 columns, as the losses were made with; got 3"),
    "fewer columns": (PLAIN, {"X": np.ones((6, 1))}, "X must have 2 columns, as the losses were made with; got 1"),
    "no rows": (PLAIN, {"X": np.ones((0, 2))}, "at least one row"),
    "nan in X": (PLAIN, {"X": np.full((6, 2), np.nan)}, "X must be finite; got nan in row 0, column 0"),
    "masked": (PLAIN, {"y": np.ma.masked_equal([0, 1] * 3, 1)}, "y must not hold masked entries"),
    "weights short": (PLAIN, {"sample_weight": [1.0]}, "sample_weight must have one weight per row"),
    "negative weights": (PLAIN, {"sample_weight": -np.ones(6)}, "sample weights must be finite and >= 0"),
    "memberships for labels": (
        PLAIN,
        {"groups": MATRIX["groups"]},
        r"groups must be labels, as the losses were made with; got a matrix of shape \(6, 3\)",
    ),
    "sparse memberships for labels": (PLAIN, {"groups": sp.csr_array(np.eye(6))}, "groups must be labels"),
    "labels for memberships": (
        MATRIX,
        {"groups": LABELS},
        "groups must be a membership matrix, as the losses were made with; got labels",
    ),
    "fewer groups": (
        MATRIX,
        {"groups": np.ones((6, 2))},
        "one column for each of the 3 groups that the losses were made with; got 2",
    ),
    "more groups": (MATRIX, {"groups": np.ones((6, 4), dtype=bool)}, "each of the 3 groups.*got 4 columns"),
    "codes for memberships": (MATRIX, {"groups": np.full((6, 3), 2)}, "integers must hold 0 and 1; got 2"),
    "unknown column of groups": (NAMED, {"groups": frame(["a", "z"])}, "made with, 'a', 'b', 'c'; got 'z' in row 0"),
    "text for memberships": (
        NAMED,
        {"groups": pd.DataFrame({"a": LABELS, "b": LABELS})},
        "column 'a' of groups must hold real numbers",
    ),
    "crossed columns in another order": (
        CROSSED,
        {"groups": CROSSED["groups"][["sex", "race"]]},
        "groups must have the columns that the losses were made with, 'race', 'sex', in their order; got 'sex', 'race'",
    ),
    "columns in another order": (
        FRAME,
        {"X": frame(["sex", "age"])},
        r"column 0 is 'sex' and was 'age'. Pass X\[columns\] with columns = \['age', 'sex'\]",
    ),
    "columns of other names": (FRAME, {"X": frame(["age", "city"])}, "column 1 is 'city' and was 'sex'"),
}


@pytest.mark.parametrize("name", BAD)
def test_refused(name):
    made_with, changes, message = BAD[name]
    losses = sb.GroupedLinear(**made_with)
    losses.on(**made_with)
    with pytest.raises(sb.ProblemError, match=message):
        losses.on(**{**made_with, **changes})


def test_parameters_of_another_shape_are_refused():
    losses = sb.GroupedLinear(**PLAIN)
    held_out = losses.on(**PLAIN)
    for method in (held_out.values, held_out.rows, held_out.margins):
        with pytest.raises(sb.ProblemError, match=r"w must have shape \(3,\); got \(2,\)"):
            method(np.zeros(2))
        with pytest.raises(sb.ProblemError, match="w must be a vector of numbers"):
            method(["1", "2", "3"])


def test_a_matrix_has_no_names_to_compare():
    """A frame where there was a matrix, or a matrix where there was a frame, is read by position."""
    losses = sb.GroupedLinear(**FRAME)
    assert losses.feature_names == ["age", "sex"]
    assert losses.on(**PLAIN).values([1.0, 1.0, 1.0]).shape == (3,)
    losses = sb.GroupedLinear(**PLAIN)
    assert losses.feature_names is None
    assert losses.on(**FRAME).values([1.0, 1.0, 1.0]).shape == (3,)


def test_large_margins_are_no_error():
    """Values that overflow are inf, without a warning."""
    losses = sb.GroupedLinear(np.array([[1e200], [1.0]]), [1.0, 2.0], ["a", "b"], "squared", fit_intercept=False)
    held_out = losses.on(np.array([[1e200], [1.0]]), [1.0, 2.0], ["a", "b"])
    assert held_out.values([1e200]).tolist()[0] == np.inf


def test_what_is_held_out_does_not_follow_the_users_y():
    case = make("squared")
    losses = case.losses()
    y = case.y.copy()
    held_out = losses.on(case.X, y, case.groups)
    w = case.point(losses)
    before = held_out.values(w)
    y[:] = 0
    np.testing.assert_array_equal(held_out.values(w), before)


def test_losses_with_options_and_a_binary_loss_of_ones_own():
    case = make("huber")
    losses = sb.GroupedLinear(case.X, case.y, case.groups, loss=sb.losses.Huber(0.3))
    w = case.point(losses)
    r = np.abs(case.X @ w[:-1] + w[-1] - case.y)
    expected = np.where(r <= 0.3, r**2 / 2, 0.3 * r - 0.045)
    assert_same(losses.on(case.X, case.y, case.groups).rows(w), expected)
    case = make("logistic")
    losses = sb.GroupedLinear(case.X, case.y, case.groups, loss=Foreign("logistic"))
    some = np.flatnonzero(case.y == "yes")
    held_out = losses.on(case.X[some], case.y[some], case.groups[some])
    assert_same(held_out.rows(w), expected_rows(case, case.X, w)[0][some])
