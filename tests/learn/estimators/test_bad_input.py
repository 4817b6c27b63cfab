"""One clear error for each kind of bad input, before any work is done."""

from __future__ import annotations

import re
from inspect import signature

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, log_loss, make_scorer
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, StratifiedGroupKFold
from sklearn.pipeline import make_pipeline

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


@pytest.mark.parametrize("word", ["classes", "rows"])
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_words_that_are_columns_as_well(library, word):
    frame = library({"age": DATA.X[:, 0], word: DATA.town})
    with pytest.raises(sb.ProblemError, match=rf"group_by='{word}' must have one meaning.*Pass \['{word}'\]"):
        fit(sb.MinimaxClassifier(group_by=word), X=frame, groups=None)
    model = fit(sb.MinimaxClassifier(group_by=[word]), X=frame, groups=None)
    assert model.group_names_ == ["big", "mid", "small"]
    assert model.coef_.shape == (1, 1)
    assert model.predict(frame).shape == (300,)


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


MISSING_LABEL = "y must not hold missing labels; got None in row 1"
TARGETS = {
    "None beside text": (["a", None] * 150, MISSING_LABEL),
    "None beside numbers": ([1, None, 0] * 100, MISSING_LABEL),
    "nan beside text": (
        np.array(["a", np.nan] * 150, dtype=object),
        MISSING_LABEL.replace("None", "nan"),
    ),
    "null": (pl.Series(["a", None] * 150), MISSING_LABEL),
    "mixed": (
        np.array([1, "a"] * 150, dtype=object),
        r"y must hold labels of one type.*got int and str\. Convert them",
    ),
}


@pytest.mark.parametrize("case", TARGETS)
def test_targets_that_are_missing_or_mixed(case):
    y, message = TARGETS[case]
    with pytest.raises(sb.ProblemError, match=f"^{message}"):
        fit(y=y)
    with pytest.raises(sb.ProblemError, match=f"^{message}"):
        sb.fairness_path(DATA.X, y, sensitive_features=DATA.town)


@pytest.mark.parametrize("model", [sb.MinimaxClassifier(), sb.WorstGroupCorrection(LogisticRegression())])
def test_columns_of_the_same_name(model):
    repeated = pd.DataFrame(DATA.X, columns=["age", "rate", "age"])
    with pytest.raises(sb.ProblemError, match="X must have columns of different names; got 'age' 2 times"):
        fit(model, X=repeated)


def test_columns_of_the_same_name_in_arrow():
    """Its tables may have them, and refuse to tell which one is meant."""

    class Table:
        shape, column_names = (300, 2), ["age", "age"]

    with pytest.raises(sb.ProblemError, match="columns of different names; got 'age', 'age'"):
        fit(X=Table())


@pytest.mark.parametrize("group_by", [4.0, np.array(4.0), {"town"}, []])
def test_groups_that_are_no_names(group_by):
    for X in (DATA.X, DATA.frame):
        with pytest.raises(sb.ProblemError, match="group_by must"):
            fit(sb.MinimaxClassifier(group_by=group_by), X=X, groups=None)


@pytest.mark.parametrize("group_by", [("town", ""), [("town", "")]])
def test_a_tuple_that_is_the_name_of_a_column(group_by):
    frame = pd.DataFrame(DATA.X, columns=pd.MultiIndex.from_product([["x"], ["1", "2", "3"]]))
    frame[("town", "")] = DATA.town
    model = fit(sb.MinimaxClassifier(group_by=group_by), X=frame, groups=None)
    assert model.group_names_ == ["big", "mid", "small"]
    assert model.coef_.shape == (1, 3)
    assert model.predict(frame).shape == (300,)
    with pytest.raises(sb.ProblemError, match="must have all columns of the fit, those of group_by as well"):
        model.predict(frame.iloc[:, :3])


@pytest.mark.parametrize("n_jobs", [0, "all", 1.5])
def test_numbers_of_jobs(n_jobs):
    with pytest.raises(sb.ProblemError, match="n_jobs must be a whole number other than 0, or None; got"):
        fit(sb.WorstGroupCorrection(LogisticRegression(), n_jobs=n_jobs))
    with pytest.raises(sb.ProblemError, match="n_jobs must be a whole number"):
        sb.fairness_path(DATA.X, DATA.y, sensitive_features=DATA.town, n_jobs=n_jobs)


