"""The conventions of scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import saddleback as sb
from learn.correction.towns import towns

FEATURES = ["a", "b", "c"]
CLASSIFIER = sb.WorstGroupCorrection(LogisticRegression(max_iter=1000), cv=3, l2s=[1e-2, 1.0])
REGRESSOR = sb.WorstGroupCorrection(Ridge(), cv=3, l2s=[1e-2, 1.0])
# The worst class by all means, so that there is a correction.
CORRECTED = sb.WorstGroupCorrection(
    LogisticRegression(max_iter=1000), group_by="classes", min_group_size=1, cv=3, l2s=[1e-2], rule="best"
)


@parametrize_with_checks([CLASSIFIER, REGRESSOR, CORRECTED])
@pytest.mark.filterwarnings("ignore:no groups", "ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def scaled(estimator, **parameters):
    """A correction of a pipeline that scales; the worst group by all means."""
    return sb.WorstGroupCorrection(
        make_pipeline(StandardScaler(), estimator), cv=3, l2s=[1e-2], rule="best", **parameters
    )


BOTH = [scaled(LogisticRegression()), scaled(Ridge())]


def target(estimator, data):
    return data.score if is_regressor(estimator) else data.y


def test_it_is_what_the_estimator_is():
    assert is_classifier(CLASSIFIER)
    assert is_regressor(REGRESSOR)
    assert is_classifier(scaled(LogisticRegression()))
    assert not hasattr(REGRESSOR, "predict_proba")
    assert not hasattr(REGRESSOR, "decision_function")


def test_parameters_of_the_estimator_are_parameters():
    model = sb.WorstGroupCorrection(LogisticRegression(C=3.0), cv=4)
    assert model.get_params()["estimator__C"] == 3.0
    assert model.set_params(estimator__C=5.0).estimator.C == 5.0
    assert clone(model).estimator is not model.estimator


@pytest.mark.parametrize("estimator", BOTH)
class TestBothKinds:
    def test_clone_and_pickle(self, estimator):
        data = towns()
        model = clone(estimator).fit(data.X, target(estimator, data), sensitive_features=data.town)
        again = clone(model).fit(data.X, target(estimator, data), sensitive_features=data.town)
        assert model.corrected_
        assert np.array_equal(again.coef_, model.coef_), "two runs give the same bits"
        loaded = pickle.loads(pickle.dumps(model))
        assert np.array_equal(loaded.predict(data.X), model.predict(data.X))

    def test_jobs_do_not_matter(self, estimator):
        data = towns()
        model = clone(estimator).fit(data.X, target(estimator, data), sensitive_features=data.town)
        parallel = clone(estimator).set_params(n_jobs=2)
        parallel.fit(data.X, target(estimator, data), sensitive_features=data.town)
        np.testing.assert_allclose(parallel.coef_, model.coef_, rtol=1e-9)

    def test_frames(self, estimator):
        data = towns()
        frame, y = data.frame[FEATURES], target(estimator, data)
        plain = clone(estimator).fit(data.X, y, sensitive_features=data.town)
        for X in (frame, pl.DataFrame({name: frame[name].to_list() for name in frame})):
            model = clone(estimator).fit(X, y, sensitive_features=data.town)
            assert list(model.feature_names_in_) == FEATURES
            np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9)
            with pytest.raises(ValueError, match="feature names"):
                model.predict(X[FEATURES[::-1]])

    def test_groups_by_columns(self, estimator):
        data = towns()
        frame, y = data.frame[[*FEATURES, "town"]], target(estimator, data)
        by_labels = clone(estimator).fit(data.X, y, sensitive_features=data.town)
        by_column = clone(estimator).set_params(group_by="town").fit(frame, y)
        np.testing.assert_allclose(by_column.coef_, by_labels.coef_, rtol=1e-9)
        assert by_column.n_features_in_ == 4
        # At prediction the column may be left out.
        assert np.array_equal(by_column.predict(frame), by_column.predict(frame[FEATURES]))

    def test_groups_by_positions(self, estimator):
        data = towns()
        y, codes = target(estimator, data), np.unique(data.town, return_inverse=True)[1]
        by_labels = clone(estimator).fit(data.X, y, sensitive_features=codes)
        X = np.column_stack([data.X[:, 0], codes, data.X[:, 1:]])
        by_position = clone(estimator).set_params(group_by=1).fit(X, y)
        np.testing.assert_allclose(by_position.coef_, by_labels.coef_, rtol=1e-9)
        narrow = clone(estimator).set_params(group_by=1, features=[0, 3]).fit(X, y)
        assert np.size(narrow.coef_) == 2, "positions are those in X as the user has it"
        assert np.array_equal(narrow._columns.read(X, None, fit=True), data.X[:, [0, 2]])

    def test_weights_with_and_without_routing(self, estimator):
        data = towns()
        y, weight = target(estimator, data), np.where(data.town == "big", 2.0, 1.0)
        params = {"sensitive_features": data.town, "sample_weight": weight}
        plain = clone(estimator).fit(data.X, y, **params)
        with sklearn.config_context(enable_metadata_routing=True):
            with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
                clone(estimator).fit(data.X, y, **params)
            model = clone(estimator).set_fit_request(sensitive_features=True, sample_weight=True)
            model.set_score_request(sample_weight=False)
            model.estimator[0].set_fit_request(sample_weight=False)
            model.estimator[1].set_fit_request(sample_weight=True)
            model.fit(data.X, y, **params)
            scores = cross_val_score(model, data.X, y, cv=3, params=params)
        assert np.isfinite(scores).all()
        np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9)

    def test_groups_alone_need_no_requests(self, estimator):
        data = towns()
        with sklearn.config_context(enable_metadata_routing=True):
            model = clone(estimator).fit(data.X, target(estimator, data), sensitive_features=data.town)
        assert model.corrected_

    def test_rows_of_weight_zero_are_as_if_they_were_not_there(self, estimator):
        data = towns()
        y, kept = target(estimator, data), np.arange(data.town.size) % 5 > 0
        model = clone(estimator).fit(data.X, y, sensitive_features=data.town, sample_weight=kept.astype(float))
        without = clone(estimator).fit(data.X[kept], y[kept], sensitive_features=data.town[kept])
        np.testing.assert_allclose(model.group_losses_, without.group_losses_, rtol=1e-6)
        np.testing.assert_allclose(model.coef_, without.coef_, rtol=1e-5)


def test_grid_search_over_the_estimator():
    """Groups in a column need no routing."""
    data = towns()
    frame = data.frame[[*FEATURES, "town"]]
    model = sb.WorstGroupCorrection(GradientBoostingClassifier(n_estimators=5), group_by="town", cv=2, l2s=[1.0])
    search = GridSearchCV(model, {"estimator__max_depth": [1, 2]}, cv=2).fit(frame, data.y)
    assert search.best_params_["estimator__max_depth"] in (1, 2)


def test_sparse_features():
    data = towns()
    X = sp.random_array((800, 6), density=0.3, rng=np.random.default_rng(1), format="csr")
    model = sb.WorstGroupCorrection(LogisticRegression(), cv=3, l2s=[1e-2], rule="best", tol=1e-10)
    sparse = clone(model).fit(X, data.y, sensitive_features=data.town)
    dense = clone(model).fit(X.toarray(), data.y, sensitive_features=data.town)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-3)


def test_the_estimator_that_was_passed_stays_as_it_was():
    data = towns()
    base = LogisticRegression(max_iter=1000)
    model = sb.WorstGroupCorrection(base, cv=3, l2s=[1.0]).fit(data.X, data.y, sensitive_features=data.town)
    assert model.estimator is base
    with pytest.raises(NotFittedError):
        sklearn.utils.validation.check_is_fitted(base)


def test_a_regressor_after_a_classifier():
    data = towns()
    model = scaled(LogisticRegression()).fit(data.X, data.y, sensitive_features=data.town)
    model.set_params(estimator=Ridge()).fit(data.X, data.score, sensitive_features=data.town)
    assert not hasattr(model, "classes_")
    assert model.coef_.shape == (3,)
