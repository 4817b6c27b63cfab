"""Saved corrections: of gradient boosting, whose trees are evaluated by our own code, and of models of this package."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import saddleback as sb
from saddleback.learn.correction.stored_boosting import StoredBoosting
from saddleback.learn.storage.boosting_writing import stored_boosting

N = 400


@pytest.fixture(autouse=True)
def one_thread():
    """Threads of OpenMP wait for each other where other tests run beside these."""
    with threadpool_limits(1, "openmp"):
        yield


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    X, town = rng.standard_normal((N, 4)), np.repeat(["big", "small"], [280, 120])
    margin = X[:, 0] + np.where(town == "big", 1.0, -1.5) * X[:, 1]
    holes = X.copy()
    holes[rng.random((N, 4)) < 0.1] = np.nan
    return X, holes, margin + rng.logistic(size=N), town


def frame_of(X):
    """Categories of texts and of numbers, with missing ones, between columns of numbers."""
    job = pd.Categorical(np.array(["clerk", "baker", None, "pilot"], dtype=object)[(3 * X[:, 0]).astype(int) % 4])
    size = pd.Categorical(np.round(2 * X[:, 1]).clip(-2, 2))
    return pd.DataFrame({"a": X[:, 0], "job": job, "b": X[:, 1], "size": size, "c": X[:, 2]})


# --- the trees --------------------------------------------------------------------------------------------------------

MODELS = {
    "two classes": (HistGradientBoostingClassifier(max_iter=20), lambda eta: eta > 0),
    "three classes": (HistGradientBoostingClassifier(max_iter=10), lambda eta: np.digitize(eta, [-1, 1])),
    "numbers": (HistGradientBoostingRegressor(max_iter=20), lambda eta: eta),
    "counts": (HistGradientBoostingRegressor("poisson", max_iter=20), lambda eta: np.abs(eta).round()),
    "absolute": (HistGradientBoostingRegressor("absolute_error", max_iter=20, max_leaf_nodes=None), lambda eta: eta),
    "one leaf": (HistGradientBoostingRegressor(max_iter=2, min_samples_leaf=N), lambda eta: eta),
    "interactions": (
        HistGradientBoostingClassifier(max_iter=9, interaction_cst="no_interactions", monotonic_cst=[1, 0, 0, -1]),
        lambda eta: np.where(eta > 0, "yes", "no"),
    ),
}


def assert_same_bits(stored, model, X):
    for name in ("predict", "predict_proba", "decision_function"):
        method = getattr(model, name, None)
        if method is not None:
            assert np.array_equal(getattr(stored, name)(X), method(X)), name


@pytest.mark.parametrize("kind", MODELS)
def test_trees_give_the_bits_of_scikit_learn(rows, kind):
    X, holes, eta, _ = rows
    model, target = MODELS[kind]
    model = model.fit(holes, target(eta))
    stored = stored_boosting(model)
    for rows_ in (X, holes, np.full((2, 4), np.nan), 1e300 * X):
        assert_same_bits(stored, model, rows_)


@pytest.mark.parametrize("target", ["two", "three", "number"])
def test_trees_with_categories(rows, target):
    X, holes, eta, _ = rows
    frame = frame_of(X).assign(c=holes[:, 2])
    y = {"two": eta > 0, "three": np.digitize(eta, [-1, 1]), "number": eta}[target]
    model = HistGradientBoostingRegressor if target == "number" else HistGradientBoostingClassifier
    model = model(max_iter=15, categorical_features="from_dtype", min_samples_leaf=5).fit(frame, y)
    stored = stored_boosting(model)
    assert stored.trees.categorical.any()
    assert_same_bits(stored, model, frame)
    unknown = frame.assign(job=pd.Categorical(["spy"] * N), size=pd.Categorical([77.0] * N))
    assert_same_bits(stored, model, unknown)
    with pytest.raises(ValueError, match="feature names"):
        stored.predict(frame[["job", "a", "b", "size", "c"]])


def test_trees_with_categories_in_an_array(rows):
    X, _, eta, _ = rows
    matrix = np.column_stack([X[:, 0], np.round(2 * X[:, 1]) + 7.0, X[:, 2]])
    matrix[::7, 1] = np.nan
    model = HistGradientBoostingRegressor(max_iter=15, categorical_features=[1]).fit(matrix, eta)
    stored = stored_boosting(model)
    assert_same_bits(stored, model, matrix)
    matrix[:, 1] = -3.0
    assert_same_bits(stored, model, matrix)


@pytest.mark.parametrize("labels", [[1, 2, 3], [1, None, 3], [True, False, None], ["a", "", None], [1.5, np.nan, 2.0]])
def test_categories_of_any_type(rows, tmp_path, labels):
    X, _, eta, town = rows
    column = pd.Categorical(np.array(labels, dtype=object)[np.abs(X[:, 0] * 7).astype(int) % 3])
    frame = pd.DataFrame({"a": X[:, 1], "kind": column})
    boosting = HistGradientBoostingRegressor(max_iter=8, min_samples_leaf=5)
    model = sb.WorstGroupCorrection(boosting, features=["a"], rule="best", **CHOICE)
    model.fit(frame, eta, sensitive_features=town)
    assert_same_model(again(model, tmp_path), model, frame)


# --- corrections ------------------------------------------------------------------------------------------------------


def again(model, tmp_path):
    path = tmp_path / "model.safetensors"
    model.save(path)
    return sb.load(path)


def assert_same_model(loaded, model, X):
    assert type(loaded) is type(model)
    assert_same_bits(loaded, model, X)
    assert np.array_equal(loaded.coef_, model.coef_)
    assert loaded.corrected_ == model.corrected_
    assert (loaded.gap_, loaded.certified_) == (model.gap_, model.certified_)
    assert str(loaded.selection_) == str(model.selection_)
    assert repr(loaded) == repr(model)


CHOICE = {"worst_weights": [0, 1], "priors": [0], "l2s": [0.1, 1.0], "cv": 3}


@pytest.mark.parametrize("kind", ["two classes", "three classes", "numbers"])
@pytest.mark.parametrize("rule", ["best", "one_se"])
def test_correction_of_boosting(rows, tmp_path, kind, rule):
    X, _, eta, town = rows
    boosting, target = MODELS[kind]
    model = sb.WorstGroupCorrection(boosting, rule=rule, **CHOICE).fit(X, target(eta), sensitive_features=town)
    loaded = again(model, tmp_path)
    assert_same_model(loaded, model, X)
    assert isinstance(loaded.estimator_, StoredBoosting)
    assert loaded.get_params() | {"estimator": 0} == model.get_params() | {"estimator": 0}
    assert type(loaded.estimator) is type(boosting)
    assert_same_model(again(loaded, tmp_path), model, X)
    refitted = sb.WorstGroupCorrection(**loaded.get_params(deep=False)).fit(X, target(eta), sensitive_features=town)
    assert np.array_equal(refitted.predict(X), model.predict(X))


def test_correction_with_categories_and_columns_of_groups(rows, tmp_path):
    X, _, eta, town = rows
    frame = frame_of(X).assign(town=town)
    model = sb.WorstGroupCorrection(
        HistGradientBoostingClassifier(max_iter=10), features=["a", "b"], group_by="town", rule="best", **CHOICE
    ).fit(frame, np.where(eta > 0, "yes", "no"))
    loaded = again(model, tmp_path)
    assert model.corrected_
    assert_same_model(loaded, model, frame)
    assert_same_model(loaded, model, frame.drop(columns="town"))


@pytest.mark.parametrize("frozen", [False, True])
def test_correction_of_our_own_models(rows, tmp_path, frozen):
    X, _, eta, town = rows
    for inner, y in (
        (sb.MinimaxClassifier(0.0, l2=0.1), eta > 0),
        (sb.MinimaxRegressorCV([0, 1], l2s=[0.1], cv=3, repeats=1), eta),
    ):
        estimator = FrozenEstimator(inner.fit(X, y, sensitive_features=town)) if frozen else inner
        model = sb.WorstGroupCorrection(estimator, rule="best", **CHOICE)
        with pytest.warns(UserWarning, match="no groups") if not frozen else nullcontext():
            model.fit(X, y, sensitive_features=town)
        loaded = again(model, tmp_path)
        assert_same_model(loaded, model, X)
        assert isinstance(loaded.estimator, FrozenEstimator) == frozen
        assert type(getattr(loaded.estimator, "estimator", loaded.estimator)) is type(inner)


def test_correction_of_a_frozen_model(rows, tmp_path):
    X, _, eta, town = rows
    boosting = FrozenEstimator(HistGradientBoostingClassifier(max_iter=5).fit(X[::2], eta[::2] > 0))
    model = sb.WorstGroupCorrection(boosting, rule="best", **CHOICE).fit(X, eta > 0, sensitive_features=town)
    loaded = again(model, tmp_path)
    assert_same_bits(loaded, model, X)
    assert_same_bits(again(loaded, tmp_path), model, X)
    # A frozen model is not fitted again, also one that was read from a file.
    assert np.array_equal(loaded.fit(X, eta > 0, sensitive_features=town).predict(X), model.predict(X))
    with pytest.raises(sb.ProblemError, match="cannot be fitted again"):
        loaded.estimator_.estimator.fit(X, eta)


@pytest.mark.parametrize(
    ("estimator", "features", "message"),
    [
        (
            GradientBoostingClassifier(n_estimators=3),
            None,
            r"a correction of sklearn\..*GradientBoostingClassifier can",
        ),
        (
            make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=3)),
            None,
            r"correction of .*Pipeline",
        ),
        (HistGradientBoostingClassifier(max_iter=3), StandardScaler(), r"its parameter features is .*StandardScaler"),
        (
            type("Mine", (HistGradientBoostingClassifier,), {"__module__": "mine"})(max_iter=3),
            None,
            r"a correction of mine\.Mine cannot be saved",
        ),
        (
            HistGradientBoostingClassifier(max_iter=3, random_state=np.random.RandomState(0)),
            None,
            r"HistGradientBoostingClassifier cannot be saved: its parameter random_state",
        ),
    ],
)
def test_others_are_refused_by_name(rows, tmp_path, estimator, features, message):
    X, _, eta, town = rows
    model = sb.WorstGroupCorrection(estimator, features=features, **CHOICE).fit(X, eta > 0, sensitive_features=town)
    with pytest.raises(sb.ProblemError, match=message) as caught:
        model.save(tmp_path / "model")
    assert "\n" not in str(caught.value)
    assert not any(tmp_path.iterdir())
