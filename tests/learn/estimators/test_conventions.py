"""The conventions of scikit-learn."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import saddleback as sb
from learn.people import people


def to_polars(frame):
    return pl.DataFrame({name: frame[name].to_list() for name in frame})


FEATURES = ["age", "income", "rate"]
SINGLE = [sb.MinimaxClassifier(), sb.MinimaxRegressor()]
CHOSEN = [sb.MinimaxClassifierCV(cv=3, l2s=[1e-3, 1e-1]), sb.MinimaxRegressorCV(cv=3, l2s=[1e-3, 1e-1])]


@parametrize_with_checks([*SINGLE, *CHOSEN])
@pytest.mark.filterwarnings("ignore:no groups", "ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def target(estimator, data):
    return data.score if sklearn.base.is_regressor(estimator) else data.y


@pytest.mark.parametrize("estimator", [*SINGLE, *CHOSEN])
class TestEveryEstimator:
    def test_clone_and_pickle(self, estimator):
        data = people()
        model = clone(estimator).fit(data.X, target(estimator, data), sensitive_features=data.town)
        again = clone(model).fit(data.X, target(estimator, data), sensitive_features=data.town)
        assert np.array_equal(again.coef_, model.coef_), "two runs give the same bits"
        assert again.get_params().keys() == model.get_params().keys()
        loaded = pickle.loads(pickle.dumps(model))
        assert np.array_equal(loaded.predict(data.X), model.predict(data.X))

    def test_frames_of_pandas_and_polars(self, estimator):
        data = people()
        frame, y = data.frame[FEATURES], target(estimator, data)
        plain = clone(estimator).fit(data.X, y, sensitive_features=data.town)
        for X in (frame, to_polars(frame)):
            model = clone(estimator).fit(X, y, sensitive_features=data.town)
            assert list(model.feature_names_in_) == FEATURES
            assert np.array_equal(model.coef_, plain.coef_)
            assert np.array_equal(model.predict(X), plain.predict(data.X))
            with pytest.raises(ValueError, match="feature names"):
                model.predict(X[FEATURES[::-1]])

    @pytest.mark.parametrize("library", [pd.DataFrame, to_polars])
    def test_groups_by_columns_of_a_frame(self, estimator, library):
        data = people()
        frame, y = library(data.frame), target(estimator, data)
        by_labels = clone(estimator).fit(data.X, y, sensitive_features=data.town)
        rest = library(data.frame[[*FEATURES, "town"]])
        by_column = clone(estimator).set_params(group_by="town").fit(rest, y)
        assert np.array_equal(by_column.coef_, by_labels.coef_)
        assert by_column.group_names_ == ["big", "mid", "small"]
        crossed = clone(estimator).set_params(group_by=["town", "sex"]).fit(frame, y)
        assert crossed.group_names_[:2] == [("big", "f"), ("big", "m")]
        assert crossed.n_features_in_ == 5
        # At prediction the group columns may be left out.
        assert np.array_equal(crossed.predict(frame), crossed.predict(library(data.frame[FEATURES])))

    def test_sparse_features(self, estimator):
        data = people()
        X = sp.random_array((300, 6), density=0.3, rng=np.random.default_rng(1), format="csr")
        y = target(estimator, data)
        sparse = clone(estimator).set_params(tol=1e-10).fit(X, y, sensitive_features=data.town)
        dense = clone(estimator).set_params(tol=1e-10).fit(X.toarray(), y, sensitive_features=data.town)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-5, atol=1e-6 * np.abs(dense.coef_).max())
        np.testing.assert_allclose(np.ravel(sparse.group_losses_), dense.group_losses_, rtol=1e-8)

    def test_routing(self, estimator):
        data = people()
        y = target(estimator, data)
        with sklearn.config_context(enable_metadata_routing=True):
            model = clone(estimator).set_fit_request(sensitive_features=True, sample_weight=True)
            model.set_score_request(sample_weight=False)
            weight = np.where(data.town == "big", 2.0, 1.0)
            params = {"sensitive_features": data.town, "sample_weight": weight}
            scores = cross_val_score(model, data.X, y, cv=3, params=params)
            scaler = StandardScaler().set_fit_request(sample_weight=False)
            pipeline = make_pipeline(scaler, model).fit(data.X, y, **params)
        assert np.isfinite(scores).all()
        direct = clone(estimator).fit(
            StandardScaler().fit_transform(data.X), y, sensitive_features=data.town, sample_weight=weight
        )
        assert np.array_equal(pipeline[-1].coef_, direct.coef_)


@pytest.mark.parametrize("estimator", SINGLE)
class TestModelsWithoutSelection:
    def test_weight_two_is_two_rows(self, estimator):
        data = people()
        y, twice = target(estimator, data), np.arange(300) % 3 == 0
        weighted = (
            clone(estimator)
            .set_params(tol=1e-11)
            .fit(data.X, y, sensitive_features=data.town, sample_weight=np.where(twice, 2.0, 1.0))
        )
        rows = np.concatenate([np.arange(300), np.flatnonzero(twice)])
        repeated = clone(estimator).set_params(tol=1e-11).fit(data.X[rows], y[rows], sensitive_features=data.town[rows])
        np.testing.assert_allclose(weighted.group_losses_, repeated.group_losses_, rtol=1e-8)
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-5)

    def test_rows_of_weight_zero_are_as_if_they_were_not_there(self, estimator):
        data = people()
        y, kept = target(estimator, data), data.town != "small"
        model = clone(estimator).fit(data.X, y, sensitive_features=data.town, sample_weight=kept.astype(float))
        without = clone(estimator).fit(data.X[kept], y[kept], sensitive_features=data.town[kept])
        assert model.group_names_ == without.group_names_ == ["big", "mid"]
        np.testing.assert_allclose(model.coef_, without.coef_, rtol=1e-9)

    def test_units_of_the_features_do_not_matter(self, estimator):
        data = people()
        y, factors = target(estimator, data), np.array([1e-7, 1.0, 1e7])
        model = clone(estimator).fit(data.X, y, sensitive_features=data.town)
        other = clone(estimator).fit(data.X * factors, y, sensitive_features=data.town)
        np.testing.assert_allclose(other.coef_ * factors, model.coef_, rtol=1e-6)
        assert other.certified_ == model.certified_

    def test_warm_start(self, estimator):
        data = people()
        y = target(estimator, data)
        cold = clone(estimator).fit(data.X, y, sensitive_features=data.town)
        warm = clone(estimator).set_params(warm_start=True).fit(data.X, y, sensitive_features=data.town)
        n_iter = warm.n_iter_
        warm.fit(data.X, y, sensitive_features=data.town)
        assert warm.n_iter_ < n_iter == cold.n_iter_
        np.testing.assert_allclose(warm.group_losses_, cold.group_losses_, atol=1e-5 * cold.group_losses_.max())


@pytest.mark.slow
@pytest.mark.parametrize("estimator", SINGLE)
def test_models_in_parallel(estimator):
    data = people()
    y = target(estimator, data)
    fits = joblib.Parallel(n_jobs=2)(
        joblib.delayed(clone(estimator).set_params(worst_weight=p).fit)(data.X, y, data.town) for p in (0.2, 0.8)
    )
    alone = clone(estimator).set_params(worst_weight=0.8).fit(data.X, y, data.town)
    assert np.array_equal(fits[1].coef_, alone.coef_)


def test_grid_search_with_groups_in_the_columns():
    """Without metadata routing, in a pipeline whose first step keeps the frame."""
    data = people()
    frame = data.frame.assign(job=np.resize(["a", "b", "c"], 300))
    encode = ColumnTransformer(
        [("job", OneHotEncoder(sparse_output=False), ["job"]), ("number", StandardScaler(), FEATURES)],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    pipeline = make_pipeline(encode, sb.MinimaxClassifier(group_by=["town", "sex"]))
    search = GridSearchCV(pipeline, {"minimaxclassifier__worst_weight": [0.0, 0.5, 1.0]}, cv=3)
    search.fit(frame, data.y)
    assert search.best_estimator_[-1].coef_.shape == (1, 6)
    assert set(search.predict(frame)) <= {"yes", "no"}


def test_calibration():
    data = people()
    calibrated = CalibratedClassifierCV(sb.MinimaxClassifier(group_by="town"), cv=3)
    frame = data.frame.drop(columns="sex")
    proba = calibrated.fit(frame, data.y).predict_proba(frame)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def test_cross_val_score_without_routing():
    data = people()
    scores = cross_val_score(sb.MinimaxRegressor(group_by="town"), data.frame.drop(columns="sex"), data.score, cv=3)
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()
