"""One clear error for each kind of bad input, before any work is done."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import saddleback as sb
from learn.people import people

DATA = people()


def fit(model=None, X=DATA.X, y=DATA.y, groups=DATA.town, **fit_params):
    return (sb.MinimaxClassifier() if model is None else model).fit(X, y, sensitive_features=groups, **fit_params)


@pytest.mark.parametrize("group_by", ["twon", ["twon"], ["sex", "twon"]])
def test_unknown_column(group_by):
    with pytest.raises(sb.ProblemError, match=r"group_by must name columns of X; got 'twon'.*'town'"):
        fit(sb.MinimaxClassifier(group_by=group_by), X=DATA.frame, groups=None)


def test_column_names_need_a_frame():
    with pytest.raises(sb.ProblemError, match="data frame"):
        fit(sb.MinimaxClassifier(group_by="town"), groups=None)


@pytest.mark.parametrize(
    "model", [sb.MinimaxClassifierCV(group_by="rows"), sb.WorstGroupCorrection(LogisticRegression(), group_by="rows")]
)
def test_single_rows_cannot_be_judged_by_held_out_rows(model):
    with pytest.raises(sb.ProblemError, match=r"needs groups with rows to hold out; got group_by='rows'"):
        fit(model, groups=None)


def test_one_group():
    with pytest.raises(sb.ProblemError, match="at least two groups; got only 'all'"):
        fit(groups=["all"] * 300)


def test_a_group_of_one_row():
    groups = DATA.town.astype(object)
    groups[7] = "hermit"
    with pytest.raises(sb.ProblemError, match=r"one row of group 'hermit'.*min_group_size"):
        fit(groups=groups)
    assert "hermit" in fit(sb.MinimaxClassifier(min_group_size=1), groups=groups).group_names_
    merged = fit(sb.MinimaxClassifier(min_group_size=20), groups=groups)
    assert merged.merged_groups_["hermit"] == 1
    assert "(rest)" in merged.group_names_


def test_ten_thousand_groups():
    n = 20_000
    X, y = np.arange(2.0 * n).reshape(n, 2), np.arange(n) % 2
    with pytest.raises(sb.ProblemError, match="at most 1000 groups; got 10000 for 20000 rows"):
        fit(X=X, y=y, groups=np.arange(n) // 2)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_missing_groups(missing):
    groups = DATA.town.astype(object)
    groups[[3, 4]] = missing
    with pytest.raises(sb.ProblemError, match="2 of 300 rows without one, the first in row 3"):
        fit(groups=groups)
    model = fit(sb.MinimaxClassifier(missing_groups="group"), groups=groups)
    assert model.group_names_[-1] == "(missing)"
    assert model.group_sizes_[-1] == 2


def test_constant_target():
    with pytest.raises(sb.ProblemError, match="one class only, 'yes'"):
        fit(y=["yes"] * 300)
    with pytest.raises(sb.ProblemError, match="the number 3 in every row"):
        fit(sb.MinimaxRegressor(), y=np.full(300, 3.0))


def test_target_of_the_wrong_type():
    with pytest.raises(ValueError, match="continuous"):
        fit(y=DATA.score)
    with pytest.raises(sb.ProblemError, match="y must hold numbers"):
        fit(sb.MinimaxRegressor())
    with pytest.raises(ValueError, match="y"):
        fit(y=None)


def test_features_that_are_no_numbers():
    with pytest.raises(sb.ProblemError, match="column 'sex' of X must hold real numbers"):
        fit(X=DATA.frame.drop(columns="town"))


def test_groups_from_two_places():
    with pytest.raises(sb.ProblemError, match="one place"):
        fit(sb.MinimaxClassifier(group_by="town"), X=DATA.frame.drop(columns="sex"))


def test_no_features_left():
    with pytest.raises(sb.ProblemError, match="keep_group_columns"):
        fit(sb.MinimaxClassifier(group_by=["town"]), X=DATA.frame[["town"]], groups=None)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"worst_weight": 1.5}, "worst_weight must be between 0 and 1; got 1.5"),
        ({"worst_weight": "high"}, "worst_weight"),
        ({"l2": -1.0}, "l2"),
        ({"prior": "equal"}, "prior must be 'shares', 'balanced'"),
        ({"prior": 2.0}, "prior must be between 0 and 1"),
        ({"prior": [0.5, 0.5]}, "prior"),
        ({"prior": {"big": 1.0}}, "one weight for each of the groups"),
        ({"prior": [1.0, 1.0, 0.0]}, "prior must be positive"),
        ({"reference": "mine"}, "reference must be None, 'average', 'own'"),
        ({"reference": [1.0]}, "reference"),
        ({"loss": "squared"}, "loss of a classifier"),
        ({"loss": "unheard"}, "unknown loss 'unheard'"),
        ({"dual_set": sb.Simplex(), "worst_weight": 0.5}, "takes the place of worst_weight"),
        ({"tol": 0.0}, "tol"),
        ({"missing_groups": "drop"}, "missing_groups must be 'error' or 'group'"),
        ({"crossed": "yes"}, "crossed"),
        ({"min_group_size": 0}, "min_group_size"),
        ({"standardize": 2}, "standardize"),
    ],
)
def test_parameters(parameters, message):
    with pytest.raises(sb.ProblemError, match=message):
        fit(sb.MinimaxClassifier(**parameters))


def test_labels_of_another_length():
    with pytest.raises(sb.ProblemError, match="one label per row, 300; got 299"):
        fit(groups=DATA.town[:-1])


def test_classes_as_groups_need_classes():
    with pytest.raises(sb.ProblemError, match="group_by='classes' is for classifiers"):
        fit(sb.MinimaxRegressor(group_by="classes"), y=DATA.score, groups=None)


def test_two_class_loss_with_three_classes():
    with pytest.raises(sb.ProblemError, match="two classes; got 3"):
        fit(sb.MinimaxClassifier(loss="squared_hinge"), y=DATA.town)


def test_other_columns_at_prediction():
    model = fit(sb.MinimaxClassifier(group_by="town"), X=DATA.frame.drop(columns="sex"), groups=None)
    with pytest.raises(sb.ProblemError, match="expected 'age', 'income', 'rate'"):
        model.predict(DATA.frame[["age", "rate", "income"]])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(DATA.frame[["age", "town"]])


def test_no_groups_is_one_warning():
    with pytest.warns(UserWarning, match="no groups: this is the ordinary model") as warnings:
        model = fit(groups=None)
    assert len(warnings) == 1
    assert model.group_names_ == ["(all rows)"]
