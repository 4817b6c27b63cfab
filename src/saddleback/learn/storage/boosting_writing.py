"""Gradient boosting of scikit-learn as parts of a file: its trees as plain arrays."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from ...errors import ProblemError
from ...storage import Parts
from ..correction.stored_boosting import (
    IDENTITY,
    LOG,
    LOGIT,
    SOFTMAX,
    StoredBoosting,
    StoredBoostingClassifier,
    StoredBoostingRegressor,
)
from ..correction.stored_trees import WORDS, StoredTrees
from .linear_writing import write_labels

BOOSTING = {kind.__name__: kind for kind in (HistGradientBoostingClassifier, HistGradientBoostingRegressor)}
LINKS = {"IdentityLink": IDENTITY, "LogLink": LOG, "LogitLink": LOGIT, "MultinomialLogit": SOFTMAX}
"""scikit-learn's classes of links, and what they are called in a file."""


def is_boosting(model: Any) -> bool:
    """Whether a model is one of scikit-learn's, not a subclass, or was read from a file."""
    return BOOSTING.get(type(model).__name__) is type(model) or isinstance(model, StoredBoosting)


def write_boosting(model: Any, parts: Parts) -> None:
    """The parts of a fitted model."""
    stored = model if isinstance(model, StoredBoosting) else stored_boosting(model)
    parts.text("link", stored.link)
    for member in fields(stored.trees):
        parts.array(f"trees.{member.name}", getattr(stored.trees, member.name))
    parts.array("is_categorical", stored.is_categorical)
    write_labels(parts, "categories", stored.categories, "the boosting model")
    parts.count("n_features", stored.n_features_in_)
    names = getattr(stored, "feature_names_in_", None)
    if names is not None:
        parts.json("feature_names", [str(name) for name in names])
    if isinstance(stored, StoredBoostingClassifier):
        write_labels(parts, "classes", stored.classes_, "the boosting model")


def stored_boosting(model: Any) -> StoredBoosting:
    """A fitted model of scikit-learn, as one that a file holds."""
    link = LINKS.get(type(model._loss.link).__name__)
    if link is None:
        raise ProblemError(
            f"{type(model).__name__} cannot be saved: its link {type(model._loss.link).__name__} is not known. Keep "
            "the model by joblib.dump."
        )
    d = model.n_features_in_
    if model.is_categorical_ is None:
        kinds, categories = np.zeros(d, dtype=bool), []
    else:
        kinds = np.asarray(model.is_categorical_, dtype=bool)
        encoder = model._preprocessor.named_transformers_["encoder"]
        categories = [_without_nan(labels) for labels in encoder.categories_]
    counts = np.zeros(d, dtype=np.int64)
    counts[: len(categories)] = [len(labels) for labels in categories]
    kind = StoredBoostingClassifier if isinstance(model, HistGradientBoostingClassifier) else StoredBoostingRegressor
    stored = kind(_trees(model, counts), link, categories, kinds)
    stored.n_features_in_ = d
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        stored.feature_names_in_ = names
    if isinstance(stored, StoredBoostingClassifier):
        stored.classes_ = model.classes_
    return stored


def _trees(model: Any, n_categories: Any) -> StoredTrees:
    trees = [tree for trees in model._predictors for tree in trees]
    nodes = [tree.nodes for tree in trees]
    sets = [np.asarray(tree.raw_left_cat_bitsets, dtype=np.uint32).reshape(-1, WORDS) for tree in trees]
    before = np.cumsum([0, *map(len, sets)])
    together = np.concatenate(nodes) if nodes else np.empty(0, dtype=[])

    def column(name: str, dtype: Any) -> Any:
        return together[name].astype(dtype) if nodes else np.empty(0, dtype=dtype)

    bitset = column("bitset_idx", np.int64) + np.repeat(before[:-1], [len(own) for own in nodes])
    leaf, categorical = column("is_leaf", np.bool_), column("is_categorical", np.bool_)
    return StoredTrees(
        baseline=np.asarray(model._baseline_prediction, dtype=np.float64).ravel(),
        starts=np.cumsum([0, *map(len, nodes)], dtype=np.int64),
        value=column("value", np.float64),
        feature=np.where(leaf, 0, column("feature_idx", np.int64)),
        threshold=np.where(leaf | categorical, 0.0, column("num_threshold", np.float64)),
        left=column("left", np.int64),
        right=column("right", np.int64),
        leaf=leaf,
        missing_left=column("missing_go_to_left", np.bool_),
        categorical=categorical,
        bitset=np.where(categorical & ~leaf, bitset, 0).astype(np.int64),
        bitsets=np.concatenate([*sets, np.empty((0, WORDS), dtype=np.uint32)]),
        n_categories=n_categories,
    )


def _without_nan(labels: Any) -> list[Any]:
    """Plain labels. scikit-learn puts NaN last; it has no number."""
    listed = [label.item() if isinstance(label, np.generic) else label for label in np.asarray(labels).tolist()]
    return [label for label in listed if label is None or label == label]
