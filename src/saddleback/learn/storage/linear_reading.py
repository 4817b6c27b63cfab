"""What a linear model has learned, from the parts of a file."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...errors import ProblemError
from ...losses.grouped.pointwise_loss import PointwiseLoss
from ...result import Result
from ...storage import Reader, Unreadable
from .parameters import check_columns

LABEL_TYPES = (str, bool, int, float, np.generic)


def read_input(model: Any, reader: Reader, *, classes: bool) -> None:
    """The columns of X, the classes and the groups."""
    read_columns(model, reader)
    if classes:
        model.classes_ = read_classes(reader)
    model.group_names_ = read_names(reader, "group_names")
    merged = reader.value("merged_groups")
    if not isinstance(merged, dict) or not all(isinstance(n, int | np.integer) and n >= 0 for n in merged.values()):
        raise reader.wrong("merged_groups", "a dict of numbers of rows", type(merged).__name__)
    model.merged_groups_ = merged
    model.group_sizes_ = reader.counts("group_sizes", len(model.group_names_)).astype(np.intp)


def read_columns(model: Any, reader: Reader) -> None:
    """The number of the columns of X, and their names where they have any."""
    model.n_features_in_ = reader.count("n_features", least=1)
    if reader.has("feature_names"):
        names = reader.json("feature_names")
        if not isinstance(names, list) or len(names) != model.n_features_in_ or not _different_texts(names):
            raise reader.wrong("feature_names", f"{model.n_features_in_} different texts", "others")
        model.feature_names_in_ = np.array(names, dtype=object)


def read_fit(model: Any, reader: Reader, *, regressor: bool) -> None:
    """The coefficients, how they serve the groups, and the run that found them."""
    K = n_outputs(model)
    coef = reader.array("coef", None, (K, None))
    if coef.dtype not in (np.float64, np.float32) or coef.size == 0 or not np.isfinite(coef).all():
        raise reader.wrong("coef", "finite numbers", f"{coef.dtype} {coef.shape}, or nan or inf")
    intercept = reader.vector("intercept", K)
    losses = reader.vector("group_losses", len(model.group_names_), finite=False)
    result = Result.from_parts(reader.under("result"))
    if result.dual.ndim != 1 or result.dual.size > len(model.group_names_):
        raise reader.wrong("result.dual", "a weight for each group", str(result.dual.shape))
    if result.w.size not in (coef.size, coef.size + K):
        raise reader.wrong("result.w", "as many as coefficients and intercepts", str(result.w.size))
    model.coef_, model.intercept_ = (coef[0], float(intercept[0])) if regressor else (coef, intercept)
    model.group_losses_ = losses
    model.group_weights_ = result.dual
    model.gap_ = reader.number("gap")
    model.certified_, model.n_iter_, model.result_ = result.certified, result.n_iter, result


def n_outputs(model: Any) -> int:
    """Margins per row: the number of classes for softmax, else one."""
    loss = pointwise_loss(model)
    return int(model.classes_.size) if loss.response == "classes" else 1


def pointwise_loss(model: Any) -> PointwiseLoss:
    """The loss that the parameters name; Unreadable where they name none for such a model."""
    try:
        loss: PointwiseLoss = model._pointwise_loss()
    except (ProblemError, TypeError) as error:
        raise Unreadable(f"its parameter loss is of no use ({' '.join(str(error).split())[:200]})") from None
    return loss


def check_width(model: Any) -> None:
    """Refuse coefficients of another number of columns than the model reads at prediction."""
    d = np.atleast_2d(model.coef_).shape[1]
    dropped, names = check_columns(model), getattr(model, "feature_names_in_", None)
    if names is None:
        # A tuple of names may be one column's name; without names in the file it is not known.
        possible = {model.n_features_in_ - len(set(dropped)), model.n_features_in_ - bool(dropped)}
    else:
        possible = {sum(name not in dropped for name in names)}
    if d not in possible:
        raise Unreadable(f"it has {d} coefficients for {sorted(possible)[0]} columns")


def read_names(reader: Reader, name: str, length: int | None = None) -> list[Any]:
    """The names of groups: labels, or tuples of labels."""
    labels = reader.names(name, length)
    if not labels or not all(_is_label(label) for label in labels):
        raise reader.wrong(name, "labels of groups", "others")
    return labels


def _is_label(label: Any, depth: int = 0) -> bool:
    if isinstance(label, tuple):
        return depth < 3 and all(_is_label(part, depth + 1) for part in label)
    return label is None or isinstance(label, LABEL_TYPES)


def read_classes(reader: Reader) -> Any:
    """The classes: two or more different labels, sorted as a fit has them. In another order they would swap their
    predictions."""
    classes = reader.value("classes")
    usable = isinstance(classes, np.ndarray) and classes.ndim == 1 and classes.size >= 2
    if usable and classes.dtype.kind == "O":
        usable = all(isinstance(label, LABEL_TYPES) for label in classes)
    if usable:
        labels = classes.tolist()
        usable = all(label == label for label in labels) and _increases(labels)
    if not usable:
        raise reader.wrong("classes", "two or more different labels in order", type(classes).__name__)
    return classes


def _increases(labels: list[Any]) -> bool:
    """Whether each label is above the one before."""
    try:
        return all(before < after for before, after in pairwise(labels))
    except TypeError:
        return False


def _different_texts(names: list[Any]) -> bool:
    return all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
