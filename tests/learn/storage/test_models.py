"""Saved models: predictions to the last bit, parameters, labels of any type, the selection in the same words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import saddleback as sb
from saddleback.learn.estimators.base import LinearMinimax

N = 300


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X, town = rng.standard_normal((N, 3)), np.repeat(["big", "small"], [220, 80])
    margin = X[:, 0] + np.where(town == "big", 1.0, -0.8) * X[:, 1]
    return X, margin + rng.logistic(size=N) > 0, margin + rng.standard_normal(N), town


def again(model, tmp_path):
    """The model, saved and loaded."""
    path = tmp_path / "model.safetensors"
    model.save(path)
    return sb.load(path)


def assert_same(loaded, model, X):
    assert type(loaded) is type(model)
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert loaded.predict(X).dtype == model.predict(X).dtype
    for name in ("coef_", "intercept_", "group_losses_", "group_weights_", "group_sizes_"):
        one, two = np.asarray(getattr(loaded, name)), np.asarray(getattr(model, name))
        assert one.dtype == two.dtype
        assert np.array_equal(one, two, equal_nan=True), name
    for name in ("group_names_", "merged_groups_", "gap_", "certified_", "n_iter_", "n_features_in_"):
        assert getattr(loaded, name) == getattr(model, name), name
    assert str(loaded.result_) == str(model.result_)
    assert repr(loaded) == repr(model)


@pytest.mark.parametrize("loss", ["auto", "squared_hinge", sb.losses.Logistic()])
def test_classifier(rows, tmp_path, loss):
    X, y, _, town = rows
    model = sb.MinimaxClassifier(0.5, loss=loss, l2=0.01).fit(X, y, sensitive_features=town)
    loaded = again(model, tmp_path)
    assert_same(loaded, model, X)
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
    assert loaded.get_params() == model.get_params()
    if loss != "squared_hinge":
        assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("loss", ["auto", "huber", "poisson", sb.losses.Quantile(0.9, smoothing=0.05)])
def test_regressor(rows, tmp_path, loss):
    X, _, y, town = rows
    model = sb.MinimaxRegressor(loss=loss).fit(X, np.abs(y).round(), sensitive_features=town)
    loaded = again(model, tmp_path)
    assert_same(loaded, model, X)
    assert isinstance(loaded.intercept_, float)
    assert loaded.get_params() == model.get_params()


def test_cross_validated(rows, tmp_path):
    X, y, number, town = rows
    for model in (
        sb.MinimaxClassifierCV([0, 0.5, 1], priors=[0, [1.0, 2.0]], l2s=[0.01], cv=3, repeats=1),
        sb.MinimaxRegressorCV([0, 1], priors=[0], l2s=[0.01, 0.1], cv=3, repeats=1, scoring="absolute_error"),
    ):
        model.fit(X, number if "Regressor" in type(model).__name__ else y, sensitive_features=town)
        loaded = again(model, tmp_path)
        assert_same(loaded, model, X)
        assert str(loaded.selection_) == str(model.selection_)
        assert repr(loaded.selection_.candidates) == repr(model.selection_.candidates)
        assert loaded.selection_.nothing_to_gain == model.selection_.nothing_to_gain
        assert np.array_equal(loaded.prior_, model.prior_)
        assert (loaded.worst_weight_, loaded.l2_) == (model.worst_weight_, model.l2_)


def test_frames_with_groups_in_columns(rows, tmp_path):
    X, y, _, town = rows
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(town=town, sex=np.arange(N) % 2)
    model = sb.MinimaxClassifierCV([0, 1], priors=[0], l2s=[0.01], cv=3, repeats=1, group_by=["town", "sex"])
    model.fit(frame, y)
    loaded = again(model, tmp_path)
    assert_same(loaded, model, frame)
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c", "town", "sex"]
    assert loaded.feature_names_in_.dtype == object
    assert loaded.group_names_ == [("big", 0), ("big", 1), ("small", 0), ("small", 1)]
    assert np.array_equal(loaded.predict(frame[["a", "b", "c"]]), model.predict(frame))
    assert "town=small" in str(loaded.selection_)
    with pytest.raises(ValueError, match="columns"):
        loaded.predict(frame[["b", "a", "c"]])


LABELS = {
    "texts": ["no", "yes"],
    "objects": np.array(["no", "yes"], dtype=object),
    "int8": np.array([3, 7], dtype=np.int8),
    "whole": [-1, 2**40],
    "numbers": [-1.0, 1.0],
    "float32": np.array([0.0, 1.0], dtype=np.float32),
    "unicode": ["", "\u2603 \U0001f600\n"],
    "truths": [False, True],
    "lone surrogates": np.array(["\ud800", "a"], dtype=object),
}


@pytest.mark.parametrize("kind", LABELS)
def test_classes_keep_their_type(rows, tmp_path, kind):
    X, y, _, town = rows
    model = sb.MinimaxClassifier(l2=0.1).fit(X, np.asarray(LABELS[kind])[y.astype(int)], sensitive_features=town)
    loaded = again(model, tmp_path)
    assert_same(loaded, model, X)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert [type(label) for label in loaded.classes_] == [type(label) for label in model.classes_]


def test_classes_in_another_order_are_refused(rows, tmp_path):
    X, y, _, town = rows
    model = sb.MinimaxClassifier(l2=0.1).fit(X, np.array(["no", "yes"])[y.astype(int)], sensitive_features=town)
    model.classes_ = model.classes_[::-1]
    model.save(tmp_path / "m.safetensors")
    with pytest.raises(sb.ProblemError, match="two or more different labels in order"):
        sb.load(tmp_path / "m.safetensors")


def test_more_than_two_classes(rows, tmp_path):
    X, _, y, town = rows
    model = sb.MinimaxClassifier(l2=0.1).fit(X, np.digitize(y, [-1, 1]), sensitive_features=town)
    loaded = again(model, tmp_path)
    assert_same(loaded, model, X)
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_groups_that_were_merged_or_missing(rows, tmp_path):
    X, y, _, _ = rows
    labels = np.array(["a", "b", None, "tiny"], dtype=object)[np.minimum(np.arange(N) % 100, 3)]
    labels[::2] = "a"
    model = sb.MinimaxClassifier(l2=0.1, min_group_size=10, missing_groups="group")
    model.fit(X, y, sensitive_features=pd.DataFrame({"g": labels, "k": np.arange(N) % 2 == 0}))
    loaded = again(model, tmp_path)
    assert_same(loaded, model, X)
    assert loaded.merged_groups_
    assert [type(name) for name in loaded.group_names_] == [type(name) for name in model.group_names_]


def test_components_come_back_with_their_fields(rows, tmp_path):
    X, y, _, town = rows
    prior = np.array([0.25, 0.75])
    for parameters in (
        {"dual_set": sb.CappedSimplex(0.6, prior=prior)},
        {"dual_set": sb.Chi2Ball(0.5)},
        {"dual_set": sb.Product([sb.Simplex(), sb.Box(0.1, 0.2)], sizes=[1, 1])},
        {"dual_set": sb.Ball(0.5, 0.1)},
        {"dual_set": sb.Polytope(np.vstack([-np.eye(2), np.ones((1, 2))]), np.array([0.0, 0.0, 1.0]))},
        {"regularizer": sb.Entropy(0.1, prior), "prior": {"big": 1, "small": 3}},
        {"regularizer": sb.Quadratic(0.1), "reference": np.array([0.1, 0.2])},
        {"method": sb.QuasiNewton(), "reference": [0.1, 0.2], "prior": (1.0, 2.0)},
        {"method": sb.LBFGSB(memory=3), "regularizer": sb.Quadratic(0.1)},
    ):
        model = sb.MinimaxClassifier(**parameters).fit(X, y, sensitive_features=town)
        loaded = again(model, tmp_path)
        assert_same(loaded, model, X)
        assert np.array_equal(clone(loaded).fit(X, y, sensitive_features=town).coef_, model.coef_)


def test_a_loaded_model_is_saved_as_the_same_bytes(rows, tmp_path):
    X, y, _, town = rows
    model = sb.MinimaxClassifierCV([0, 1], l2s=[0.01], cv=3, repeats=1).fit(X, y, sensitive_features=town)
    loaded = again(model, tmp_path)
    loaded.save(tmp_path / "second")
    assert (tmp_path / "second").read_bytes() == (tmp_path / "model.safetensors").read_bytes()


def test_path(rows, tmp_path):
    X, y, number, town = rows
    for target in (y, number):
        path = sb.fairness_path(X, target, sensitive_features=town, worst_weights=[0, 0.5, 1], l2=0.01, cv=3)
        path.save(tmp_path / "path")
        loaded = sb.load(tmp_path / "path")
        assert repr(loaded) == repr(path)
        assert repr(loaded.group_losses) == repr(path.group_losses)
        for rule in ("one_se", "best", "knee", 0.5):
            assert str(loaded.selection(rule)) == str(path.selection(rule))
            assert_same(loaded.select(rule), path.select(rule), X)
        assert loaded.unit == path.unit


class Own(sb.losses.Logistic):
    """A user's own class."""