def test_features_that_are_no_numbers():
    with pytest.raises(sb.ProblemError, match=r"column 'sex' of X must hold real numbers.*OneHotEncoder in a pipeline"):
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


@pytest.mark.parametrize("names", ["town", ["town"], ["sex", "town"], ("sex", "town")])
@pytest.mark.parametrize(
    "model", [sb.MinimaxClassifier(), sb.MinimaxRegressorCV(), sb.WorstGroupCorrection(LogisticRegression())]
)
def test_names_of_columns_in_the_place_of_labels(model, names):
    """Before the columns themselves are refused as features."""
    with pytest.raises(sb.ProblemError, match=r"these are names of columns of X. Pass group_by=\[.*'town'\].*X\[\["):
        fit(model, X=DATA.frame, groups=names)


@pytest.mark.parametrize(
    "labels",
    [DATA.town, DATA.town.tolist(), DATA.frame["town"], DATA.frame[["town", "sex"]], pl.Series(DATA.town.tolist())],
)
def test_labels_in_the_place_of_names(labels):
    with pytest.raises(sb.ProblemError, match=r"got \w+ of 300 rows. Pass labels as sensitive_features"):
        fit(sb.MinimaxClassifier(group_by=labels), X=DATA.frame, groups=None)


def test_positions_of_two_columns_of_two_rows_are_no_labels():
    with pytest.raises(sb.ProblemError, match="besides the columns of group_by"):
        fit(sb.MinimaxClassifier(group_by=[0, 1]), X=np.eye(2), y=[0, 1], groups=None)


def test_names_that_a_column_transformer_has_changed():
    step = make_column_transformer(("passthrough", ["age", "town"]), remainder="drop").set_output(transform="pandas")
    pipeline = make_pipeline(step, sb.MinimaxClassifier(group_by="town"))
    with pytest.raises(sb.ProblemError, match=r"'passthrough__town'\? .*verbose_feature_names_out=False"):
        pipeline.fit(DATA.frame, DATA.y)


@pytest.mark.parametrize("scoring", [sb.worst_group_scorer(), make_scorer(log_loss), get_scorer("accuracy")])
def test_scorers_are_no_scores_of_rows(scoring):
    with pytest.raises(sb.ProblemError, match=r"function of \(y, prediction\).*worst group is taken anyway"):
        fit(sb.MinimaxClassifierCV(scoring=scoring))


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_scores_of_rows_are_finite_or_nan(infinite):
    def score(y, prediction):
        return np.where(y == "no", np.nan, np.where(prediction[:, 1] > 0.5, 0.0, infinite))

    with pytest.raises(sb.ProblemError, match=f"scoring score must return finite numbers, or NaN.*got {infinite:g}"):
        fit(sb.MinimaxClassifierCV(scoring=score, l2s=[0.1], priors=[0], cv=2))


