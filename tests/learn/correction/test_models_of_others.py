"""Boosting of scikit-learn and of others, tables with categories, pipelines, searches."""

from __future__ import annotations

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import saddleback as sb
from learn.correction.towns import towns


def table(seed=0):
    """Numbers, a category that matters, and missing entries."""
    data = towns(n=1200, seed=seed)
    rng = np.random.default_rng(seed)
    job = rng.choice(["clerk", "cook", "nurse"], size=1200)
    frame = data.frame.assign(job=pd.Categorical(job))
    frame.loc[rng.random(1200) < 0.05, "c"] = np.nan
    return frame, data.y


def one_hot():
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return ColumnTransformer([("numbers", numbers, ["a", "b", "c"]), ("categories", OneHotEncoder(), ["job"])])


LIGHT = lightgbm.LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1, random_state=0)
HIST = HistGradientBoostingClassifier(max_iter=20, categorical_features="from_dtype", random_state=0)


@pytest.mark.parametrize("estimator", [LIGHT, HIST], ids=["lightgbm", "scikit-learn"])
@pytest.mark.parametrize("features", [["a", "b"], one_hot()], ids=["columns", "transformer"])
def test_tables_that_only_the_estimator_understands(estimator, features):
    (frame, y), (fresh, _) = table(), table(1)
    model = sb.WorstGroupCorrection(estimator, features=features, group_by="town", cv=3, l2s=[0.1, 1.0]).fit(frame, y)
    assert model.corrected_
    assert model.coef_.shape == (1, 2 if features == ["a", "b"] else 6)
    p = model.predict_proba(fresh.drop(columns="town"))
    own = model.estimator_.predict_proba(fresh.drop(columns="town"))
    assert p.shape == own.shape
    assert np.abs(p - own).max() > 0.01
    assert list(model.feature_names_in_) == ["a", "b", "c", "town", "job"]
    assert "town" not in list(model.estimator_.feature_names_in_)


def test_the_estimator_may_have_the_groups_as_features():
    frame, y = table()
    frame["town"] = frame["town"].astype("category")
    model = sb.WorstGroupCorrection(LIGHT, features=["a"], group_by="town", keep_group_columns=True, cv=3, l2s=[1.0])
    model.fit(frame, y)
    assert "town" in list(model.estimator_.feature_names_in_)


def test_a_regression():
    data = towns(n=1200)
    model = sb.WorstGroupCorrection(HistGradientBoostingRegressor(max_iter=20, random_state=0), cv=3)
    model.fit(data.X, data.score, sensitive_features=data.town)
    assert model.corrected_
    assert model.selection_.gain > 0.1
    own = sb.WorstGroupCorrection(lightgbm.LGBMRegressor(n_estimators=20, verbose=-1, n_jobs=1), cv=3, l2s=[0.1])
    assert own.fit(data.frame[["a", "b", "c"]], data.score, sensitive_features=data.town).corrected_


def test_classes_as_booleans_and_three_classes():
    data = towns(n=1200)
    model = sb.WorstGroupCorrection(LIGHT, cv=3, l2s=[0.1])
    model.fit(data.frame[["a", "b", "c"]], data.score > 0, sensitive_features=data.town)
    assert model.classes_.tolist() == [False, True]
    model.fit(data.frame[["a", "b", "c"]], np.digitize(data.score, [-1, 1]), sensitive_features=data.town)
    assert model.predict_proba(data.frame[["a", "b", "c"]]).shape == (1200, 3)


def test_weights_reach_the_last_step_of_a_pipeline():
    data, weight = towns(), np.resize([1.0, 3.0], 800)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    model = sb.WorstGroupCorrection(pipeline, cv=3, l2s=[1.0])
    model.fit(data.X, data.y, sensitive_features=data.town, sample_weight=weight)
    own = make_pipeline(StandardScaler(), LogisticRegression()).fit(
        data.X, data.y, logisticregression__sample_weight=weight
    )
    np.testing.assert_array_equal(model.estimator_[-1].coef_, own[-1].coef_)


def test_a_search_as_the_estimator():
    data = towns(slope=-2.0)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2)
    model = sb.WorstGroupCorrection(search, l2s=[0.1], rule="best")
    model.fit(data.X, data.y, sensitive_features=data.town)
    assert model.estimator_.best_params_["C"] in (0.1, 1.0)
    assert model.corrected_


class CopiesItsParameters(LogisticRegression):
    """As CatBoost does, a model that stores a copy of a list; scikit-learn's clone refuses it."""

    def __init__(self, columns=None):
        super().__init__()
        self.columns = None if columns is None else list(columns)


def test_a_model_that_cannot_be_cloned_is_copied():
    data, base = towns(), CopiesItsParameters(columns=["a"])
    model = sb.WorstGroupCorrection(base, cv=3, l2s=[0.1]).fit(data.X, data.y, sensitive_features=data.town)
    assert model.estimator_.columns == ["a"]
    assert not hasattr(base, "coef_")


def test_a_frozen_model_is_not_fitted_again():
    data, new = towns(seed=1), towns()
    base = LIGHT.fit(data.X, data.y)
    before = base.predict_proba(new.X)
    model = sb.WorstGroupCorrection(FrozenEstimator(base), cv=3, l2s=[0.1])
    model.fit(new.X, new.y, sensitive_features=new.town, sample_weight=np.ones(800))
    assert model.estimator_.estimator is base
    np.testing.assert_array_equal(model.estimator_.predict_proba(new.X), before)
