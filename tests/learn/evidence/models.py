"""Fitted models of every kind on small tables, shared by the tests of the evidence."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeRegressor

import saddleback as sb
from learn.people import people

GRID = {"worst_weights": [0, 0.5, 1], "priors": [0, 1], "l2s": [1e-2, 1e-1], "repeats": 1, "cv": 3}
FEW = {"worst_weights": [0, 0.5, 1], "priors": [0], "l2s": [1e-1, 1.0], "cv": 3}
QUICK = {"n_bootstrap": 5, "challengers": None, "folds": 2}


def towns(n: int = 300, seed: int = 0) -> Any:
    return people(n, seed)


def three_classes(n: int = 300) -> tuple[Any, Any]:
    """Targets of three classes, beside the people."""
    data = people(n)
    Z = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    eta = Z + np.random.default_rng(1).gumbel(size=Z.shape)
    return data, np.array(["low", "mid", "high"])[eta.argmax(axis=1)]


@cache
def fitted(kind: str) -> Any:
    """A model by its name."""
    data = towns()
    both = {"town": data.town, "sex": data.sex}
    if kind == "classifier":
        return sb.MinimaxClassifier(0.5, l2=0.01).fit(data.X, data.y, sensitive_features=both)
    if kind == "classifier, chosen":
        return sb.MinimaxClassifierCV(**GRID).fit(data.X, data.y, sensitive_features=both)
    if kind == "regressor":
        return sb.MinimaxRegressor(0.5, l2=0.01).fit(data.X, data.score, sensitive_features=both)
    if kind == "regressor, chosen":
        return sb.MinimaxRegressorCV(**GRID).fit(data.X, data.score, sensitive_features=both)
    if kind == "three classes":
        data, y = three_classes()
        return sb.MinimaxClassifierCV(**GRID).fit(data.X, y, sensitive_features=data.town)
    if kind == "corrected classifier":
        model = HistGradientBoostingClassifier(max_iter=10, random_state=0)
        return sb.WorstGroupCorrection(model, **FEW).fit(data.X, data.y, sensitive_features=both)
    if kind == "corrected regressor":
        tree = DecisionTreeRegressor(max_depth=3, random_state=0)
        return sb.WorstGroupCorrection(tree, **FEW).fit(data.X, data.score, sensitive_features=data.town)
    raise KeyError(kind)


KINDS = [
    "classifier",
    "classifier, chosen",
    "regressor",
    "regressor, chosen",
    "three classes",
    "corrected classifier",
    "corrected regressor",
]


@cache
def evidence_of(kind: str) -> dict[str, Any]:
    """The evidence of a model of `fitted`, with a small effort."""
    return fitted(kind).evidence(**QUICK)
