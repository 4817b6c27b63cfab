"""Whether a target asks for classes or for numbers, and one clear error for each kind of bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import saddleback as sb
from learn.people import people
from saddleback.learn.path.task import model_of

DATA = people()


def path(X=DATA.X, y=DATA.y, groups=DATA.town, **parameters):
    return sb.fairness_path(X, y, groups, **{"cv": 3, "worst_weights": [0, 1], "l2": 1e-2, **parameters})


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 1],
        [0.0, 1.0, 1.0],
        [True, False, True],
        ["a", "b", "c"],
        np.array(["a", "b", "c"], dtype=object),
        pd.Series(["a", "b", "a"], dtype="category"),
        np.arange(30) % 10,
        [[0], [1], [1]],
    ],
)
def test_classes(y):
    assert model_of("auto", "auto", y) is sb.MinimaxClassifier


@pytest.mark.parametrize("y", [[0.5, 1.0, 2.0], pd.Series([0.1, 0.2, 7.0]), np.float32([1.5, 2.0, 3.0])])
def test_numbers(y):
    assert model_of("auto", "auto", y) is sb.MinimaxRegressor


@pytest.mark.parametrize("y", [np.arange(40), np.arange(40.0), [1.0, 2.0, 3.0]])
def test_whole_numbers_that_may_be_either_are_refused(y):
    with pytest.raises(sb.ProblemError, match=r"y may be classes or numbers; got .*task='regression'"):
        model_of("auto", "auto", y)
    assert model_of("classification", "auto", y) is sb.MinimaxClassifier
    assert model_of("regression", "auto", y) is sb.MinimaxRegressor


def test_loss_decides_before_the_target():
    assert model_of("auto", "poisson", [0, 1, 1]) is sb.MinimaxRegressor
    assert model_of("auto", "squared", np.arange(40)) is sb.MinimaxRegressor
    assert model_of("auto", "logistic", np.arange(40)) is sb.MinimaxClassifier


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "y must be the target of every row; got None"),
        ([[0, 1], [1, 0]], "one column of classes or of numbers; got .*multilabel"),
        ([0.5, np.nan, 1.0], "y must be one column .* NaN"),
        (np.array([1, 0, 1], dtype=object), "got a target of the kind 'unknown'"),
    ],
)
def test_targets_that_are_neither(y, message):
    with pytest.raises(sb.ProblemError, match=message):
        model_of("auto", "auto", y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"groups": None}, "fairness_path needs groups; got none. Pass sensitive_features"),
        ({"groups": ["all"] * 300}, "at least two groups; got only 'all'"),
        ({"groups": None, "group_by": "rows"}, "needs groups with rows to hold out"),
        ({"X": DATA.frame.drop(columns="sex"), "group_by": "town"}, "one place"),
        ({"task": "ranking"}, "task must be 'auto', 'classification' or 'regression'; got 'ranking'"),
        ({"worst_weights": [0.0, 1.5]}, "worst_weights must be between 0 and 1; got 1.5"),
        ({"worst_weights": 0.5}, "worst_weights must be a list of numbers"),
        ({"worst_weights": []}, "worst_weights must hold at least one number"),
        ({"l2": -1.0}, "l2 must be a finite number >= 0"),
        ({"l2": None, "l2s": []}, "l2s must hold at least one number"),
        ({"prior": "equal"}, "prior must be 'shares', 'balanced'"),
        ({"loss": "unheard"}, "unknown loss 'unheard'"),
        ({"task": "classification", "loss": "squared"}, "loss of a classifier"),
        ({"cv": 1}, "cv must be a whole number >= 2"),
        ({"cv": 301}, "cv must be at most the number of rows"),
        ({"repeats": 0}, "repeats must be a whole number >= 1"),
        ({"scoring": "gini"}, "scoring must be one of 'loss', 'error_rate'"),
        ({"scoring": lambda y, prediction: np.full(y.size, np.nan)}, "scoring must give a number for some rows"),
        ({"scoring": lambda y, prediction: 1.0}, "must return one number per row"),
        ({"worst_weight": 0.5}, "takes no worst_weight: pass worst_weights"),
        ({"dual_set": sb.Simplex()}, "takes no dual_set"),
        ({"warm_start": True}, "takes no warm_start"),
        ({"min_groupsize": 3}, "no parameter 'min_groupsize'. Did you mean 'min_group_size'"),
        ({"tol": 0.0}, "tol"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(sb.ProblemError, match=message):
        path(**parameters)


def test_parameters_of_the_models_are_passed_on():
    model = path(standardize=False, fit_intercept=False, tol=1e-8, min_group_size=40).models[0]
    assert (model.standardize, model.fit_intercept, model.tol, model.min_group_size) == (False, False, 1e-8, 40)
    assert model.merged_groups_


def test_ends_are_always_there():
    assert path(worst_weights=[0.3, 0.3, 0.1]).worst_weights.tolist() == [0.0, 0.1, 0.3, 1.0]
