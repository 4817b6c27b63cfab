"""The coefficients by name, beside those of the average model."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._types import Matrix
from ...losses.grouped.pointwise_losses import Logistic
from ..data.rows import Rows
from ..data.standardization import Standardization
from ..fitting.trainer import Fit
from .plain import in_sentence
from .subject import Subject


def coefficients_of(
    subject: Subject, rows: Rows, average: Fit | None, feature_names: Any, class_names: list[str] | None
) -> dict[str, Any]:
    """A row for each feature: coefficients in its own unit, per standard deviation, and of the average model."""
    coef: Matrix = np.atleast_2d(subject.model.coef_)
    scale = Standardization.of(rows.X, rows.weight, intercept=True).scale
    names = feature_texts(subject, coef.shape[1], feature_names)
    return {
        "classes": None if len(coef) == 1 else class_names,
        "intercept": np.atleast_1d(subject.model.intercept_),
        "average_intercept": None if average is None else np.atleast_1d(average.intercept),
        "rows": [
            {
                "feature": name,
                "value": coef[:, k],
                "standardized": coef[:, k] * scale[k],
                "average_model": None if average is None else average.coef[:, k],
            }
            for k, name in enumerate(names)
        ],
        "words": _words(subject, class_names),
    }


def feature_texts(subject: Subject, d: int, feature_names: Any) -> list[str]:
    """The names that are passed, those of the fit without columns that only name groups, or x0, x1, ..."""
    model = subject.model
    if feature_names is None and subject.corrects and model._columns.transformer is not None:
        made = getattr(model._columns.transformer, "get_feature_names_out", None)
        feature_names = None if made is None else made()
    elif feature_names is None:
        feature_names = getattr(model, "feature_names_in_", None)
        if feature_names is not None:
            dropped = model._dropped_columns()
            feature_names = [name for name in feature_names if name not in dropped]
    names = [] if feature_names is None else [str(name) for name in feature_names]
    return names if len(names) == d else [f"x{k}" for k in range(d)]


def _words(subject: Subject, class_names: list[str] | None) -> str:
    if subject.corrects and not subject.model.corrected_:
        return "Your model was left alone: there is no correction, and all coefficients are 0."
    margin = "log odds" if isinstance(subject.setting.loss, Logistic) else "margin"
    what = {
        "binary": f"the {margin} of the class {in_sentence(class_names[1])}" if class_names else "",
        "classes": "the score of each class, whose softmax is its probability",
        "count": "the logarithm of the mean",
    }.get(subject.setting.loss.response, "the prediction")
    added = ", added to the margin of your model" if subject.corrects else ""
    return (
        f"What one unit more of a feature adds to {what}{added}, all other features as they are; standardized: one "
        "standard deviation more. Correlated features share their effect, and a coefficient is no cause."
    )