class Mine(sb.MinimaxClassifier):
    """A user's own estimator."""


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": Own()}, r"its parameter loss is or holds an object of class .*Own, and a file holds no code"),
        ({"regularizer": type("Odd", (sb.Entropy,), {})(0.1)}, r"its parameter regularizer .*Odd, .*set_params"),
        ({"n_jobs": 2**70}, "its parameter n_jobs is or holds an object of class int"),
        ({"group_by": [print]}, "its parameter group_by is or holds an object of class builtin_function_or_method"),
    ],
)
def test_what_a_file_cannot_hold_is_refused_by_name(rows, tmp_path, parameters, message):
    X, y, _, town = rows
    model = sb.MinimaxClassifier(l2=0.1).fit(X, y, sensitive_features=town).set_params(**parameters)
    with pytest.raises(sb.ProblemError, match=message) as caught:
        model.save(tmp_path / "model")
    assert "\n" not in str(caught.value)
    assert not any(tmp_path.iterdir())


def test_other_estimators_are_refused_by_name(rows, tmp_path):
    X, y, _, town = rows
    model = Mine(l2=0.1).fit(X, y, sensitive_features=town)
    with pytest.raises(sb.ProblemError, match=r"an estimator of class .*Mine cannot be saved"):
        model.save(tmp_path / "model")
    with pytest.raises(sb.ProblemError, match="must be fitted before it is saved; call fit first"):
        sb.MinimaxClassifier().save(tmp_path / "model")
    assert not any(tmp_path.iterdir())


