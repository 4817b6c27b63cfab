"""What a linear model has learned, as parts of a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ProblemError
from ...storage import Parts
from ...storage.values import Unstorable, pack_value


def write_input(model: Any, parts: Parts) -> None:
    """The columns of X, the classes and the groups."""
    parts.count("n_features", model.n_features_in_)
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        parts.json("feature_names", [str(name) for name in names])
    classes = getattr(model, "classes_", None)
    if classes is not None:
        write_labels(parts, "classes", classes, type(model).__name__)
    write_labels(parts, "group_names", model.group_names_, type(model).__name__)
    write_labels(parts, "merged_groups", model.merged_groups_, type(model).__name__)
    parts.array("group_sizes", model.group_sizes_.astype(np.int64))


def write_fit(model: Any, parts: Parts) -> None:
    """The coefficients, how they serve the groups, and the run that found them."""
    parts.array("coef", np.atleast_2d(model.coef_))
    parts.array("intercept", np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64)))
    parts.array("group_losses", model.group_losses_)
    parts.number("gap", model.gap_)
    model.result_.to_parts(parts.under("result"))


def write_labels(parts: Parts, name: str, labels: Any, owner: str) -> None:
    """Labels of classes or groups; a ProblemError where a file cannot hold their type."""
    try:
        packed = pack_value(labels, parts.prefix + name, parts.arrays)
    except Unstorable as error:
        raise ProblemError(
            f"{owner} cannot be saved: its {name.replace('_', ' ')} are labels of class {error.kind}, and a file holds "
            "texts, numbers, truth values and tuples of them. Convert the labels, as by list(map(str, labels)), and "
            "fit again."
        ) from None
    parts.json(name, packed)
