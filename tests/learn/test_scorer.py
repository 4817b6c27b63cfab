"""The score of the worst group, with and without metadata routing."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import saddleback as sb

N = 240


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((N, 3)), columns=["x1", "x2", "x3"])
    X["sex"] = rng.integers(0, 2, N)
    noise = 1.0 + 2.0 * X["sex"]
    y = (X["x1"] + noise * rng.standard_normal(N) > 0).to_numpy()
    return X, y


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


METRICS = {"loss": -1, "accuracy": 1, "true_positive_rate": 1, "false_positive_rate": -1, "false_negative_rate": -1}


@pytest.mark.parametrize("metric", METRICS)
def test_the_score_is_the_worst_of_the_table(data, metric):
    X, y = data
    model = LogisticRegression().fit(X, y)
    weights = np.random.default_rng(1).random(N)
    column = sb.group_table(y, model.predict_proba(X), X["sex"], sample_weight=weights)[metric]
    worst = column.min() if METRICS[metric] == 1 else -column.max()
    assert sb.worst_group_scorer(metric, group_by="sex")(model, X, y, sample_weight=weights) == pytest.approx(worst)
    assert sb.worst_group_scorer(metric)(
        model, X, y, sensitive_features=X["sex"], sample_weight=weights
    ) == pytest.approx(worst)
    by_threshold = sb.worst_group_scorer(metric, group_by=["sex"], threshold=0.5)
    assert by_threshold(model, X, y, sample_weight=weights) == pytest.approx(worst)


def test_regression(data):
    X, _ = data
    y = X["x1"] * 2 + X["sex"] * X["x2"]
    model = LinearRegression().fit(X, y)
    table = sb.group_table(y, model.predict(X), X["sex"])
    assert sb.worst_group_scorer(group_by="sex")(model, X, y) == pytest.approx(-table["loss"].max())
    mae = sb.worst_group_scorer("mean_absolute_error", group_by="sex")(model, X, y)
    assert mae == pytest.approx(-table["mean_absolute_error"].max())
    assert sb.worst_group_scorer(group_by="sex", loss="absolute")(model, X, y) == pytest.approx(mae)


def test_regression_of_two_values(data):
    X, y = data
    model = LinearRegression().fit(X, y.astype(float))
    assert sb.worst_group_scorer(group_by="sex")(model, X, y.astype(float)) < 0


def test_without_probabilities(data):
    X, y = data
    model = LinearSVC().fit(X, y)
    accuracy = sb.worst_group_scorer("accuracy", group_by="sex")(model, X, y)
    assert sb.worst_group_scorer(group_by="sex", loss="zero_one")(model, X, y) == pytest.approx(accuracy - 1)
    with pytest.raises(sb.ProblemError, match="needs probabilities; LinearSVC has no predict_proba"):
        sb.worst_group_scorer(group_by="sex")(model, X, y)


def test_a_fold_may_lack_a_class_or_a_group(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    scorer = sb.worst_group_scorer(group_by="sex")
    assert np.isfinite(scorer(model, X[y], y[y]))
    assert np.isfinite(scorer(model, X[X["sex"] == 1], y[X["sex"] == 1]))
    negative = ~y
    assert np.isnan(sb.worst_group_scorer("true_positive_rate", group_by="sex")(model, X[negative], y[negative]))
    three = np.where(X["x2"] > 1, "c", np.where(y, "b", "a"))
    many = LogisticRegression().fit(X, three)
    assert np.isfinite(scorer(many, X[three != "b"], three[three != "b"]))


def test_cross_validation_and_grid_search_by_columns(data):
    X, y = data
    scorer = sb.worst_group_scorer("accuracy", group_by="sex")
    cv = KFold(3)
    scores = cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=cv)
    expected = []
    for train, test in cv.split(X):
        model = LogisticRegression().fit(X.iloc[train], y[train])
        right = model.predict(X.iloc[test]) == y[test]
        expected.append(min(right[X["sex"].iloc[test] == sex].mean() for sex in (0, 1)))
    np.testing.assert_allclose(scores, expected)
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, scoring=scorer, cv=cv).fit(X, y)
    assert search.best_score_ == pytest.approx(search.cv_results_["mean_test_score"].max())
    several = cross_validate(
        make_pipeline(StandardScaler(), LogisticRegression()),
        X,
        y,
        scoring={"worst": scorer, "loss": sb.worst_group_scorer(group_by="sex"), "mean": "accuracy"},
        cv=cv,
    )
    assert (several["test_worst"] <= several["test_mean"]).all()
    in_processes = cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=cv, n_jobs=2)
    np.testing.assert_allclose(in_processes, scores)


@pytest.mark.usefixtures("routing")
def test_metadata_routing(data):
    X, y = data
    groups = X["sex"].to_numpy()
    cv = KFold(3)
    routed = sb.worst_group_scorer().set_score_request(sensitive_features=True)
    scores = cross_val_score(LogisticRegression(), X, y, scoring=routed, cv=cv, params={"sensitive_features": groups})
    by_column = cross_val_score(LogisticRegression(), X, y, scoring=sb.worst_group_scorer(group_by="sex"), cv=cv)
    np.testing.assert_allclose(scores, by_column)
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, scoring=routed, cv=cv)
    search.fit(X, y, sensitive_features=groups)
    assert search.best_score_ >= scores.mean() - 1e-9
    several = cross_validate(
        LogisticRegression(), X, y, scoring={"worst": routed}, cv=cv, params={"sensitive_features": groups}
    )
    np.testing.assert_allclose(several["test_worst"], scores)
    with_weights = sb.worst_group_scorer().set_score_request(sensitive_features="g", sample_weight="w")
    model = LogisticRegression().set_fit_request(sample_weight=False)
    weights = np.random.default_rng(2).random(N)
    other = cross_val_score(model, X, y, scoring=with_weights, cv=cv, params={"g": groups, "w": weights})
    assert (other != scores).all()


@pytest.mark.usefixtures("routing")
def test_requests_survive_copies():
    scorer = sb.worst_group_scorer("accuracy", min_group_size=5).set_score_request(sensitive_features=True)
    search = GridSearchCV(DummyClassifier(), {}, scoring=scorer)
    for other in (clone(scorer), pickle.loads(pickle.dumps(scorer)), clone(search).scoring):
        assert other.get_metadata_routing().score.requests == {"sensitive_features": True, "sample_weight": None}
        assert other.get_params() == scorer.get_params()
    with pytest.raises(TypeError, match="Unexpected args"):
        scorer.set_score_request(estimator=True)


def test_small_groups_are_merged(data):
    X, y = data
    groups = X["sex"].astype(str).to_numpy(object)
    groups[0], groups[1] = "alone", "also alone"
    model = DummyClassifier(strategy="constant", constant=not y[0]).fit(X, y)
    assert sb.worst_group_scorer("accuracy")(model, X, y, sensitive_features=groups) == 0.0
    merged = sb.worst_group_scorer("accuracy", min_group_size=10)(model, X, y, sensitive_features=groups)
    assert merged > 0.2


BAD = {
    "metric": ({"metric": "f1", "group_by": "sex"}, {}, "metric must be one of 'loss', 'accuracy'.*; got 'f1'"),
    "regression metric": (
        {"metric": "mean_absolute_error", "group_by": "sex"},
        {},
        "not defined for predictions of this",
    ),
    "neither": ({}, {}, "needs group_by or sensitive_features; got neither"),
    "both": ({"group_by": "sex"}, {"sensitive_features": [0] * N}, "needs group_by or sensitive_features; got both"),
    "column": ({"group_by": "sexe"}, {}, "group_by must name columns of X; got 'sexe'.*Did you mean 'sex'"),
    "missing": (
        {"missing_groups": "error"},
        {"sensitive_features": [None] * N},
        "got 240 of 240 rows without one, the first in row 0",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(data, case):
    X, y = data
    options, metadata, message = BAD[case]
    model = LogisticRegression().fit(X, y)
    with pytest.raises(sb.ProblemError, match=message):
        sb.worst_group_scorer(**options)(model, X, y, **metadata)
