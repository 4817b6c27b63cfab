"""Corrections of models, and the models that they correct, from the parts of a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from ...errors import ProblemError
from ...storage import Reader, Unreadable
from ..correction.feature_columns import FeatureColumns
from ..correction.margins import MarginReader
from ..correction.stored_boosting import (
    IDENTITY,
    LOG,
    LOGIT,
    SOFTMAX,
    StoredBoosting,
    StoredBoostingClassifier,
    StoredBoostingRegressor,
)
from ..correction.stored_trees import StoredTrees
from ..correction.user_model import CLASSIFIER, kind_of
from ..correction.worst_group_correction import WorstGroupCorrection
from ..estimators.base import LinearMinimax
from .boosting_writing import BOOSTING
from .correction_writing import BOOSTED, OURS, unwrapped
from .linear_reading import check_width, pointwise_loss, read_classes, read_columns, read_fit, read_input
from .parameters import check_columns, parameter_names, read_parameters
from .selection_reading import read_selection

TYPES = {"leaf": np.bool_, "missing_left": np.bool_, "categorical": np.bool_, "bitsets": np.uint32}
NUMBERS = ("baseline", "value", "threshold")


def read_correction(reader: Reader, read_ours: Callable[[Reader], Any]) -> WorstGroupCorrection:
    """The corrected model; ``read_ours`` reads a model of this package."""
    estimator, fitted = _estimator(reader.under("estimator"), read_ours)
    known = [name for name in parameter_names(WorstGroupCorrection) if name != "estimator"]
    model = WorstGroupCorrection(estimator, **read_parameters(reader, known))
    classifier = kind_of(estimator) == CLASSIFIER
    read_input(model, reader, classes=classifier)
    read_fit(model, reader, regressor=not classifier)
    model.estimator_ = fitted
    _check_columns(model, unwrapped(fitted))
    model.corrected_ = reader.flag("corrected")
    dropped = check_columns(model)
    _check_features(model)
    try:
        model._columns = FeatureColumns(model.features, dropped)
    except (ProblemError, TypeError) as error:
        raise Unreadable(f"its features are of no use ({' '.join(str(error).split())[:200]})") from None
    floor = reader.number("floor", minimum=0.0, finite=True)
    if floor == 0.0 or (classifier and floor > 0.5):
        raise reader.wrong("floor", "a number above 0", f"{floor:g}")
    classes = model.classes_ if classifier else None
    model._read_margin = MarginReader(pointwise_loss(model), classes, floor)
    if classes is not None and set(map(str, classes.tolist())) != set(map(str, fitted.classes_.tolist())):
        raise Unreadable("its model has other classes than its correction")
    model.selection_ = read_selection(reader.under("selection"), model.group_names_)
    return model


def _check_columns(model: Any, fitted: Any) -> None:
    """Refuse a model of other columns than those that the correction gives it."""
    dropped, names = check_columns(model), getattr(model, "feature_names_in_", None)
    if isinstance(fitted, LinearMinimax) and check_columns(fitted):
        # It reads its own columns of groups, or a frame without them.
        return
    given = None if names is None else [name for name in names if name not in dropped]
    widths = {model.n_features_in_ - len(set(dropped)), model.n_features_in_ - bool(dropped)}
    own = getattr(fitted, "feature_names_in_", None)
    if fitted.n_features_in_ not in ({len(given)} if given is not None else widths):
        raise Unreadable(f"its model has {fitted.n_features_in_} columns, and its correction gives it others")
    if given is not None and own is not None and own.tolist() != given:
        raise Unreadable("its model has columns of other names than its correction")


def _check_features(model: Any) -> None:
    """Refuse coefficients of another number of columns than ``features`` names."""
    features, d = model.features, np.atleast_2d(model.coef_).shape[1]
    if features is None:
        check_width(model)
        return
    if isinstance(features, list | tuple) and all(isinstance(name, str | int) for name in features):
        lengths = {len(features), 1} if isinstance(features, tuple) else {len(features)}
    elif isinstance(features, str | int):
        lengths = {1}
    else:
        raise Unreadable("its parameter features must name columns")
    if d not in lengths:
        raise Unreadable(f"it has {d} coefficients for {max(lengths)} columns")


def _estimator(reader: Reader, read_ours: Callable[[Reader], Any]) -> tuple[Any, Any]:
    """The user's model as it was given, and as it is fitted."""
    frozen = reader.flag("frozen")
    if reader.word("kind", (BOOSTED, OURS)) == OURS:
        fitted = read_ours(reader)
        given = FrozenEstimator(fitted) if frozen else clone(fitted)
    else:
        fitted = read_boosting(reader)
        given = FrozenEstimator(fitted) if frozen else _unfitted(reader, fitted)
    return given, given if frozen else fitted


def _unfitted(reader: Reader, fitted: StoredBoosting) -> Any:
    """scikit-learn's model before the fit. Parameters that its installed version does not have are left out."""
    kind = BOOSTING[reader.word("class", BOOSTING)]
    given = kind(**read_parameters(reader, parameter_names(kind), drop_unknown=True))
    if kind_of(given) != kind_of(fitted):
        raise reader.wrong("class", "of the same kind as its trees", kind.__name__)
    return given


def read_boosting(reader: Reader) -> StoredBoosting:
    """The trees, and what they know of columns and classes."""
    link, trees = reader.word("link", (IDENTITY, LOG, LOGIT, SOFTMAX)), _trees(reader.under("trees"))
    d = trees.n_categories.size
    kinds, categories = reader.array("is_categorical", np.bool_, (d,)), reader.value("categories")
    if not isinstance(categories, list) or len(categories) != int(kinds.sum()):
        raise reader.wrong("categories", "a list for each column of categories", "another")
    counts = np.zeros(d, dtype=np.int64)
    for j, labels in enumerate(categories):
        if not isinstance(labels, list) or not labels or not all(map(_is_category, labels)):
            raise reader.wrong("categories", "lists of texts or numbers", "others")
        counts[j] = len(labels)
        if len(set(labels)) < len(labels):
            raise reader.wrong("categories", "different ones", "some twice")
    if not np.array_equal(counts, trees.n_categories):
        raise reader.wrong("categories", "as many as the trees have", "others")
    classifier = link in (LOGIT, SOFTMAX)
    kind = StoredBoostingClassifier if classifier else StoredBoostingRegressor
    model = kind(trees, link, categories, kinds)
    read_columns(model, reader)
    if model.n_features_in_ != d:
        raise reader.wrong("n_features", str(d), str(model.n_features_in_))
    n_margins = 1
    if isinstance(model, StoredBoostingClassifier):
        model.classes_ = read_classes(reader)
        n_margins = 1 if link == LOGIT else model.classes_.size
        if (link == LOGIT) != (model.classes_.size == 2):
            raise reader.wrong("link", "softmax for more than two classes", link)
    if trees.n_margins != n_margins:
        raise reader.wrong("trees.baseline", f"{n_margins} numbers", str(trees.n_margins))
    return model


def _trees(reader: Reader) -> StoredTrees:
    arrays: dict[str, Any] = {}
    for member in fields(StoredTrees):
        name = member.name
        arrays[name] = reader.array(name, np.float64 if name in NUMBERS else TYPES.get(name, np.int64))
    try:
        return StoredTrees(**arrays)
    except ProblemError as error:
        raise Unreadable(str(error).rstrip(".")) from None


def _is_category(label: Any) -> bool:
    return label is None or (isinstance(label, str | bool | int | float) and label == label)
