"""One clear error for each kind of bad input, before the estimator is fitted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder

import saddleback as sb
from learn.correction.towns import towns

DATA = towns(n=300)


def fit(estimator=None, X=DATA.X, y=DATA.y, groups=DATA.town, sample_weight=None, **parameters):
    estimator = LogisticRegression() if estimator is None else estimator
    model = sb.WorstGroupCorrection(estimator, **parameters)
    return model.fit(X, y, sensitive_features=groups, sample_weight=sample_weight)


class OnlyPredict(NearestCentroid):
    """A classifier without a margin."""

    predict_proba = decision_function = None


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (LogisticRegression, r"got the class LogisticRegression. Pass an object of it: LogisticRegression\(\)"),
        ("logistic", "estimator must have fit and predict; got str"),
        (StandardScaler(), "estimator must have fit and predict; got StandardScaler"),
        (KMeans(), "must be a classifier or a regressor; got KMeans"),
        (OnlyPredict(), "must have predict_proba or decision_function.*got OnlyPredict"),
    ],
)
def test_estimators(estimator, message):
    with pytest.raises(sb.ProblemError, match=message):
        fit(estimator)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cv": 301}, "cv must be at most the number of rows, 300; got 301"),
        ({"cv": 1}, "cv must be a whole number >= 2"),
        ({"cv": ShuffleSplit(3, random_state=0)}, "cv must hold out every row once"),
        ({"rule": "two_se"}, "rule must be one of"),
        ({"scoring": "auc"}, "scoring must be one of"),
        ({"loss": "squared"}, "loss of a classifier"),
        ({"worst_weights": [2.0]}, "worst_weights must be between 0 and 1"),
        ({"l2s": []}, "l2s must hold at least one number"),
        ({"features": ["age"]}, "features must be positions of columns"),
        ({"features": [7]}, "features must be positions of columns of X, from 0 to 2; got 7"),
        ({"features": StandardScaler}, "got the class StandardScaler"),
        ({"features": 1.5}, "features must be a column's name or a list of them"),
    ],
)
def test_parameters(parameters, message):
    with pytest.raises(sb.ProblemError, match=message):
        fit(**parameters)


def test_unknown_columns():
    frame = DATA.frame.rename(columns={"a": "age"})
    with pytest.raises(sb.ProblemError, match=r"features must name columns of X; got 'aeg'.*'age'"):
        fit(X=frame, groups=None, group_by="town", features=["aeg"])
    with pytest.raises(sb.ProblemError, match=r"must not name columns of group_by.*'town'.*keep_group_columns=True"):
        fit(X=frame, groups=None, group_by="town", features=["age", "town"])


def test_columns_that_are_no_numbers():
    with pytest.raises(sb.ProblemError, match=r"column 'town' of X must hold.*\). The correction.*features=\["):
        fit(X=DATA.frame)


def test_missing_entries_that_only_the_estimator_understands():
    X = DATA.X.copy()
    X[3, 1] = np.nan
    with pytest.raises(sb.ProblemError, match=r"(?s)NaN.*features=\[...\]"):
        fit(HistGradientBoostingClassifier(max_iter=5), X=X)
    assert fit(HistGradientBoostingClassifier(max_iter=5), X=X, features=[0, 2], cv=2).coef_.shape == (1, 2)


def test_a_class_of_one_row():
    y = DATA.y.astype(object)
    y[5] = "maybe"
    with pytest.raises(sb.ProblemError, match="every class must be among the training rows of every fold"):
        fit(y=y)


def test_weights_that_the_estimator_does_not_take():
    weight = np.ones(300)
    with pytest.raises(sb.ProblemError, match=r"whose fit takes it; got KNeighborsClassifier.*routing"):
        fit(KNeighborsClassifier(), sample_weight=weight)
    with pytest.raises(sb.ProblemError, match="got Pipeline"):
        fit(make_pipeline(StandardScaler(), KNeighborsClassifier()), sample_weight=weight)


def test_transformers_do_not_see_the_target():
    with pytest.raises(TypeError, match="y"):
        fit(features=TargetEncoder())


@pytest.mark.parametrize("groups", [DATA.town, None])
def test_a_model_without_groups_is_told_once(groups):
    """The estimator's five folds say nothing, nor does it say again what was said of the correction."""
    with pytest.warns(UserWarning, match="no groups") as warnings:
        fit(sb.MinimaxClassifier(), groups=groups, l2s=[1.0])
    assert len(warnings) == 1


def test_no_target():
    with pytest.raises(ValueError, match="requires y to be passed"):
        fit(y=None)


def test_probabilities_only_where_the_estimator_has_them():
    model = fit(Perceptron(), cv=2)
    assert not hasattr(model, "predict_proba")
    assert model.decision_function(DATA.X).shape == (300,)