def test_labels_that_a_file_cannot_hold_are_named(rows, tmp_path):
    X, y, _, _ = rows
    days = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")[np.arange(N) % 2]
    model = sb.MinimaxClassifier(l2=0.1).fit(X, y, sensitive_features=days)
    with pytest.raises(sb.ProblemError, match=r"its group names are labels of class numpy.datetime64.*fit again"):
        model.save(tmp_path / "model")


# --- nothing is forgotten ---------------------------------------------------------------------------------------------


def assert_equal(one, two, name):
    """Every field of every dataclass and every entry of every array, with its type."""
    assert type(one) is type(two), name
    if is_dataclass(one):
        for member in fields(one):
            assert_equal(getattr(one, member.name), getattr(two, member.name), f"{name}.{member.name}")
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (two.dtype, two.shape), name
        if one.dtype.kind == "O":
            assert_equal(one.tolist(), two.tolist(), name)
        else:
            assert np.array_equal(one, two, equal_nan=one.dtype.kind == "f"), name
    elif isinstance(one, list | tuple):
        assert len(one) == len(two), name
        for k, pair in enumerate(zip(one, two, strict=True)):
            assert_equal(*pair, f"{name}[{k}]")
    elif isinstance(one, Mapping):
        assert list(one) == list(two), name
        for key in one:
            assert_equal(one[key], two[key], f"{name}[{key!r}]")
    elif isinstance(one, LinearMinimax):
        learned = [{key for key in vars(model) if key.endswith("_")} for model in (one, two)]
        assert learned[0] == learned[1], name
        for key in learned[0]:
            assert_equal(getattr(one, key), getattr(two, key), f"{name}.{key}")
        assert one.get_params(deep=False) == two.get_params(deep=False)
    elif isinstance(one, float):
        assert one == two or (one != one and two != two), name
    else:
        assert one == two, name


def test_nothing_that_was_learned_is_forgotten(rows, tmp_path):
    X, y, number, town = rows
    labels = pd.DataFrame({"town": town, "half": np.arange(N) % 2})
    choice = {"priors": [0, [1.0, 2.0, 3.0, 4.0]], "l2s": [0.01], "cv": 3}
    linear = sb.MinimaxClassifierCV([0, 0.5, 1], **choice, repeats=1).fit(X, y, sensitive_features=labels)
    single = sb.MinimaxRegressor(l2=0.1).fit(X, number, sensitive_features=labels)
    for model in (linear, single):
        assert_equal(again(model, tmp_path), model, "model")
    path = sb.fairness_path(X, y, labels, worst_weights=[0, 0.5, 1], l2=0.01, cv=3)
    path.save(tmp_path / "path")
    assert_equal(sb.load(tmp_path / "path"), path, "path")