@pytest.mark.parametrize("cv", [GroupKFold(3), LeaveOneGroupOut(), StratifiedGroupKFold(3)])
def test_splitters_that_need_groups(cv):
    with pytest.raises(sb.ProblemError, match=rf"cv=list\({type(cv).__name__}\(...\).split\(X, y, person\)\)"):
        fit(sb.MinimaxClassifierCV(cv=cv))
    model = sb.MinimaxClassifierCV([1.0], l2s=[0.01], cv=list(GroupKFold(3).split(DATA.X, DATA.y, np.arange(300) // 2)))
    assert len(fit(model).selection_.candidates) > 1


def test_errors_of_splitters_are_their_own():
    with pytest.raises(ValueError, match="n_splits=400"):
        fit(sb.MinimaxClassifierCV(cv=KFold(400)))


def test_lazy_frames():
    lazy = pl.DataFrame(DATA.X).lazy()
    for parameters in ({"X": lazy}, {"groups": lazy}):
        with pytest.raises(sb.ProblemError, match=r"got a LazyFrame.*Call .collect\(\)"):
            fit(**parameters)


def test_unknown_losses_are_told_those_of_the_estimator():
    with pytest.raises(sb.ProblemError, match="expected one of 'logistic', 'squared_hinge', 'softmax', or"):
        fit(sb.MinimaxClassifier(loss="log"))
    with pytest.raises(sb.ProblemError, match="expected one of 'squared', 'huber', 'poisson', 'quantile', or"):
        fit(sb.MinimaxRegressor(loss="mse"), y=DATA.score)


@pytest.mark.parametrize(
    "model", [sb.MinimaxClassifier(), sb.MinimaxClassifierCV(), sb.WorstGroupCorrection(LogisticRegression())]
)
@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("groups", "Pass the labels of the groups as sensitive_features."),
        ("group_by", r"It is a parameter of the estimator: \w+\(group_by=...\)"),
        ("sample_weights", "Did you mean 'sample_weight'?"),
        ("callback", "Expected X, y, sensitive_features, sample_weight."),
    ],
)
def test_unknown_arguments_of_fit(model, name, remedy):
    with pytest.raises(sb.ProblemError, match=rf"{type(model).__name__}.fit has no argument '{name}'. {remedy}"):
        model.fit(DATA.X, DATA.y, **{name: DATA.town})
    assert list(signature(model.fit).parameters) == ["X", "y", "sensitive_features", "sample_weight"]


@pytest.mark.parametrize(
    ("kind", "name", "remedy"),
    [
        (sb.MinimaxClassifierCV, "dual_set", "worst_weights= and priors= list; MinimaxClassifier has dual_set."),
        (sb.MinimaxRegressorCV, "dual_set", "worst_weights= and priors= list; MinimaxRegressor has dual_set."),
        (sb.WorstGroupCorrection, "dual_set", "worst_weights= and priors= list."),
        (sb.MinimaxClassifierCV, "worst_weight", "Did you mean 'worst_weights'?"),
        (sb.MinimaxRegressorCV, "l2", "Did you mean 'l2s'?"),
        (sb.MinimaxRegressor, "worst_weights", "Did you mean 'worst_weight'?"),
        (sb.MinimaxClassifier, "groups", "to fit, as sensitive_features=, or name columns of X by group_by=."),
        (sb.MinimaxClassifier, "penalty", "It has worst_weight, l2, "),
    ],
)
def test_unknown_parameters(kind, name, remedy):
    given = (LogisticRegression(),) if kind is sb.WorstGroupCorrection else ()
    with pytest.raises(TypeError, match=rf"^{kind.__name__} has no parameter '{name}'\. .*{re.escape(remedy)}"):
        kind(*given, **{name: 1})
    assert {*signature(kind).parameters} == {*kind(*given).get_params(deep=False)}


def test_no_groups_is_one_warning():
    with pytest.warns(UserWarning, match="no groups: this is the ordinary model") as warnings:
        model = fit(groups=None)
    assert len(warnings) == 1
    assert model.group_names_ == ["(all rows)"]


@pytest.mark.parametrize("parameters", [{"dual_set": sb.CappedSimplex(0.9)}, {"prior": 1.0}, {"prior": 0.5}])
def test_weights_of_single_rows_that_the_adversary_would_not_know(parameters):
    model = sb.MinimaxClassifier(group_by="rows", **parameters)
    with pytest.raises(sb.ProblemError, match="sample_weight has no effect"):
        fit(model, groups=None, sample_weight=np.resize([1.0, 2.0], 300))
    assert fit(model, groups=None, sample_weight=np.full(300, 2.0)).certified_


def test_weights_of_single_rows_as_repeated_rows():
    weight = np.resize([1, 2], 60)
    X, y, rows = DATA.X[:60], DATA.y[:60], np.repeat(np.arange(60), weight)
    model = sb.MinimaxClassifier(0.3, group_by="rows", tol=1e-9).fit(X, y, sample_weight=weight)
    repeated = sb.MinimaxClassifier(0.3, group_by="rows", tol=1e-9).fit(X[rows], y[rows])
    assert model.result_.value == pytest.approx(repeated.result_.value, abs=1e-7)


def test_splits_that_hold_nothing_out():
    everything = np.arange(300)
    with pytest.raises(sb.ProblemError, match="300 rows on both sides of split 0"):
        fit(sb.MinimaxClassifierCV(cv=[(everything, everything)]))
    small = DATA.town == "small"
    cv = [
        (np.flatnonzero((everything % 3 != k) | small), np.flatnonzero((everything % 3 == k) & ~small))
        for k in range(3)
    ]
    with pytest.raises(sb.ProblemError, match="rows of every group; got none of group 'small'"):
        fit(sb.MinimaxClassifierCV(cv=cv))


@pytest.mark.parametrize("model", [sb.MinimaxClassifier(n_jobs=0), sb.MinimaxClassifierCV(n_jobs=0)])
def test_no_jobs(model):
    with pytest.raises(sb.ProblemError, match="n_jobs must be a whole number other than 0"):
        fit(model)
